"""What only a critic may see: the opponent's hand and the order of the deck, by colour.

The critic is asked during training and never when playing, so it may know what no player knows
("asymmetric actor-critic", Pinto et al., 2018). Knowing the luck to come, it takes it out of the advantages.
"""

import numpy as np

from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.state import extends
from lostcities_env.rules.variant import Variant

PRIVILEGED_PLANES = (
    "opponent_hand",
    "opponent_playable",
    "own_draws",
    "own_draw_times",
    "opponent_draws",
    "opponent_draw_times",
)
"""The features of a colour that have one value a rank, in order.

Who draws which card of the deck is told as if nobody drew from a pile; a time is the number of cards that
the deck has from this card on.
"""

_CARDS = 50.0


def n_privileged_features(variant: Variant) -> int:
    """How many such features a colour has."""
    return len(PRIVILEGED_PLANES) * variant.n_ranks


@kernel
def write_privileged(states: np.ndarray, out: np.ndarray) -> None:
    """Writes what the movers may not see.

    Args:
        states: `STATE` (games,).
        out: float32 (games, n_colours, n_privileged_features).
    """
    for i in range(states.shape[0]):
        state = states[i]
        opponent = 1 - state.mover
        n_ranks = int(state.n_ranks)
        out[i] = 0.0
        for colour in range(state.n_colours):
            for rank in range(n_ranks):
                held = state.hands[opponent, colour * n_ranks + rank]
                out[i, colour, rank] = held
                if extends(state, opponent, colour, rank):
                    out[i, colour, n_ranks + rank] = held
        for position in range(state.deck_next, state.n_cards):
            card = int(state.deck[position])
            colour = card // n_ranks
            drawer = (position - state.deck_next) % 2
            place = (2 + 2 * drawer) * n_ranks + card - colour * n_ranks
            out[i, colour, place] += 1.0
            out[i, colour, place + n_ranks] += (state.n_cards - position) / _CARDS
