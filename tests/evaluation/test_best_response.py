"""Values and best replies, against plain Python; tests/interop/test_openspiel.py compares with OpenSpiel."""

import copy
from dataclasses import asdict
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lostcities_env.evaluation.best_response import (
    best_response,
    check_profile,
    expected_margin,
    uniform_profile,
)
from lostcities_env.evaluation.game_tree import GameTree
from lostcities_env.rules.cards import all_cards
from lostcities_env.rules.variant import MINI_1, Variant
from tests.reference import ReferenceGame, ReferenceVariant

TWO_WAGERS = Variant("two wagers", 1, 1, 2, 2, 1, 1, 0, 0, 2)
"""Four cards, two of which are alike."""


@pytest.fixture(scope="module")
def tree() -> GameTree:
    return GameTree(MINI_1)


def random_profile(tree: GameTree, seed: int) -> np.ndarray:
    """Probabilities of every size, zeros too."""
    weights = np.random.default_rng(seed).exponential(size=tree.n_slots) ** 4
    sums = np.add.reduceat(weights, tree.first_slots[:-1])
    return weights / sums[tree.slot_states]


def margin_of_random_play(game: ReferenceGame) -> float:
    if game.over:
        first, second = game.scores()
        return first - second
    margins = []
    for action in game.legal_actions():
        after = copy.deepcopy(game)
        after.apply(action)
        margins.append(margin_of_random_play(after))
    return sum(margins) / len(margins)


@pytest.mark.parametrize("variant", [TWO_WAGERS, MINI_1], ids=lambda variant: variant.name)
def test_random_play_on_every_order_of_the_deck(variant: Variant) -> None:
    fields = asdict(variant)
    del fields["name"]
    reference = ReferenceVariant(**fields)
    decks = list(permutations(all_cards(variant)))
    mean = sum(margin_of_random_play(ReferenceGame(reference, [list(deck)])) for deck in decks) / len(decks)
    tree = GameTree(variant)
    assert expected_margin(tree, uniform_profile(tree)) == pytest.approx(mean, abs=1e-12)


@settings(max_examples=50)
@given(st.integers(0, 2**32), st.integers(0, 2**32), st.sampled_from([0, 1]))
def test_a_best_reply_gets_its_value_and_no_other_gets_more(
    tree: GameTree, seed: int, other_seed: int, player: int
) -> None:
    profile = random_profile(tree, seed)
    value, reply = best_response(tree, profile, player)
    sign = 1 if player == 0 else -1
    own = tree.slot_players == player
    assert (reply[~own] == profile[~own]).all()
    assert set(reply[own]) <= {0.0, 1.0}
    assert sign * expected_margin(tree, reply) == pytest.approx(value, abs=1e-12)
    other = np.where(own, random_profile(tree, other_seed), profile)
    assert sign * expected_margin(tree, other) <= value + 1e-12
    assert best_response(tree, other, player)[0] == value, "the own part doesn't matter"


@given(st.integers(0, 2**32), st.sampled_from([0, 1]), st.data())
def test_changing_a_best_reply_anywhere_gains_nothing(
    tree: GameTree, seed: int, player: int, data: st.DataObject
) -> None:
    value, reply = best_response(tree, random_profile(tree, seed), player)
    own = np.flatnonzero(tree.slot_players == player)
    slot = data.draw(st.sampled_from(list(own)))
    state = tree.slot_states[slot]
    reply[tree.first_slots[state] : tree.first_slots[state + 1]] = 0
    reply[slot] = 1
    sign = 1 if player == 0 else -1
    assert sign * expected_margin(tree, reply) <= value + 1e-12


def test_what_is_no_profile(tree: GameTree) -> None:
    profile = uniform_profile(tree)
    with pytest.raises(ValueError, match=rf"has shape \({tree.n_slots},\), got \(3,\)"):
        check_profile(tree, np.ones(3))
    wrong = profile.copy()
    wrong[tree.first_slots[5]] += 0.5
    with pytest.raises(ValueError, match="no probabilities at information state 5: "):
        expected_margin(tree, wrong)
    wrong = profile.copy()
    wrong[tree.first_slots[7]] -= 2
    wrong[tree.first_slots[7] + 1] += 2
    with pytest.raises(ValueError, match="no probabilities at information state 7: "):
        best_response(tree, wrong, 0)
    wrong[0] = np.nan
    with pytest.raises(ValueError, match="no probabilities at information state 0: "):
        best_response(tree, wrong, 0)
