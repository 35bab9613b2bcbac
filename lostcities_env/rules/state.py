"""The state record of a game and the compiled kernels on it; with `rounds.py` the home of every rule.

A game is one record of the structured dtype `STATE`; many games are an array of them. The record says
which variant and match it plays, so a kernel needs nothing else. Kernels ending in ``_at`` take an array
of games and an index (the fast way in from Python); the others take one record and are called by kernels.

Source: the printed rules (see `variant.py`). Ambiguities and how they are settled:

- *Nothing is revealed between the two halves of a turn*, so putting a card down and drawing are one action.
- *The card just discarded* may not be drawn back; it is the top of its pile, so that pile is closed for
  this draw. After *playing* a colour its pile may be drawn from.
- *The round ends at once* when the deck's last card is drawn; hands count for nothing.
- *A wager known to be in a hand*: the wagers of a colour look alike, so after one is put down the
  opponent only knows of one fewer.
"""

from typing import Any

import numpy as np

from lostcities_env.rules.actions import DECK, PLAY, decode_action
from lostcities_env.rules.cards import WAGER
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.variant import MAX_COLOURS, MAX_NUMBERS, MAX_WAGERS
from lostcities_env.rules.words import ONE, WORD_BYTES, store_word, trailing_zeros

MAX_RANKS = 1 + MAX_NUMBERS
MAX_CARD_TYPES = MAX_COLOURS * MAX_RANKS
MAX_CARDS_PER_COLOUR = MAX_WAGERS + MAX_NUMBERS
MAX_CARDS = MAX_COLOURS * MAX_CARDS_PER_COLOUR
MAX_ROUNDS = 9
EMPTY = -1
"""`top` of an expedition without a card."""
NEVER = -1
"""`piles_close_at` of a game whose piles stay open."""
TIE_RULES = ("draw", "extra_round", "best_expedition")
TIE_EXTRA_ROUND, TIE_BEST_EXPEDITION = 1, 2

STATE = np.dtype(
    [
        # What is played: constant during a match.
        ("n_colours", np.int16),
        ("n_ranks", np.int16),
        ("lowest", np.int16),
        ("n_wagers", np.int16),
        ("hand_size", np.int16),
        ("expedition_cost", np.int16),
        ("bonus_length", np.int16),
        ("bonus", np.int16),
        ("piles_close_at", np.int16),
        ("n_cards", np.int16),
        ("rounds", np.int16),
        ("tie_rule", np.int16),
        # The match.
        ("generator", np.uint64, (4,)),
        ("round", np.int16),
        ("starter", np.int16),
        ("match_over", np.int16),
        ("winner", np.int16),  # -1 while undecided and for a draw
        ("match_scores", np.int32, (2,)),  # of the finished rounds
        ("round_scores", np.int16, (MAX_ROUNDS + 1, 2)),  # one row a finished round
        ("best_expedition", np.int16, (2,)),  # over the finished rounds
        # The round.
        ("mover", np.int16),
        ("turn", np.int32),  # turns taken in the round
        ("round_over", np.int16),
        ("deck_next", np.int16),  # index into `deck` of the next card
        ("deck", np.int8, (MAX_CARDS,)),
        ("hands", np.int8, (2, MAX_CARD_TYPES)),  # counts by card code
        ("known", np.int8, (2, MAX_CARD_TYPES)),  # cards of the hand that the opponent has seen
        ("expeditions", np.int8, (2, MAX_CARD_TYPES)),  # counts by card code
        ("pile_size", np.int8, (MAX_COLOURS,)),
        ("piles", np.int8, (MAX_COLOURS, MAX_CARDS_PER_COLOUR)),  # ranks, the top last
        # What follows from the expeditions, kept up to date.
        ("top", np.int8, (2, MAX_COLOURS)),  # highest rank, EMPTY without a card
        ("length", np.int8, (2, MAX_COLOURS)),
        ("total", np.int16, (2, MAX_COLOURS)),  # sum of the numbers
        ("colour_scores", np.int16, (2, MAX_COLOURS)),
        ("scores", np.int16, (2,)),
    ],
    align=True,
)
HEADER = STATE.names[: STATE.names.index("generator")]  # type: ignore[index, union-attr]
"""The fields that say what is played."""

State = Any
"""One record of dtype `STATE`, as a kernel sees it."""

LEGAL = 0
NOT_IN_HAND, TOO_LOW, PILE_EMPTY, OWN_DISCARD, PILES_CLOSED, MATCH_OVER = range(1, 7)
"""Why `legality` refuses an action."""


@kernel
def face_value(state: State, rank: int) -> int:
    """The number on a card; 0 for a wager."""
    return 0 if rank == WAGER else state.lowest + rank - 1


@kernel
def earns_bonus(state: State, length: float) -> bool:
    """Whether an expedition of so many cards earns the bonus."""
    return 0 < state.bonus_length <= length


@kernel
def points(state: State, total: float, wagers: float, length: float) -> Any:
    """Points of an expedition of `length` cards, `wagers` of them wagers, whose numbers sum to `total`.

    Whole numbers give a whole number; an agent may also ask for expected cards.
    """
    if length == 0:
        return 0
    score = (total - state.expedition_cost) * (1 + wagers)
    if earns_bonus(state, length):
        score += state.bonus
    return score


@kernel
def expedition_score(state: State, player: int, colour: int) -> int:
    """Points of one expedition."""
    wagers = state.expeditions[player, colour * state.n_ranks + WAGER]
    return points(state, state.total[player, colour], wagers, state.length[player, colour])


@kernel
def rises(top: int, rank: int) -> bool:
    """Whether a card goes on an expedition whose highest rank is `top`: higher, or a wager on wagers."""
    return rank > top or (rank == WAGER and top == WAGER)


