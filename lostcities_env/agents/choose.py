"""One agent's choice in one `Game`, with an error that says who failed and when."""

import numpy as np

from lostcities_env.agents.attempts import AgentFailedError
from lostcities_env.agents.base import Agent
from lostcities_env.rules.game import Game, IllegalActionError


def choose(agent: Agent, name: str, game: Game) -> int:
    """The legal action that an agent takes for the mover of a game.

    Args:
        agent: made for the match that the game plays.
        name: what errors call it.
        game: not changed.

    Raises:
        IllegalActionError: if the agent gives an action that the rules do not allow.
        AgentFailedError: if it gives none.
    """
    observation = game.observation(game.mover, "recall")[np.newaxis]
    try:
        (action,) = agent.act(observation, game.action_mask()[np.newaxis])
        game.check(action)
    except (IllegalActionError, AgentFailedError) as error:
        raise type(error)(f"agent {name!r}, turn {game.turn + 1}: {error}") from error
    return int(action)
