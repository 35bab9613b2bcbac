"""The cards that a player can't place: in the deck, or in the opponent's hand without having been seen.

To the player every way of dealing them is equally likely (how the opponent has played says more, but
that is not counted here).
"""

import numpy as np

from lostcities_env.rules.cards import WAGER
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.generator import next_below
from lostcities_env.rules.state import State


@kernel
def count_unseen(state: State, counts: np.ndarray) -> int:
    """Counts the cards unseen by player 0 of a record from `read_observation`.

    Fills `counts` (n_card_types,) by card code; returns how many there are in all.
    """
    n_ranks = int(state.n_ranks)
    total = int(state.n_cards)
    card = 0
    for colour in range(state.n_colours):
        for rank in range(n_ranks):
            seen = state.hands[0, card] + state.hands[1, card]
            seen += state.expeditions[0, card] + state.expeditions[1, card]
            counts[card] = (state.n_wagers if rank == WAGER else 1) - seen
            total -= seen
            card += 1
        for position in range(state.pile_size[colour]):
            counts[colour * n_ranks + state.piles[colour, position]] -= 1
        total -= state.pile_size[colour]
    return total


@kernel
def sample_unseen(counts: np.ndarray, n_types: int, words: np.ndarray, bag: np.ndarray, wanted: int) -> int:
    """Draws up to `wanted` unseen cards, each once; returns how many.

    Args:
        counts: (n_types,) as from `count_unseen`.
        words: the generator, which advances.
        bag: room for every unseen card; the drawn ones come first.
    """
    size = 0
    for card in range(n_types):
        for _ in range(counts[card]):
            bag[size] = card
            size += 1
    drawn = min(wanted, size)
    for k in range(drawn):
        other = k + next_below(words, size - k)
        card = bag[k]
        bag[k] = bag[other]
        bag[other] = card
    return drawn
