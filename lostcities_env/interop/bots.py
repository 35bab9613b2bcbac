"""OpenSpiel's bots as players of this project.

A bot (``step(state)``) is handed a state of `openspiel.LostCitiesGame`, which holds everything: the
opponent's hand and the order of the deck too. So it never gets the state of the game that it plays, but one
made from its observation: what the player knows is as it is, and what it cannot know is dealt at random. A
bot that looks at the hidden cards, or searches the state as if it were the truth, learns nothing from it.

Each move is asked for by itself, with a state whose history begins at that position (``restart_at``, then
``step``). The player is always player 0 of it. In a match each round is a state of its own.
"""

from typing import Any

import numpy as np

from lostcities_env.analysis.worlds import deal_worlds
from lostcities_env.interop.openspiel import LostCitiesGame, LostCitiesState
from lostcities_env.rules.game import Game
from lostcities_env.rules.match import Match

_ON_THE_TABLE = ("deck", "deck_next", "hands", "known", "expeditions", "pile_size", "piles", "turn", "mover")
_DERIVED = ("top", "length", "total", "colour_scores", "scores")


class BotPlayer:
    """A bot as a function of one game's observation and mask.

    Args:
        bot: an object with ``step(state)`` and ``restart_at(state)``.
        match: what is played.
        seed: of the cards that the bot cannot know.

    Raises:
        ValueError: if OpenSpiel cannot play the variant.
    """

    def __init__(self, bot: Any, match: Match, seed: int) -> None:
        self._bot = bot
        self._match = match
        self._seed = seed
        self._game = LostCitiesGame({"variant": match.variant.name})
        if self._game.match.variant != match.variant:
            raise ValueError(f"OpenSpiel knows variants by name: {match.variant.name!r} is another one there")

    def __call__(self, observation: np.ndarray, action_mask: np.ndarray) -> Any:
        """What the bot answers."""
        state = possible_state(self._game, observation, self._match, self._seed)
        self._bot.restart_at(state)
        return self._bot.step(state)


def possible_state(game: LostCitiesGame, observation: np.ndarray, match: Match, seed: int) -> LostCitiesState:
    """A state that looks to player 0, who is to move, as the observation says.

    Args:
        game: of the variant.
        observation: float32 (observation_size,), *recall*, of a round of the match.
        match: what is played.
        seed: with the observation, decides the cards that the player cannot know.
    """
    world = match.new_states(1)
    deal_worlds(np.ascontiguousarray(observation), np.uint64(seed), world)
    table = Game(match.variant, seed=0)
    for name in (*_ON_THE_TABLE, *_DERIVED):
        table.states[name] = world[name]
    table.states["starter"] = world["turn"] % 2
    return game.state_at(table)
