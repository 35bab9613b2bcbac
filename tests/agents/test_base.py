"""What holds for every agent of the package."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lostcities_env.agents import make, shipped
from lostcities_env.agents.base import Agent, observation_key
from lostcities_env.rules import state as kernels
from lostcities_env.rules.game import IllegalActionError
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import FULL, observation_size, write_observation_at
from lostcities_env.rules.variant import VARIANTS, Variant
from tests.agents.positions import (
    BASELINES,
    STANDARD,
    deal,
    midgame,
    shuffle_unseen,
    step,
    variants,
    views,
)

LEARNED = [name for name in shipped.names() if ("standard", False) in shipped.files(name)]
PLAY_STANDARD = (*BASELINES, *LEARNED)
"""Learned policies know a variant or two, the baselines any; so all are asked about the standard game."""


@pytest.fixture(scope="module")
def table() -> np.ndarray:
    """Two hundred standard games in progress, with recycled piles and long expeditions."""
    parts = [midgame(STANDARD, 100, 5, make(name), 60) for name in ("random", "projection")]
    return np.concatenate(parts)


class TestLegality:
    @settings(max_examples=40, deadline=None)
    @given(variants(), st.integers(1, 3), st.integers(0, 2**64 - 10))
    @pytest.mark.parametrize("name", BASELINES)
    def test_every_choice_is_legal(self, name: str, variant: Variant, rounds: int, seed: int) -> None:
        match = Match(variant, rounds)
        agent = make(name, match, seed=seed)
        states = deal(match, 3, seed)
        for _ in range(150):
            if not len(states):
                break
            actions = agent.act(*views(match, states))
            assert actions.dtype == np.int64
            assert actions.shape == (len(states),)
            step(states, actions)  # asserts that they are legal
            states = states[states["match_over"] == 0]

    @pytest.mark.parametrize("variant", VARIANTS)
    @pytest.mark.parametrize("name", BASELINES)
    def test_plays_matches_of_named_variants_to_the_end(self, name: str, variant: str) -> None:
        match = Match(VARIANTS[variant], 3)
        agent = make(name, match)
        states = deal(match, 4, seed=1)
        while len(states):
            step(states, agent.act(*views(match, states)))
            states = states[states["match_over"] == 0]


@pytest.mark.parametrize("name", PLAY_STANDARD)
class TestChoiceDependsOnSeedAndObservationAlone:
    def test_not_on_the_batch(self, name: str, table: np.ndarray) -> None:
        agent = make(name, seed=3)
        rows, masks = views(STANDARD, table)
        together = agent.act(rows, masks)
        order = np.random.default_rng(0).permutation(len(rows))
        np.testing.assert_array_equal(agent.act(rows[order], masks[order]), together[order])
        for i in range(0, len(rows), 10):
            assert agent.act(rows[i : i + 1], masks[i : i + 1]) == together[i]

    def test_not_on_what_was_asked_before(self, name: str, table: np.ndarray) -> None:
        agent = make(name, seed=3)
        batch = views(STANDARD, table)
        np.testing.assert_array_equal(agent.act(*batch), agent.act(*batch))

    def test_not_on_hidden_cards(self, name: str, table: np.ndarray) -> None:
        agent = make(name, seed=3)
        shuffled = shuffle_unseen(table, np.random.default_rng(1))
        assert (shuffled["deck"] != table["deck"]).any()
        assert (shuffled["hands"] != table["hands"]).any()
        before, after = views(STANDARD, table), views(STANDARD, shuffled)
        np.testing.assert_array_equal(agent.act(*after), agent.act(*before))

    def test_reset_is_a_new_agent(self, name: str, table: np.ndarray) -> None:
        agent = make(name, seed=3)
        agent.reset(4)
        batch = views(STANDARD, table)
        np.testing.assert_array_equal(agent.act(*batch), make(name, seed=4).act(*batch))


@pytest.mark.parametrize(
    ("name", "has_chance"), [(name, name in ("random", "projection")) for name in PLAY_STANDARD]
)
def test_seed_matters_where_there_is_chance(name: str, has_chance: bool, table: np.ndarray) -> None:
    batch = views(STANDARD, table)
    changed = make(name, seed=1).act(*batch) != make(name, seed=2).act(*batch)
    assert changed.any() == has_chance


@pytest.mark.parametrize("name", PLAY_STANDARD)
class TestBatch:
    def test_may_be_empty(self, name: str) -> None:
        agent = make(name)
        rows = np.zeros((0, agent.observation_size), np.float32)
        assert agent.act(rows, np.zeros((0, 600), np.int8)).shape == (0,)

    def test_is_left_as_it_was(self, name: str, table: np.ndarray) -> None:
        rows, masks = views(STANDARD, table)
        before = rows.copy(), masks.copy()
        make(name).act(rows, masks)
        np.testing.assert_array_equal(rows, before[0])
        np.testing.assert_array_equal(masks, before[1])

    def test_may_be_the_first_part_of_full_observations(self, name: str, table: np.ndarray) -> None:
        agent = make(name)
        rows, masks = views(STANDARD, table)
        full = np.zeros((len(table), observation_size(STANDARD, "full")), np.float32)
        for i in range(len(table)):
            write_observation_at(table, i, table[i]["mover"], FULL, full[i])
        view = full[:, : agent.observation_size]
        assert not view.flags.c_contiguous
        np.testing.assert_array_equal(agent.act(view, masks), agent.act(rows, masks))

    @pytest.mark.parametrize(
        ("rows", "masks", "message"),
        [
            (
                np.zeros((2, 5), np.float32),
                np.zeros((2, 600), np.int8),
                r"observations must have shape \(2, \d+\)",
            ),
            (None, None, "action_masks must be a NumPy array of int8, got NoneType"),
            (None, np.zeros((2, 599), np.int8), r"action_masks must have shape \(2, 600\).*got \(2, 599\)"),
            (None, np.zeros((3, 600), np.int8), r"action_masks must have shape \(2, 600\).*got \(3, 600\)"),
            (None, np.zeros((2, 600), bool), "action_masks must be a NumPy array of int8, got bool"),
            (np.zeros((2, 5)), None, "observations must be a NumPy array of float32, got float64"),
            ([[0.0]], None, "observations must be a NumPy array of float32, got list"),
        ],
    )
    def test_of_the_wrong_kind_is_refused(
        self, name: str, rows: np.ndarray | None, masks: np.ndarray | None, message: str
    ) -> None:
        agent = make(name)
        if rows is None:
            rows = np.zeros((2, agent.observation_size), np.float32)
        with pytest.raises(ValueError, match=message):
            agent.act(rows, masks)  # type: ignore[arg-type]


@pytest.mark.parametrize(("seed", "error"), [(-1, ValueError), (2**64, ValueError), (1.0, TypeError)])
def test_a_bad_seed_is_refused(seed: int, error: type[Exception]) -> None:
    with pytest.raises(error, match="seed"):
        make("random", seed=seed)
    with pytest.raises(error, match="seed"):
        make("random").reset(seed)


class TestObservationKey:
    def test_depends_on_every_value_its_place_and_the_seed(self) -> None:
        row = np.zeros(8, np.float32)
        keys = {int(observation_key(row, np.uint64(seed))) for seed in range(3)}
        for place in range(8):
            for value in (1.0, 2.0, 0.5):
                row[:] = 0
                row[place] = value
                keys.add(int(observation_key(row, np.uint64(0))))
        assert len(keys) == 3 + 8 * 3

    def test_is_spread_over_all_bits(self) -> None:
        row = np.zeros(4, np.float32)
        keys = np.array([observation_key(row, np.uint64(seed)) for seed in range(2000)], np.uint64)
        ones = [(keys >> np.uint64(bit) & np.uint64(1)).mean() for bit in range(64)]
        np.testing.assert_allclose(ones, 0.5, atol=0.05)


def test_kernels_refuse_nothing_that_a_mask_allows(table: np.ndarray) -> None:
    """The masks that the tests hand out are those of the rules."""
    _, masks = views(STANDARD, table[:5])
    for i in range(5):
        for action in range(600):
            assert masks[i, action] == (kernels.legality_at(table[:5], i, action) == kernels.LEGAL)


class Moody(Agent):
    """Takes the first or the last legal action, as its seed is even or odd."""

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        if self.seed % 2 == 0:
            return action_masks.argmax(axis=1)
        return action_masks.shape[1] - 1 - action_masks[:, ::-1].argmax(axis=1)


class Lost(Agent):
    """Takes an action that does not exist."""

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        return np.full(len(observations), action_masks.shape[1])


class TestProbabilities:
    def test_choices_are_counted_over_seeds(self) -> None:
        rows, masks = views(STANDARD, deal(STANDARD, 3, seed=1))
        agent = Moody(STANDARD, seed=2**64 - 1)
        said = agent.probabilities(rows, masks, samples=4)
        for row, mask in zip(said, masks, strict=True):
            first, *_, last = np.flatnonzero(mask)
            assert (row[first], row[last], row.sum()) == (0.5, 0.5, 1)
        assert agent.seed == 2**64 - 1, "as it was"

    def test_an_action_that_does_not_exist(self) -> None:
        rows, masks = views(STANDARD, deal(STANDARD, 2, seed=1))
        with pytest.raises(
            IllegalActionError, match=r"Lost\.act must return 2 actions from 0 to 599, got array"
        ):
            Lost(STANDARD).probabilities(rows, masks)
