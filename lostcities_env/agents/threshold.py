"""*threshold*: opens a colour when its cards in hand are worth enough, then plays without leaving gaps.

A published heuristic, re-derived from its description. One turn:

1. **Play on an opened expedition.** The candidate of each is the lowest number held that goes on it, if
   it skips at most two ranks. Any skip will do once the playable numbers held in the colour fill the
   turns left, ``(deck + 1) / 2`` rounded down. The smallest skip wins. (On an expedition that shows only
   wagers, the lowest number skips the ranks below it.) An expedition that shows only wagers takes
   another wager first, as long as rule 2 would still lead with one.
2. **Or open a colour:** the one with the largest sum of numbers in hand, if that is at least 18, or 24
   when the deck is under 20. It leads with a wager if one is held, the sum is 6 above the bar or more,
   and the deck is over 20; else with the lowest number.
3. **Or discard** the card of the least worth to both players together. Worth to oneself, on an opened
   colour: 6 + its number if it can be played, 0 if it can't; on an unopened one: a quarter of the sum of
   the colour's numbers in hand, + 3 for a wager. Worth to the opponent, on a colour that they have
   opened: 5 + its number if they could play it, 0 if not; on an unopened one: a third of its number.
   The number of a wager is 0.
4. **Draw** the top of a pile that goes on an opened expedition, as it now is, skipping at most one rank;
   the smallest skip wins. Else draw from the deck.

Ties go to the first colour in order and, within it, the lowest rank. The numbers above are those of the
standard game. Elsewhere 18, 24 and 6 scale with the cost of an expedition, and 20 with the deck.
"""

import numpy as np

from lostcities_env.agents.base import KernelAgent
from lostcities_env.rules.actions import DECK, DISCARD, PLAY, encode_action
from lostcities_env.rules.cards import WAGER
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.observation import read_observation
from lostcities_env.rules.state import State, extends, face_value
from lostcities_env.rules.variant import STANDARD

# As multiples of an expedition's cost.
OPENING_BAR = 18 / STANDARD.expedition_cost
LATE_OPENING_BAR = 24 / STANDARD.expedition_cost
WAGER_MARGIN = 6 / STANDARD.expedition_cost
LATE = 20 / STANDARD.deck_size
"""The late game begins when less than this share of the deck is left."""
MOST_SKIPPED = 2
MOST_SKIPPED_BY_DRAW = 1

_NO_CARD = -1
_TOLERANCE = 1e-9
"""Sums of thirds and quarters that differ by less are equal."""


@kernel
def _held_sum(state: State, colour: int) -> int:
    total = 0
    for rank in range(state.n_ranks):
        if state.hands[0, colour * state.n_ranks + rank] > 0:
            total += face_value(state, rank)
    return total


@kernel
def _deck_left(state: State) -> int:
    return state.n_cards - state.deck_next


@kernel
def _opening_bar(state: State) -> float:
    late = _deck_left(state) < LATE * (state.n_cards - 2 * state.hand_size)
    return (LATE_OPENING_BAR if late else OPENING_BAR) * state.expedition_cost


@kernel
def _leads_with_wager(state: State, colour: int) -> bool:
    early = _deck_left(state) > LATE * (state.n_cards - 2 * state.hand_size)
    wanted = _opening_bar(state) + WAGER_MARGIN * state.expedition_cost
    has_wager = state.hands[0, colour * state.n_ranks + WAGER] > 0
    return has_wager and early and _held_sum(state, colour) >= wanted - _TOLERANCE


@kernel
def _skipped(state: State, colour: int, rank: int) -> int:
    """Ranks that a card leaves out between the top of an own expedition and itself."""
    return max(rank - state.top[0, colour] - 1, 0)


