"""What each turn is worth in an agent's eyes: a reply ahead, over deals of the cards that nobody showed."""

from dataclasses import dataclass

import numpy as np

from lostcities_env.agents.base import Agent
from lostcities_env.agents.policy_agent import PolicyAgent
from lostcities_env.agents.registry import make
from lostcities_env.agents.safetensors_file import WeightsError
from lostcities_env.analysis.worlds import deal_worlds, take_replies, take_turns
from lostcities_env.rules.game import Game
from lostcities_env.rules.generator import check_seed
from lostcities_env.rules.match import Match

DEFAULT_JUDGE = "quick"
"""Whose values judge the games of just anyone. This policy has met nobody but itself, so its values mean that
both play well from here on. `champion` has met weaker agents too: its values guess from the position who is
playing, so that after a weak move they expect more of them.
"""
DEFAULT_WORLDS = 32


@dataclass(frozen=True, eq=False)
class Judgement:
    """What an agent makes of a position, for the player to move; in points.

    Attributes:
        value: what the agent expects of the round: the mover's final margin.
        actions: int64 (k,), the codes of the legal actions, ascending.
        probabilities: float64 (k,), how likely the agent is to take each. For a learned policy, those that it
            was trained with, even if it plays its likeliest action.
        values: float64 (k,), the mover's final margin that the agent expects after each.
    """

    value: float
    actions: np.ndarray
    probabilities: np.ndarray
    values: np.ndarray

    @property
    def choice(self) -> int:
        """The code of the agent's own choice: its likeliest action, the first among equals."""
        return int(self.actions[self.probabilities.argmax()])

    def cost(self, action: int) -> float:
        """How much less an action is worth than the agent's own choice; 0 if it is worth as much or more.

        Not than the action of the highest value, which among forty estimates owes its place to luck as well.

        Raises:
            ValueError: if the action is not legal.
        """
        places = np.flatnonzero(self.actions == action)
        if not places.size:
            raise ValueError(f"action {action} is not legal here")
        return max(0.0, float(self.values[self.probabilities.argmax()] - self.values[places[0]]))


def default_judge(match: Match) -> str | None:
    """`DEFAULT_JUDGE` if it plays a match, else None."""
    try:
        make(DEFAULT_JUDGE, match)
    except WeightsError:
        return None
    return DEFAULT_JUDGE


class Judge:
    """Judges positions by the values of an agent; knows what the mover knows and nothing else.

    An action's value is the mean over `worlds` deals of the cards that the mover can't see, the same ones for
    every action: the mover takes the action, the opponent replies as the agent would in their place, and then
    counts what the agent expects for the mover, or the margin if the round is over.

    Args:
        agent: whose values, probabilities and replies count.
        worlds: deals of the unseen cards, at least 1.
        seed: of the deals, which follow from it and what the mover sees.

    Raises:
        NoValuesError: if the agent has no values.
        ValueError: if `worlds` is not a positive integer, or the seed is out of range.
    """

    def __init__(self, agent: Agent, *, worlds: int = DEFAULT_WORLDS, seed: int = 0) -> None:
        if isinstance(worlds, bool) or not isinstance(worlds, (int, np.integer)) or worlds < 1:
            raise ValueError(f"worlds={worlds!r} is not a positive integer")
        self._seed = np.uint64(check_seed(seed))
        agent.values(np.empty((0, agent.observation_size), np.float32))  # raises if it has none
        self.agent = agent
        self._chooser = agent
        if isinstance(agent, PolicyAgent):
            self._chooser = PolicyAgent(agent.match, agent.policy, seed=agent.seed, sample=True)
        self._worlds = agent.match.new_states(int(worlds))

    def judge(self, game: Game) -> Judgement:
        """Judges the position of a game for its mover; the game stays as it is.

        Raises:
            ValueError: if the game is over, or not of the agent's match.
        """
        if game.match != self.agent.match:
            raise ValueError(f"the game is of {game.match}, the agent was made for {self.agent.match}")
        if game.over:
            raise ValueError("the game is over: there is nothing to judge")
        observations, masks = game.observation(game.mover)[None], game.action_mask()[None]
        actions = np.flatnonzero(masks[0])
        deal_worlds(observations[0], self._seed, self._worlds)
        return Judgement(
            value=float(self.agent.values(observations)[0]),
            actions=actions,
            probabilities=self._chooser.probabilities(observations, masks)[0, actions],
            values=self._margins_after(actions).mean(axis=1),
        )

    def _margins_after(self, actions: np.ndarray) -> np.ndarray:
        """The mover's final margin that the agent expects: float64 (actions, worlds)."""
        agent = self.agent
        size = len(actions) * len(self._worlds)
        games = np.empty(size + 1, self._worlds.dtype)
        observations = np.empty((size, agent.observation_size), np.float32)
        masks = np.empty((size, agent.match.variant.n_actions), np.int8)
        margins = np.empty(size)
        count = take_turns(self._worlds, actions, games, observations, masks, margins)
        replies = np.asarray(agent.act(observations[:count], masks[:count]), dtype=np.int64)
        after_replies = np.empty(count)
        going_on = take_replies(games[:count], replies, observations, after_replies)
        after_replies[np.isnan(after_replies)] = agent.values(observations[:going_on])
        margins[np.isnan(margins)] = after_replies
        return margins.reshape(len(actions), -1)
