"""What chance decides, outcome by outcome: for walks of the game tree that take every one of them.

Chance decides both hands, then each card drawn from the deck at the moment it is drawn. Equal cards are
identical and a hand has no order, so a hand is dealt card by card in the order of the codes: no deal comes
about in two ways. A round is played on a record whose deck is a wrong guess until `draw_next` corrects it.
"""

from collections.abc import Iterator, Sequence
from math import comb
from typing import NamedTuple

import numpy as np

from lostcities_env.rules.cards import all_cards
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.state import State
from lostcities_env.rules.variant import Variant


class Deal(NamedTuple):
    """Both hands, sorted, and how likely they are to be dealt."""

    hands: tuple[tuple[int, ...], tuple[int, ...]]
    chance: float


def card_counts(variant: Variant) -> list[int]:
    """How many cards of each code the game has: (n_card_types,)."""
    return [int(count) for count in np.bincount(all_cards(variant), minlength=variant.n_card_types)]


def next_card_chances(pool: Sequence[int], hand: Sequence[int], size: int) -> dict[int, float]:
    """How likely each card is to be the next of a hand that is dealt in the order of the codes.

    Args:
        pool: cards of each code before the hand was dealt.
        hand: the cards dealt so far, ascending; fewer than `size`.
        size: cards of the whole hand.
    """
    to_come = size - len(hand)
    last = hand[-1] if hand else 0
    held = sum(card == last for card in hand)
    above = sum(pool[last + 1 :])
    # In how many ways the hand can go on, for each next card; what is common to all is left out.
    ways = {}
    more = range(held + 1, pool[last] + 1)
    ways[last] = sum(
        comb(pool[last], n) * comb(above, to_come - (n - held)) for n in more if n - held <= to_come
    )
    for card in range(last + 1, len(pool)):
        from_here, above = above, above - pool[card]
        ways[card] = comb(pool[last], held) * (comb(from_here, to_come) - comb(above, to_come))
    total = sum(ways.values())
    return {card: count / total for card, count in ways.items() if count}


def deals(variant: Variant) -> Iterator[Deal]:
    """Every deal of a round once."""
    pool = card_counts(variant)
    for first, chance in _hands(pool, (), variant.hand_size):
        left = [count - first.count(card) for card, count in enumerate(pool)]
        for second, then in _hands(left, (), variant.hand_size):
            yield Deal((first, second), chance * then)


def _hands(pool: Sequence[int], hand: tuple[int, ...], size: int) -> Iterator[tuple[tuple[int, ...], float]]:
    if len(hand) == size:
        yield hand, 1.0
        return
    for card, chance in next_card_chances(pool, hand, size).items():
        for whole, then in _hands(pool, (*hand, card), size):
            yield whole, chance * then


def deck_of(variant: Variant, hands: Sequence[Sequence[int]]) -> list[int]:
    """A deck, first dealt card first, that deals these hands; the other cards follow in order."""
    left = card_counts(variant)
    dealt = [card for pair in zip(*hands, strict=True) for card in pair]
    for card in dealt:
        left[card] -= 1
    return dealt + [card for card, count in enumerate(left) for _ in range(count)]


@kernel
def count_deck(state: State, counts: np.ndarray) -> int:
    """Counts the cards left in the deck by code into `counts` (n_card_types,); returns how many there are."""
    counts[:] = 0
    for place in range(state.deck_next, state.n_cards):
        counts[state.deck[place]] += 1
    return state.n_cards - state.deck_next


@kernel
def draw_next(state: State, card: int) -> None:
    """Makes `card`, which must be in the deck, the next to be drawn."""
    place = int(state.deck_next)
    while state.deck[place] != card:
        place += 1
    state.deck[place] = state.deck[state.deck_next]
    state.deck[state.deck_next] = card


@kernel
def count_deck_at(states: np.ndarray, i: int, counts: np.ndarray) -> int:
    """`count_deck` in game i."""
    return count_deck(states[i], counts)


@kernel
def draw_next_at(states: np.ndarray, i: int, card: int) -> None:
    """`draw_next` in game i."""
    draw_next(states[i], card)
