"""What a critic sees beyond the players: the true hand of the opponent and the true order of the deck."""

import numpy as np
import pytest

from lostcities_env.rules.cards import parse_card
from lostcities_env.rules.game import Game
from training.privileged import PRIVILEGED_PLANES, n_privileged_features, write_privileged


@pytest.mark.parametrize("turns", [0, 1, 30])
def test_it_is_the_truth(turns: int) -> None:
    game = Game(seed=5)
    for turn in range(turns):
        game.step(int(np.flatnonzero(game.action_mask())[turn % 7]))
    variant = game.variant
    out = np.empty((1, variant.n_colours, n_privileged_features(variant)), np.float32)
    write_privileged(game.states, out)
    planes = dict(
        zip(PRIVILEGED_PLANES, out[0].reshape(variant.n_colours, 6, -1).swapaxes(0, 1), strict=True)
    )

    def count(cards: list[str]) -> np.ndarray:
        counts = np.zeros(variant.n_card_types)
        for card in cards:
            counts[parse_card(variant, card)] += 1
        return counts.reshape(variant.n_colours, variant.n_ranks)

    opponent = 1 - game.mover
    deck = game.deck()
    assert (planes["opponent_hand"] == count(game.hand(opponent))).all()
    assert (planes["opponent_playable"] <= planes["opponent_hand"]).all()
    assert (planes["own_draws"] == count(deck[0::2])).all()
    assert (planes["opponent_draws"] == count(deck[1::2])).all()
    next_colour, next_rank = divmod(parse_card(variant, deck[0]), variant.n_ranks)
    assert planes["own_draw_times"][next_colour, next_rank] >= len(deck) / 50
