"""The compiled kernels against the plain-Python reference; `python -m tests.differential` plays more."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lostcities_env.rules.match import Match
from lostcities_env.rules.state import TIE_RULES
from lostcities_env.rules.variant import VARIANTS, Variant
from tests.differential import DifferenceError, Pair, play_batch, play_match, random_decks
from tests.strategies import matches


@pytest.mark.parametrize("tie", TIE_RULES)
@pytest.mark.parametrize("name", VARIANTS)
def test_kernels_and_reference_agree_on_every_turn(name: str, tie: str) -> None:
    rng = random.Random(f"{name} {tie}")
    for rounds in (1, 2, 3):
        play_match(VARIANTS[name], rounds, tie, rng)


@settings(max_examples=200, deadline=None)
@given(match=matches(), seed=st.integers(0, 2**32))
def test_they_agree_on_custom_variants(match: Match, seed: int) -> None:
    play_match(match.variant, match.rounds, match.tie, random.Random(seed), max_turns=120)


def test_random_play_gets_everywhere() -> None:
    seen = sum((play_batch(seed) for seed in range(12)), Counter())
    for what in ("pile draws", "plays", "discards", "closed piles", "extra rounds", "drawn matches"):
        assert seen[what] > 0, what


@pytest.mark.parametrize("piles_close_at", [0, 1, 3])
def test_they_agree_when_the_piles_close(piles_close_at: int) -> None:
    variant = Variant("closing", n_colours=3, hand_size=3, piles_close_at=piles_close_at)
    for seed in range(4):
        play_match(variant, 1, "draw", random.Random(seed))


def test_a_difference_is_found_and_told() -> None:
    variant = VARIANTS["mini3"]
    pair = Pair(variant, 1, "draw", random_decks(variant, 1, random.Random(0)), first_player=0)
    pair.step(pair.legal()[0])
    pair.reference.piles[0].append(pair.reference.deck.pop())
    with pytest.raises(DifferenceError, match=r"observation differs at .*\n.*mini3.*\nafter: "):
        pair.compare()
