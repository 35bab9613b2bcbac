"""How learned policies play: what they choose, with which probabilities, and what they expect."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lostcities_env.agents import NoValuesError, make
from lostcities_env.agents.networks import NETWORKS
from lostcities_env.agents.policy import Policy
from lostcities_env.agents.policy_agent import PolicyAgent
from lostcities_env.agents.safetensors_file import WeightsError
from lostcities_env.cli import main
from lostcities_env.evaluation import evaluate
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import (
    FULL,
    OBSERVATION_MODES,
    observation_blocks,
    observation_size,
    write_observation,
)
from lostcities_env.rules.variant import Variant
from tests.agents.positions import STANDARD, deal, midgame, step, variants, views
from tests.agents.test_policy import SHAPE, TINY, policy_of_noise


@pytest.fixture(scope="module")
def table() -> np.ndarray:
    """A hundred standard games in progress."""
    return midgame(STANDARD, 100, 5, make("random"), 60)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "policy.safetensors"


def softmax(logits: np.ndarray, mask: np.ndarray) -> np.ndarray:
    weights = np.where(mask, np.exp(logits - logits[mask == 1].max()), 0)
    return weights / weights.sum()


@pytest.mark.parametrize("observation", OBSERVATION_MODES)
class TestChoice:
    def test_is_the_likeliest_legal_action(self, observation: str, table: np.ndarray) -> None:
        policy = policy_of_noise(observation=observation)
        rows, masks = views(STANDARD, table)
        logits = policy.logits(rows)
        expected = np.where(masks, logits, -np.inf).argmax(axis=1)
        assert (expected != logits.argmax(axis=1)).any(), "the mask matters"
        np.testing.assert_array_equal(PolicyAgent(STANDARD, policy).act(rows, masks), expected)

    def test_is_a_sample_of_the_softmax(self, observation: str) -> None:
        policy = policy_of_noise(TINY, observation, scale=0.7)
        rows, masks = views(TINY, deal(TINY, 1, seed=2))
        agent = PolicyAgent(TINY, policy, sample=True)
        counts = np.zeros(TINY.variant.n_actions)
        for seed in range(4000):
            agent.reset(seed)
            counts[agent.act(rows, masks)] += 1
        expected = softmax(policy.logits(rows)[0], masks[0])
        assert 0.2 < expected.max() < 0.8, "a sample worth testing"
        np.testing.assert_allclose(counts / 4000, expected, atol=0.03)
        assert not counts[masks[0] == 0].any()

    def test_depends_on_the_observation_of_its_mode_alone(self, observation: str, table: np.ndarray) -> None:
        agent = PolicyAgent(STANDARD, policy_of_noise(observation=observation))
        rows, masks = views(STANDARD, table)
        changed = rows.copy()
        changed[:, observation_size(STANDARD, "visible") :] = 0
        same = agent.act(changed, masks) == agent.act(rows, masks)
        assert same.all() == (observation == "visible")


@pytest.mark.parametrize("sample", [False, True])
class TestBatch:
    def test_order_and_size_do_not_matter(self, sample: bool, table: np.ndarray) -> None:
        agent = PolicyAgent(STANDARD, policy_of_noise(), seed=3, sample=sample)
        rows, masks = views(STANDARD, table)
        together = agent.act(rows, masks)
        order = np.random.default_rng(0).permutation(len(rows))
        np.testing.assert_array_equal(agent.act(rows[order], masks[order]), together[order])
        for i in range(0, len(rows), 5):
            assert agent.act(rows[i : i + 1], masks[i : i + 1]) == together[i]

    def test_may_be_the_first_part_of_full_observations(self, sample: bool, table: np.ndarray) -> None:
        agent = PolicyAgent(STANDARD, policy_of_noise(), sample=sample)
        rows, masks = views(STANDARD, table)
        full = np.zeros((len(table), observation_size(STANDARD, "full")), np.float32)
        for i, state in enumerate(table):
            write_observation(state, state["mover"], FULL, full[i])
        wide_masks = np.repeat(masks, 2, axis=1)[:, ::2]
        actions = agent.act(full[:, : agent.observation_size], wide_masks)
        np.testing.assert_array_equal(actions, agent.act(rows, masks))

    def test_is_left_as_it_was(self, sample: bool) -> None:
        match = Match(rounds=3)
        agent = PolicyAgent(match, policy_of_noise(), sample=sample)
        rows, masks = views(match, deal(match, 5, seed=1))
        before = rows.copy(), masks.copy()
        agent.act(rows, masks)
        np.testing.assert_array_equal(rows, before[0])
        np.testing.assert_array_equal(masks, before[1])

    def test_may_be_empty(self, sample: bool) -> None:
        agent = PolicyAgent(STANDARD, policy_of_noise(), sample=sample)
        rows = np.zeros((0, agent.observation_size), np.float32)
        assert agent.act(rows, np.zeros((0, 600), np.int8)).shape == (0,)

    def test_of_the_wrong_kind_is_refused(self, sample: bool) -> None:
        agent = PolicyAgent(STANDARD, policy_of_noise(observation="visible"), sample=sample)
        rows = np.zeros((1, observation_size(STANDARD, "visible")), np.float32)
        with pytest.raises(
            ValueError, match=r"observations must have shape \(1, \d+\) for variant 'standard'"
        ):
            agent.act(rows, np.zeros((1, 600), np.int8))


@pytest.mark.parametrize("name", ["champion", "scratch"])
def test_logits_and_values_do_not_depend_on_the_batch_to_the_last_bit(name: str) -> None:
    agent = make(name)
    assert isinstance(agent, PolicyAgent)
    observations, _ = views(STANDARD, midgame(STANDARD, 700, 5, make("threshold"), 25))
    whole = agent.policy.logits(observations)
    order = np.random.default_rng(0).permutation(700)
    assert np.array_equal(agent.policy.logits(observations[order]), whole[order])
    parts = [agent.policy.logits(observations[k : k + 37]) for k in range(0, 700, 37)]
    assert np.array_equal(np.concatenate(parts), whole)
    values = [agent.values(observations[k : k + 1]) for k in range(20)]
    assert np.array_equal(np.concatenate(values), agent.values(observations)[:20])


def test_the_seed_matters_to_samples_alone(table: np.ndarray) -> None:
    policy, batch = policy_of_noise(), views(STANDARD, table)
    for sample in (False, True):
        first, second = (PolicyAgent(STANDARD, policy, seed=k, sample=sample).act(*batch) for k in (1, 2))
        assert (first != second).any() == sample


class TestLegality:
    @settings(max_examples=30)
    @given(
        variants(),
        st.integers(1, 3),
        st.integers(1, 3),
        st.sampled_from(OBSERVATION_MODES),
        st.booleans(),
        st.integers(0, 2**64 - 10),
    )
    def test_every_choice_is_legal(
        self, variant: Variant, trained: int, played: int, observation: str, sample: bool, seed: int
    ) -> None:
        match = Match(variant, played)
        policy = policy_of_noise(Match(variant, trained), observation, seed=seed)
        agent = PolicyAgent(match, policy, seed=seed, sample=sample)
        states = deal(match, 3, seed)
        for _ in range(60):
            if not len(states):
                break
            step(states, agent.act(*views(match, states)))  # asserts that they are legal
            states = states[states["match_over"] == 0]

    @pytest.mark.parametrize("sample", [False, True])
    @pytest.mark.filterwarnings("ignore::RuntimeWarning")
    def test_even_if_the_network_overflows(self, sample: bool, table: np.ndarray) -> None:
        policy = policy_of_noise(scale=1e30)
        rows, masks = views(STANDARD, table)
        assert not np.isfinite(policy.logits(rows)).any()
        actions = PolicyAgent(STANDARD, policy, sample=sample).act(rows, masks)
        assert masks[np.arange(len(rows)), actions].all()


class TestMoreRoundsThanTrained:
    blocks = {block.name: block.slice for block in observation_blocks(Match(rounds=3), "recall")}  # noqa: RUF012

    def batch(self) -> tuple[np.ndarray, np.ndarray]:
        """The first turns of rounds, two to come after them, the mover well ahead."""
        match = Match(rounds=3)
        rows, masks = views(match, deal(match, 100, seed=4))
        rows[:, self.blocks["match_margin"]] = 1.5
        assert (rows[:, self.blocks["rounds_left"]] == 2).all()
        return rows, masks

    @pytest.mark.parametrize(
        ("trained", "rounds_left", "margin"), [(1, 0, 0), (2, 1, 1.5), (3, 2, 1.5), (9, 2, 1.5)]
    )
    def test_it_sees_its_own_last_rounds(self, trained: int, rounds_left: float, margin: float) -> None:
        policy = policy_of_noise(Match(rounds=trained))
        for name in ("rounds_left", "match_margin"):  # so that they matter
            policy.tensors["layers.0.weight"][:, self.blocks[name]] *= 20
        rows, masks = self.batch()
        actions = PolicyAgent(Match(rounds=3), policy).act(rows, masks)
        unchanged = np.where(masks, policy.logits(rows), -np.inf).argmax(axis=1)
        rows[:, self.blocks["rounds_left"]] = rounds_left
        rows[:, self.blocks["match_margin"]] = margin
        expected = np.where(masks, policy.logits(rows), -np.inf).argmax(axis=1)
        np.testing.assert_array_equal(actions, expected)
        assert (actions != unchanged).any() == (trained < 3)

    @pytest.mark.parametrize("observation", OBSERVATION_MODES)
    def test_it_plays_a_match_from_a_file(self, path: Path, observation: str) -> None:
        policy_of_noise(TINY, observation).write(path)
        result = evaluate(str(path), "random", variant="mini3", rounds=3, pairs=20, seed=1)
        assert result.matches.wins + result.matches.draws + result.matches.losses == 40
        assert result.rounds.wins + result.rounds.draws + result.rounds.losses == 120


class TestEvaluation:
    def test_twice_gives_the_same_bytes(self, path: Path) -> None:
        policy_of_noise(TINY).write(path)
        first, second = (
            json.dumps(evaluate(str(path), "random", variant="mini3", pairs=50, seed=1).to_dict())
            for _ in range(2)
        )
        assert first == second

    def test_a_file_plays_as_the_policy_that_was_written(self, path: Path) -> None:
        policy = policy_of_noise(TINY)
        policy.write(path)
        loaded = evaluate(str(path), "random", variant="mini3", pairs=50, seed=1)
        direct = evaluate(PolicyAgent(TINY, policy), "random", variant="mini3", pairs=50, seed=1)
        assert loaded.figures == direct.figures
        assert loaded.margin == direct.margin

    def test_sampling_with_a_seed_is_repeatable(self) -> None:
        agent = PolicyAgent(TINY, policy_of_noise(TINY, scale=0.3), sample=True)
        first, second = (evaluate(agent, agent, variant="mini3", pairs=50, seed=1) for _ in range(2))
        assert first.to_dict() == second.to_dict()

    def test_on_the_command_line(self, capsys: pytest.CaptureFixture[str], path: Path) -> None:
        policy_of_noise(TINY).write(path)
        assert main(["evaluate", str(path), "random", "--variant", "mini3", "--pairs", "5"]) == 0
        assert str(path) in capsys.readouterr().out


class TestProbabilities:
    def test_samples_come_as_often_as_it_says(self) -> None:
        rows, masks = views(TINY, deal(TINY, 3, seed=2))
        agent = PolicyAgent(TINY, policy_of_noise(TINY), sample=True, seed=5)
        said = agent.probabilities(rows, masks)
        assert (said[masks == 0] == 0).all()
        n = 4000
        counted = super(PolicyAgent, agent).probabilities(rows, masks, samples=n)
        assert agent.seed == 5
        assert (np.abs(counted - said) <= 5 * np.sqrt(said * (1 - said) / n) + 1e-9).all()

    def test_the_likeliest_action_is_certain(self) -> None:
        rows, masks = views(TINY, deal(TINY, 10, seed=2))
        agent = PolicyAgent(TINY, policy_of_noise(TINY))
        said = agent.probabilities(rows, masks)
        assert (said[np.arange(10), agent.act(rows, masks)] == 1).all()
        assert said.sum() == 10


class TestValues:
    blocks = {block.name: block.slice for block in observation_blocks(Match(rounds=3), "recall")}  # noqa: RUF012

    def test_are_the_margin_now_and_the_margin_to_come(self, table: np.ndarray) -> None:
        rows, _ = views(STANDARD, table)
        policy = policy_of_noise(points_per_value=20)
        values = PolicyAgent(STANDARD, policy).values(rows)
        movers = table["mover"]
        games = np.arange(len(table))
        margins = (table["scores"][games, movers] - table["scores"][games, 1 - movers]).astype(np.float64)
        assert np.ptp(margins) > 20
        assert values.dtype == np.float64
        np.testing.assert_allclose(values - margins, policy.margins_to_come(rows), atol=1e-9)
        network = NETWORKS["mlp"](STANDARD, "recall", SHAPE)
        np.testing.assert_allclose(values - margins, 20 * network.values(policy.tensors, rows), rtol=1e-4)

    def test_are_those_of_the_round_in_a_match(self) -> None:
        match = Match(rounds=3)
        rows, _ = views(match, deal(match, 20, seed=4))
        agent = PolicyAgent(match, policy_of_noise(match, points_per_value=20))
        expected = agent.values(rows)
        for name, value in (("rounds_left", 1), ("match_margin", 0.7)):
            changed = rows.copy()
            changed[:, self.blocks[name]] = value
            before = changed.copy()
            np.testing.assert_array_equal(agent.values(changed), expected)
            np.testing.assert_array_equal(changed, before)

    def test_are_kept_in_the_file(self, path: Path, table: np.ndarray) -> None:
        rows, _ = views(STANDARD, table)
        policy = policy_of_noise(points_per_value=12.5)
        policy.write(path)
        loaded = PolicyAgent.load(path, STANDARD)
        assert loaded.policy.points_per_value == 12.5
        np.testing.assert_array_equal(loaded.values(rows), PolicyAgent(STANDARD, policy).values(rows))

    @pytest.mark.parametrize(
        ("value", "why"), [(False, "kept without them"), (True, "does not say how many points")]
    )
    def test_a_policy_may_have_none(self, path: Path, value: bool, why: str) -> None:
        policy_of_noise(TINY, value=value).write(path)
        agent = PolicyAgent.load(path, TINY)
        with pytest.raises(NoValuesError, match=f"this policy has no values: .*{why}"):
            agent.values(views(TINY, deal(TINY, 1, seed=1))[0])

    def test_half_a_value_is_refused(self) -> None:
        policy = policy_of_noise(TINY, value=True)
        del policy.tensors["value_out.bias"]  # type: ignore[attr-defined]
        with pytest.raises(WeightsError, match=r"tensors not there: \['value_out.bias'\]"):
            Policy(TINY, "recall", "mlp", SHAPE, policy.tensors)

    def test_observations_are_checked(self) -> None:
        agent = PolicyAgent(TINY, policy_of_noise(TINY, points_per_value=1))
        with pytest.raises(ValueError, match="observations must be a NumPy array of float32, got float64"):
            agent.values(np.zeros((1, agent.observation_size)))
