import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils import env_checker
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as wrappers

from lostcities_env.envs.single_agent import LostCitiesSingleAgentEnv
from lostcities_env.envs.vector import LostCitiesVectorEnv
from lostcities_env.rules.game import IllegalActionError
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import get_variant
from tests.envs.play import OPEN_PILES, FirstLegal, Illegal, an_illegal_action, choose


def choose_all(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.array([choose(mask, rng) for mask in masks])


@pytest.mark.parametrize("variant", ["standard", "mini1"])
class TestGymnasiumChecks:
    """Those of Gymnasium's checks that a vector environment can take, and the others by hand."""

    def test_reset(self, variant: str) -> None:
        envs: Any = gymnasium.make_vec("LostCities-v0", num_envs=3, variant=variant)
        env_checker.check_reset_seed_determinism(envs)
        env_checker.check_reset_options(envs)

    def test_returned_data_is_not_reused(self, variant: str) -> None:
        envs: Any = gymnasium.make_vec("LostCities-v0", variant=variant)
        env_checker.check_returned_data_not_reused(envs)

    def test_steps_are_determined_by_the_seed(self, variant: str) -> None:
        def run() -> list[Any]:
            envs = gymnasium.make_vec("LostCities-v0", num_envs=3, variant=variant)
            envs.action_space.seed(1)
            return [envs.reset(seed=2), *(envs.step(envs.action_space.sample()) for _ in range(30))]

        assert env_checker.data_equivalence(run(), run(), exact=True)


class TestMake:
    def test_make_vec_takes_the_native_environment(self) -> None:
        envs = gymnasium.make_vec("LostCities-v0", num_envs=3, variant="six", seat=1)
        assert isinstance(envs, LostCitiesVectorEnv)
        assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
        observations, infos = envs.reset(seed=1)
        assert envs.observation_space.contains(observations)
        assert infos["action_mask"].shape == (3, 840)
        np.testing.assert_array_equal(envs.action_masks(), infos["action_mask"])
        assert infos["seat"].tolist() == [1, 1, 1]

    def test_sync_vector_env_of_single_environments_works_too(self) -> None:
        envs = gymnasium.make_vec("LostCities-v0", num_envs=2, vectorization_mode="sync")
        _, infos = envs.reset(seed=1)
        envs.step(infos["action_mask"].argmax(axis=1))


@pytest.mark.parametrize(
    "kwargs",
    [
        {"variant": "mini3", "seat": 0, "observation": "recall"},
        {"variant": "mini3", "seat": 1, "reward": "dense", "rounds": 3},
        {"variant": "mini1", "seat": 1, "reward": "dense", "max_turns": 3},
        {"variant": "standard", "seat": 1, "reward": "win"},
    ],
)
def test_equals_single_environments(kwargs: dict[str, Any]) -> None:
    """Gymnasium's own vector environment over single environments is what every step must give."""
    opponent = FirstLegal(Match(get_variant(kwargs["variant"]), kwargs.get("rounds", 1)))
    n = 4

    def single() -> LostCitiesSingleAgentEnv:
        return LostCitiesSingleAgentEnv(opponent, **kwargs)

    native = LostCitiesVectorEnv(n, opponent, **kwargs)
    sync = SyncVectorEnv([single] * n, autoreset_mode=AutoresetMode.SAME_STEP)
    rng = np.random.default_rng(0)
    observations, infos = native.reset(seed=21)
    expected, expected_infos = sync.reset(seed=21)
    ended = 0
    for _ in range(120):
        np.testing.assert_array_equal(observations, expected)
        np.testing.assert_array_equal(infos["action_mask"], expected_infos["action_mask"])
        actions = choose_all(infos["action_mask"], rng)
        observations, *outcome, infos = native.step(actions)
        expected, *expected_outcome, expected_infos = sync.step(actions)
        for mine, theirs in zip(outcome, expected_outcome, strict=True):
            np.testing.assert_array_equal(mine, theirs)
            assert mine.dtype == theirs.dtype
        assert ("final_obs" in infos) == ("final_obs" in expected_infos)
        if "final_obs" in infos:
            _compare_final(infos, expected_infos)
            ended += infos["_final_info"].sum()
    assert ended > 4


def _compare_final(infos: dict[str, Any], expected: dict[str, Any]) -> None:
    np.testing.assert_array_equal(infos["_final_obs"], expected["_final_obs"])
    np.testing.assert_array_equal(infos["_final_info"], expected["_final_info"])
    final, wanted = infos["final_info"], expected["final_info"]
    for i in np.flatnonzero(infos["_final_info"]):
        np.testing.assert_array_equal(infos["final_obs"][i], expected["final_obs"][i])
        assert tuple(final["scores"][i]) == wanted["scores"][i]
        assert tuple(final["match_scores"][i]) == wanted["match_scores"][i]
        assert final["winner"][i] == wanted["winner"][i]
        assert final["seat"][i] == wanted["seat"][i]
        for player in range(2):
            breakdown = wanted["score_breakdown"][i][player].values()
            assert final["colour_scores"][i, player].tolist() == [colour["points"] for colour in breakdown]


class TestEpisodes:
    @pytest.mark.parametrize("reward", ["margin", "win", "dense"])
    def test_rewards_add_up_with_random_seats(self, reward: str) -> None:
        envs = LostCitiesVectorEnv(5, variant="mini2", reward=reward, rounds=2)
        rng = np.random.default_rng(1)
        _, infos = envs.reset(seed=3)
        totals = np.zeros(5)
        seats = np.zeros(2, dtype=int)
        for _ in range(150):
            _, rewards, terminated, _, infos = envs.step(choose_all(infos["action_mask"], rng))
            totals += rewards
            for i in np.flatnonzero(terminated):
                final = infos["final_info"]
                seat = final["seat"][i]
                margin = final["match_scores"][i, seat] - final["match_scores"][i, 1 - seat]
                assert totals[i] == (np.sign(margin) if reward == "win" else margin)
                totals[i] = 0
                seats[seat] += 1
        assert seats.min() > 20

    def test_truncation(self) -> None:
        envs = LostCitiesVectorEnv(2, variant=OPEN_PILES, max_turns=4, seat=0)
        _, infos = envs.reset(seed=1)
        for _ in range(2):
            _, rewards, terminated, truncated, infos = envs.step(infos["action_mask"].argmax(axis=1))
        assert truncated.all()
        assert not terminated.any()
        assert not rewards.any()
        assert (infos["final_info"]["winner"] == -1).all()
        np.testing.assert_array_equal(infos["final_info"]["scores"], infos["final_info"]["match_scores"])

    def test_samples_are_legal(self) -> None:
        envs = LostCitiesVectorEnv(3)
        envs.reset(seed=1)
        for _ in range(30):
            actions = envs.action_space.sample()
            assert actions in envs.action_space
            envs.step(actions)

    def test_a_list_of_seeds(self) -> None:
        envs = LostCitiesVectorEnv(3, FirstLegal(Match()), seat=0)
        by_number, _ = envs.reset(seed=6)
        by_list, _ = envs.reset(seed=[6, 7, 8])
        np.testing.assert_array_equal(by_number, by_list)


@pytest.mark.parametrize(
    "wrapper", [wrappers.RecordEpisodeStatistics, wrappers.DictInfoToList, wrappers.NormalizeReward]
)
def test_gymnasium_wrappers(wrapper: Any) -> None:
    envs = wrapper(LostCitiesVectorEnv(2, variant="mini1", seat=0))
    envs.reset(seed=1)
    ends = 0
    for _ in range(12):
        _, _, terminated, _, infos = envs.step(envs.action_space.sample())
        ends += terminated.sum()
        if wrapper is wrappers.DictInfoToList:
            for i in range(2):
                assert ("final_info" in infos[i]) == terminated[i]
    assert ends > 0


class TestBadInput:
    def test_one_bad_action_changes_no_game(self) -> None:
        envs = LostCitiesVectorEnv(3, variant="six")
        _, infos = envs.reset(seed=1)
        before = [envs.game(i).states.copy() for i in range(3)]
        actions = infos["action_mask"].argmax(axis=1)
        actions[1] = an_illegal_action(infos["action_mask"][1])
        with pytest.raises(IllegalActionError, match=r"game 1 of 3: .* is illegal for player"):
            envs.step(actions)
        for i in range(3):
            assert (envs.game(i).states == before[i]).all()

    def test_an_opponent_that_breaks_the_rules(self) -> None:
        envs = LostCitiesVectorEnv(2, Illegal(Match()), seat=1)
        with pytest.raises(IllegalActionError, match=r"game 0 of 2: .* is illegal for player 0"):
            envs.reset(seed=1)

    @pytest.mark.parametrize(
        ("actions", "error", "message"),
        [
            (np.zeros(2), TypeError, "must be integers"),
            (np.zeros(3, dtype=int), ValueError, r"must have shape \(2,\), got \(3,\)"),
            (np.array([600, 0]), IllegalActionError, r"action 600 is outside 0\.\.599"),
        ],
    )
    def test_bad_actions(self, actions: np.ndarray, error: type[Exception], message: str) -> None:
        envs = LostCitiesVectorEnv(2)
        envs.reset(seed=1)
        with pytest.raises(error, match=message):
            envs.step(actions)

    @pytest.mark.parametrize(
        ("kwargs", "message"),
        [
            ({"seed": [1]}, "1 seeds given for 2 games"),
            ({"seed": -1}, "seed -1 is outside"),
            ({"options": {"deck": []}}, "has no reset options, got deck"),
        ],
    )
    def test_bad_resets(self, kwargs: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            LostCitiesVectorEnv(2).reset(**kwargs)

    @pytest.mark.parametrize(
        ("kwargs", "message"),
        [
            ({"num_envs": 0}, "num_envs=0 is not a positive integer"),
            ({"observation": "full"}, "no observation mode 'full'"),
            ({"reward": "x"}, "no reward 'x'"),
            ({"seat": -1}, "seat=-1"),
            ({"render_mode": "x"}, "no render mode 'x'"),
            ({"max_turns": 1}, "before the learner's first turn"),
        ],
    )
    def test_bad_arguments(self, kwargs: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            LostCitiesVectorEnv(**kwargs)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))])
def test_copies_go_on_alike(copied: Any) -> None:
    envs = LostCitiesVectorEnv(2, variant="mini1")
    envs.reset(seed=1)
    other = copied(envs)
    for _ in range(20):
        actions = envs.action_masks().argmax(axis=1)
        mine, theirs = envs.step(actions), other.step(actions)
        for a, b in zip(mine[:4], theirs[:4], strict=True):
            np.testing.assert_array_equal(a, b)
    other.step(other.action_space.sample())


def test_render() -> None:
    envs = LostCitiesVectorEnv(2, render_mode="ansi", seat=0)
    envs.reset(seed=1)
    boards = envs.render()
    assert boards is not None
    assert ["player 1: 8 hidden" in board for board in boards] == [True, True]
    assert LostCitiesVectorEnv(1).render() is None