@kernel
def _card_to_play(state: State) -> int:
    """Rule 1."""
    chosen, chosen_skip = _NO_CARD, int(state.n_ranks)
    for colour in range(state.n_colours):
        if state.length[0, colour] == 0:
            continue
        base = colour * int(state.n_ranks)
        if state.top[0, colour] == WAGER and _leads_with_wager(state, colour):
            return base + WAGER
        lowest, held = _NO_CARD, 0
        for rank in range(state.n_ranks - 1, WAGER, -1):
            if state.hands[0, base + rank] > 0 and extends(state, 0, colour, rank):
                lowest = rank
                held += 1
        if lowest == _NO_CARD:
            continue
        skip = _skipped(state, colour, lowest)
        fills_turns = held >= (_deck_left(state) + 1) // 2
        if skip < chosen_skip and (skip <= MOST_SKIPPED or fills_turns):
            chosen, chosen_skip = base + lowest, skip
    return chosen


@kernel
def _card_to_open_with(state: State) -> int:
    """Rule 2."""
    best, best_sum = _NO_CARD, 0
    for colour in range(state.n_colours):
        total = _held_sum(state, colour)
        if state.length[0, colour] == 0 and total > best_sum:
            best, best_sum = colour, total
    if best == _NO_CARD or best_sum < _opening_bar(state) - _TOLERANCE:
        return _NO_CARD
    base = best * int(state.n_ranks)
    if _leads_with_wager(state, best):
        return base + WAGER
    rank = WAGER + 1
    while state.hands[0, base + rank] == 0:
        rank += 1
    return base + rank


@kernel
def _worth(state: State, colour: int, rank: int) -> float:
    """Rule 3: what a card in hand is worth to both."""
    number = face_value(state, rank)
    if state.length[0, colour] == 0:
        own = _held_sum(state, colour) / 4 + (3 if rank == WAGER else 0)
    else:
        own = 6.0 + number if extends(state, 0, colour, rank) else 0.0
    if state.length[1, colour] == 0:
        return own + number / 3
    return own + (5.0 + number if extends(state, 1, colour, rank) else 0.0)


@kernel
def _card_to_discard(state: State) -> int:
    """Rule 3."""
    least, least_worth = _NO_CARD, np.inf
    for colour in range(state.n_colours):
        for rank in range(state.n_ranks):
            card = colour * int(state.n_ranks) + rank
            if state.hands[0, card] > 0:
                worth = _worth(state, colour, rank)
                if worth < least_worth - _TOLERANCE:
                    least, least_worth = card, worth
    return least


@kernel
def _source(state: State, mask: np.ndarray, card: int, way: int) -> int:
    """Rule 4; the mask says which piles may be drawn from."""
    best, least_skip = DECK, MOST_SKIPPED_BY_DRAW + 1
    for colour in range(state.n_colours):
        if not mask[encode_action(card, way, 1 + colour, state.n_colours)] or state.length[0, colour] == 0:
            continue
        rank = int(state.piles[colour, state.pile_size[colour] - 1])
        if extends(state, 0, colour, rank) and _skipped(state, colour, rank) < least_skip:
            best, least_skip = 1 + colour, _skipped(state, colour, rank)
    return best


@kernel
def _choose(state: State, mask: np.ndarray) -> int:
    card, way = _card_to_play(state), PLAY
    if card == _NO_CARD:
        card = _card_to_open_with(state)
    if card == _NO_CARD:
        card, way = _card_to_discard(state), DISCARD
    else:
        colour = card // int(state.n_ranks)
        state.top[0, colour] = card - colour * int(state.n_ranks)
        state.length[0, colour] += 1
    return encode_action(card, way, _source(state, mask, card, way), state.n_colours)


@kernel
def _choose_all(
    observations: np.ndarray, masks: np.ndarray, seed: np.uint64, blank: np.ndarray, actions: np.ndarray
) -> None:
    state = blank.copy()[0]
    for i in range(observations.shape[0]):
        read_observation(observations[i], state)
        actions[i] = _choose(state, masks[i])


class ThresholdAgent(KernelAgent):
    """Opens a colour when its cards in hand are worth enough, then avoids gaps."""

    choose_all = staticmethod(_choose_all)
