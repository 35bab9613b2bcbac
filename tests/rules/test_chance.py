"""Deals and draws, against what counting every order of the cards says."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lostcities_env.rules.cards import all_cards, check_deck, format_card
from lostcities_env.rules.chance import (
    card_counts,
    count_deck_at,
    deals,
    deck_of,
    draw_next_at,
    next_card_chances,
)
from lostcities_env.rules.game import Game
from lostcities_env.rules.variant import VARIANTS, Variant

WAGERS = Variant("wagers", 2, 1, 1, 2, 2, 1, 0, 0, 2)
"""Six cards, two pairs of which are alike."""


@pytest.mark.parametrize("variant", [WAGERS, VARIANTS["mini1"]], ids=lambda variant: variant.name)
def test_deals_are_as_likely_as_orders_of_the_deck_that_lead_to_them(variant: Variant) -> None:
    counts: Counter[tuple[tuple[int, ...], ...]] = Counter()
    for deck in permutations(all_cards(variant)):
        dealt = deck[: 2 * variant.hand_size]
        counts[tuple(sorted(dealt[0::2])), tuple(sorted(dealt[1::2]))] += 1
    found = list(deals(variant))
    assert len(found) == len(counts)
    for hands, chance in found:
        assert chance == pytest.approx(counts[hands] / counts.total())


@given(st.lists(st.integers(0, 3), min_size=2, max_size=5), st.data())
def test_a_hand_is_dealt_in_the_order_of_the_codes(pool: list[int], data: st.DataObject) -> None:
    cards = [card for card, count in enumerate(pool) for _ in range(count)]
    size = data.draw(st.integers(0, len(cards)).filter(bool)) if cards else 0
    hand: list[int] = []
    while len(hand) < size:
        chances = next_card_chances(pool, hand, size)
        assert sum(chances.values()) == pytest.approx(1)
        assert min(chances) >= max(hand, default=0)
        hand.append(data.draw(st.sampled_from(list(chances))))
    assert all(hand.count(card) <= pool[card] for card in hand)


def test_a_deck_deals_the_hands_that_it_is_made_for() -> None:
    for hands, _ in deals(WAGERS):
        deck = deck_of(WAGERS, hands)
        check_deck(WAGERS, deck)
        game = Game(WAGERS, deck=[format_card(WAGERS, card) for card in deck])
        for player in range(2):
            assert game.hand(player) == [format_card(WAGERS, card) for card in hands[player]]


@given(st.integers(0, 2**64 - 1), st.data())
def test_any_card_of_the_deck_can_be_the_next(seed: int, data: st.DataObject) -> None:
    game = Game(seed=seed)
    before = game.deck()
    counts = np.empty(game.variant.n_card_types, dtype=np.int64)
    assert count_deck_at(game.states, 0, counts) == 44
    card = data.draw(st.sampled_from(list(np.flatnonzero(counts))))
    draw_next_at(game.states, 0, int(card))
    after = game.deck()
    assert after[0] == format_card(game.variant, int(card))
    assert sorted(after) == sorted(before)
    assert Counter(before) == {format_card(game.variant, k): n for k, n in enumerate(counts) if n}


def test_the_cards_of_the_standard_game() -> None:
    counts = card_counts(VARIANTS["standard"])
    assert counts == 5 * [3, *9 * [1]]