@kernel
def extends(state: State, player: int, colour: int, rank: int) -> bool:
    """Whether a card may be played on the player's expedition: higher, or a wager before any number."""
    return rises(state.top[player, colour], rank)


@kernel
def piles_open(state: State) -> bool:
    """Whether discard piles may still be drawn from in this round."""
    return state.piles_close_at == NEVER or state.turn < state.piles_close_at


@kernel
def legality(state: State, action: int) -> int:
    """`LEGAL`, or why the mover may not take `action` (a code in range)."""
    if state.match_over:
        return MATCH_OVER
    card, way, source = decode_action(action, state.n_colours)
    colour = card // state.n_ranks
    if state.hands[state.mover, card] == 0:
        return NOT_IN_HAND
    if way == PLAY and not extends(state, state.mover, colour, card - colour * state.n_ranks):
        return TOO_LOW
    if source == DECK:
        return LEGAL
    if not piles_open(state):
        return PILES_CLOSED
    if way != PLAY and source == 1 + colour:
        return OWN_DISCARD
    return LEGAL if state.pile_size[source - 1] > 0 else PILE_EMPTY


@kernel
def write_mask(state: State, mask: np.ndarray) -> None:
    """Writes the mover's legal actions into `mask` (n_actions,) as 0 and 1; all 0 after the end."""
    mask[:] = 0
    if state.match_over:
        return
    n_colours = int(state.n_colours)
    n_sources = n_colours + 1
    n_ranks = int(state.n_ranks)
    mover = int(state.mover)
    # The sources of one placement are neighbours in the mask: byte s of a word is source s.
    open_sources = ONE
    if piles_open(state):
        for k in range(n_colours):
            if state.pile_size[k] > 0:
                open_sources |= ONE << np.uint64(8 * (k + 1))
    held = np.uint64(0)
    for card in range(MAX_CARD_TYPES):
        held |= np.uint64(state.hands[mover, card] > 0) << np.uint64(card)
    while held:
        card = trailing_zeros(held)
        held &= held - ONE
        colour = card // n_ranks
        base = card * 2 * n_sources
        if extends(state, mover, colour, card - colour * n_ranks):
            _write_sources(mask, base, n_sources, open_sources)
        other_sources = open_sources & ~(ONE << np.uint64(8 * (colour + 1)))
        _write_sources(mask, base + n_sources, n_sources, other_sources)


@kernel
def _write_sources(mask: np.ndarray, base: int, n_sources: int, sources: np.uint64) -> None:
    """Writes a placement's sources; the bytes beyond belong to later placements, written later."""
    if base + WORD_BYTES <= mask.shape[0]:
        store_word(mask, base, sources)
    else:
        for source in range(n_sources):
            mask[base + source] = (sources >> np.uint64(8 * source)) & ONE


@kernel
def apply(state: State, action: int) -> int:
    """Takes a legal action; returns how much the mover's score changed.

    At the end of the round sets `round_over`; `finish_round` must follow.
    """
    card, way, source = decode_action(action, state.n_colours)
    colour = card // state.n_ranks
    rank = card - colour * state.n_ranks
    mover = state.mover
    gain = 0
    state.hands[mover, card] -= 1
    if state.known[mover, card] > 0:
        state.known[mover, card] -= 1
    if way == PLAY:
        gain = _put_on_expedition(state, mover, colour, rank)
    else:
        state.piles[colour, state.pile_size[colour]] = rank
        state.pile_size[colour] += 1
    if source == DECK:
        drawn = np.int64(state.deck[state.deck_next])
        state.deck_next += 1
    else:
        pile = source - 1
        state.pile_size[pile] -= 1
        drawn = pile * np.int64(state.n_ranks) + state.piles[pile, state.pile_size[pile]]
        state.known[mover, drawn] += 1
    state.hands[mover, drawn] += 1
    state.turn += 1
    state.mover = 1 - mover
    state.round_over = state.deck_next == state.n_cards
    return gain


@kernel
def _put_on_expedition(state: State, player: int, colour: int, rank: int) -> int:
    state.expeditions[player, colour * state.n_ranks + rank] += 1
    state.top[player, colour] = rank
    state.length[player, colour] += 1
    state.total[player, colour] += face_value(state, rank)
    score = expedition_score(state, player, colour)
    gain = score - state.colour_scores[player, colour]
    state.colour_scores[player, colour] = score
    state.scores[player] += gain
    return gain


@kernel
def derive_scores(state: State) -> None:
    """Works out from the cards of the expeditions all that the state keeps about them."""
    for player in range(2):
        state.scores[player] = 0
        for colour in range(state.n_colours):
            base = colour * np.int64(state.n_ranks)
            wagers = state.expeditions[player, base + WAGER]
            top = EMPTY if wagers == 0 else WAGER
            length = wagers
            total = 0
            for rank in range(1, state.n_ranks):
                if state.expeditions[player, base + rank] > 0:
                    top = rank
                    length += 1
                    total += face_value(state, rank)
            state.top[player, colour] = top
            state.length[player, colour] = length
            state.total[player, colour] = total
            state.colour_scores[player, colour] = expedition_score(state, player, colour)
            state.scores[player] += state.colour_scores[player, colour]


@kernel
def derive_scores_at(states: np.ndarray, i: int) -> None:
    """`derive_scores` in game i."""
    derive_scores(states[i])


@kernel
def legality_at(states: np.ndarray, i: int, action: int) -> int:
    """`legality` in game i."""
    return legality(states[i], action)


@kernel
def write_mask_at(states: np.ndarray, i: int, mask: np.ndarray) -> None:
    """`write_mask` in game i."""
    write_mask(states[i], mask)
