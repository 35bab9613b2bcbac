"""The native Stable-Baselines3 `VecEnv`."""

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")

from lostcities_env.agents.features import Features
from lostcities_env.envs.vector import LostCitiesVectorEnv
from lostcities_env.rules.game import Game
from training.sb3_vec_env import SelfPlayVecEnv

SCALE = 0.05


def make_env(num_envs: int = 3, **kwargs: object) -> SelfPlayVecEnv:
    games = LostCitiesVectorEnv(num_envs, "random", observation="recall", reward="dense", **kwargs)  # type: ignore[arg-type]
    return SelfPlayVecEnv(games, reward_scale=SCALE)


def first_legal(env: SelfPlayVecEnv) -> np.ndarray:
    return np.stack(env.env_method("action_masks")).argmax(axis=1)


def test_the_seed_deals_what_it_deals_everywhere() -> None:
    env = make_env(variant="standard", seat=0)
    env.seed(7)
    observations = env.reset()
    assert isinstance(observations, np.ndarray)
    for i in range(3):
        assert (observations[i] == Game(seed=7 + i).observation(0)).all()


def test_masks_are_those_of_the_learner_to_move() -> None:
    env = make_env()
    env.seed(7)
    env.reset()
    env.step(first_legal(env))
    masks = env.env_method("action_masks")
    for i in range(3):
        assert (masks[i] == env.envs.game(i).action_mask()).all()
    assert len(env.env_method("action_masks", indices=[1])) == 1
    with pytest.raises(AttributeError, match="no method 'fly'; there is 'action_masks'"):
        env.env_method("fly")


def test_rewards_add_up_to_the_learners_margin() -> None:
    env = make_env(num_envs=2, seat=1)
    env.seed(3)
    env.reset()
    total = np.zeros(2)
    finished: dict[int, float] = {}
    while len(finished) < 2:
        _, rewards, ended, infos = env.step(first_legal(env))
        total += rewards
        for i in np.flatnonzero(ended):
            assert infos[i]["terminal_observation"].shape == env.observation_space.shape
            assert not infos[i]["TimeLimit.truncated"]
            finished.setdefault(int(i), infos[i]["episode"]["r"])
            assert total[i] == pytest.approx(SCALE * infos[i]["episode"]["r"], abs=1e-4)
            own, theirs = infos[i]["terminal_observation"][362:364] * 100
            assert infos[i]["episode"]["r"] == pytest.approx(own - theirs)
            total[i] = 0


def test_truncated_games_say_so() -> None:
    env = make_env(num_envs=1, seat=0, max_turns=4)
    env.seed(3)
    env.reset()
    env.step(first_legal(env))
    _, _, ended, infos = env.step(first_legal(env))
    assert ended[0]
    assert infos[0]["TimeLimit.truncated"]


def test_features_in_place_of_observations() -> None:
    games = LostCitiesVectorEnv(2, "random", observation="recall", reward="dense")
    features = Features(games.game(0).match)
    env = SelfPlayVecEnv(games, features=features)
    env.seed(1)
    seen = env.reset()
    assert isinstance(seen, np.ndarray)
    assert seen.shape == (2, features.size)
    assert (seen[0] == features.flat(games.game(0).observation(games.game(0).mover)[None])[0]).all()


def test_a_snapshot_goes_on_as_the_original_did() -> None:
    env = make_env(variant="mini3")
    env.seed(5)
    env.reset()
    for _ in range(4):
        env.step(first_legal(env))
    snapshot = env.get_state()

    def play() -> list[np.ndarray]:
        steps = []
        for _ in range(9):
            observations, rewards, ended, _ = env.step(first_legal(env))
            steps.append(np.concatenate([np.ravel(np.asarray(observations)), rewards, ended]))
        return steps

    first = play()
    env.set_state(snapshot)
    for before, again in zip(first, play(), strict=True):
        assert (before == again).all()
