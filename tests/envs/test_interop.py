"""Masked play through other libraries' own adapters."""

import warnings

import pytest

from lostcities_env import lost_cities_v0
from lostcities_env.envs.single_agent import LostCitiesSingleAgentEnv


@pytest.mark.interop
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_torchrl_rollout() -> None:
    """A random policy that obeys the masks, to the end of the game."""
    torchrl = pytest.importorskip("torchrl.envs.libs.pettingzoo")
    raw = lost_cities_v0.raw_env(variant="mini3")
    env = torchrl.PettingZooWrapper(raw, use_mask=True)
    env.set_seed(1)
    rollout = env.rollout(100)
    assert rollout["next", "done"].flatten().nonzero().tolist() == [[len(rollout) - 1]]
    assert raw.game.over
    first, second = raw.game.match_scores
    assert rollout["next", "player_0", "reward"].sum() == first - second
    assert rollout["next", "player_1", "reward"].sum() == second - first


@pytest.mark.slow
def test_maskable_ppo_learns_a_step() -> None:
    sb3_contrib = pytest.importorskip("sb3_contrib")
    env = LostCitiesSingleAgentEnv(variant="mini3")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = sb3_contrib.MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=32, n_epochs=1, seed=1)
        model.learn(32)  # an action that the masks forbid would raise
    observation, _ = env.reset(seed=1)
    action, _ = model.predict(observation, action_masks=env.action_masks(), deterministic=True)
    env.step(action)
