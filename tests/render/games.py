"""Records of random games, for the tests of what shows them."""

import numpy as np

from lostcities_env.records import Record, Recorder
from lostcities_env.rules.actions import DECK
from lostcities_env.rules.game import Game

PILES = 0.15
"""How often a random player may draw from a pile too; more often, and the games get long."""


def random_record(
    variant: str = "standard",
    *,
    rounds: int = 1,
    turns: int = 10**6,
    seed: int = 1,
    players: tuple[str, str] = ("ann", "bob"),
) -> Record:
    """A game between two players who do anything that is legal, left unfinished after so many turns."""
    game, rng = Game(variant, rounds=rounds, seed=seed), np.random.default_rng(seed)
    recorder = Recorder(game, players, {"Event": "test"})
    for _ in range(turns):
        if game.over:
            break
        legal = np.flatnonzero(game.action_mask())
        if rng.random() > PILES:
            legal = legal[legal % (game.variant.n_colours + 1) == DECK]
        action = int(rng.choice(legal))
        recorder.add(action)
        game.step(action)
    return recorder.record
