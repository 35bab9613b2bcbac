import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from lostcities_env.agents import make
from lostcities_env.agents.unseen import count_unseen, sample_unseen
from lostcities_env.rules.generator import seed_words
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import read_observation_at
from lostcities_env.rules.variant import Variant
from tests.agents.positions import midgame, variants, views


@njit  # not cached: no one would notice that the package has changed
def count_unseen_at(states: np.ndarray, i: int, counts: np.ndarray) -> int:
    return count_unseen(states[i], counts)


@settings(max_examples=30, deadline=None)
@given(variants(), st.integers(0, 1000))
def test_unseen_are_the_deck_and_the_unknown_hand(variant: Variant, seed: int) -> None:
    match = Match(variant)
    states = midgame(match, 3, seed, make("random", match), 30)
    rows, _ = views(match, states)
    seen = match.new_states(len(states))
    n_types = variant.n_card_types
    for i, state in enumerate(states):
        read_observation_at(rows[i], seen, i)
        counts = np.empty(n_types, np.int64)
        total = count_unseen_at(seen, i, counts)
        opponent = 1 - state["mover"]
        hidden = (state["hands"] - state["known"])[opponent, :n_types].astype(np.int64)
        deck = state["deck"][state["deck_next"] : variant.n_cards]
        np.testing.assert_array_equal(counts, hidden + np.bincount(deck, minlength=n_types))
        assert total == counts.sum()


class TestSampling:
    counts = np.array([3, 0, 1, 1, 2], np.int64)

    def sample(self, seed: int, wanted: int) -> list[int]:
        words, bag = np.empty(4, np.uint64), np.empty(7, np.int64)
        seed_words(np.uint64(seed), words)
        drawn = sample_unseen(self.counts, 5, words, bag, wanted)
        return bag[:drawn].tolist()

    def test_draws_each_card_once(self) -> None:
        assert sorted(self.sample(1, 7)) == [0, 0, 0, 2, 3, 4, 4]
        assert sorted(self.sample(1, 100)) == [0, 0, 0, 2, 3, 4, 4]
        assert self.sample(1, 0) == []

    def test_each_card_is_equally_likely_at_each_place(self) -> None:
        samples = np.array([self.sample(seed, 3) for seed in range(4000)])
        for place in range(3):
            share = np.bincount(samples[:, place], minlength=5) / 4000
            np.testing.assert_allclose(share, self.counts / 7, atol=0.035)
