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

from lostcities_env.agents.base import observation_key
from lostcities_env.interop.openspiel import LostCitiesGame, LostCitiesState
from lostcities_env.rules.chance import card_counts
from lostcities_env.rules.game import Game
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import read_observation_at

_ON_THE_TABLE = ("deck_next", "hands", "known", "expeditions", "pile_size", "piles", "turn", "mover")
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
    row = np.ascontiguousarray(observation)
    seen = match.new_states(1)
    read_observation_at(row, seen, 0)
    table = Game(match.variant, seed=0)
    record = table.states
    for name in (*_ON_THE_TABLE, *_DERIVED):
        record[name] = seen[name]
    record["starter"] = seen["turn"] % 2
    (state,) = record
    unseen = np.array(card_counts(match.variant))
    for counts in (*state["hands"], *state["expeditions"]):
        unseen -= counts[: unseen.size]
    for colour in range(match.variant.n_colours):
        ranks = state["piles"][colour, : state["pile_size"][colour]]
        np.subtract.at(unseen, colour * match.variant.n_ranks + ranks.astype(np.int64), 1)
    generator = np.random.default_rng(int(observation_key(row, np.uint64(seed))))
    cards = generator.permutation(np.repeat(np.arange(unseen.size), unseen))
    in_deck = int(state["n_cards"] - state["deck_next"])
    hand, deck = np.split(cards, [cards.size - in_deck])
    np.add.at(state["hands"][1], hand, 1)
    state["deck"][state["deck_next"] : state["n_cards"]] = deck
    return game.state_at(table)
