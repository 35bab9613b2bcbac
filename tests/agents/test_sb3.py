"""Policies saved by Stable-Baselines3: refused without consent, and played as they would play themselves."""

import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, DQN, PPO

from lostcities_env.agents import GuestError, make
from lostcities_env.agents.features import Features
from lostcities_env.agents.guests import TrustWarning
from lostcities_env.envs.batch import BatchGames
from lostcities_env.envs.vector import LostCitiesVectorEnv
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import observation_size
from lostcities_env.rules.variant import VARIANTS
from training.sb3_maskable_ppo import Config, make_model
from training.sb3_vec_env import SelfPlayVecEnv

MATCH = Match(VARIANTS["mini3"])
pytestmark = pytest.mark.filterwarnings("ignore::lostcities_env.agents.guests.TrustWarning")


def games() -> BatchGames:
    """Fifty games in their third turn."""
    games = BatchGames(50, MATCH.variant, seed=1)
    for _ in range(2):
        games.step(games.sample_actions())
    return games


def environment(observation: str) -> gymnasium.Env[Any, Any]:
    return gymnasium.make("LostCities-v0", variant="mini3", opponent="random", observation=observation)


def own_choices(model: Any, observations: np.ndarray, masks: np.ndarray) -> list[int]:
    return model.predict(observations, action_masks=masks, deterministic=True)[0].tolist()


@pytest.mark.parametrize("observation", ["visible", "recall"])
def test_a_maskable_ppo_plays_as_by_itself(observation: str, tmp_path: Path) -> None:
    model = MaskablePPO(
        "MlpPolicy", environment(observation), n_steps=64, batch_size=32, device="cpu", seed=1
    )
    model.learn(64)
    model.save(tmp_path / "model.zip")
    shown = games()
    agent = make(str(tmp_path / "model.zip"), MATCH, trust=True)
    seen = shown.observations[:, : observation_size(MATCH, observation)]
    expected = own_choices(model, seen, shown.action_masks)
    assert agent.act(shown.observations, shown.action_masks).tolist() == expected
    assert len(set(expected)) > 5


def test_one_of_the_training_script_plays_as_by_itself(tmp_path: Path) -> None:
    envs = LostCitiesVectorEnv(4, "random", "mini3", "recall", reward="dense")
    config = Config(variant="mini3", width=16, num_games=4, turns_per_rollout=8, batch_size=32)
    features = Features(MATCH)
    model = make_model(config, MATCH, SelfPlayVecEnv(envs, features=features))
    model.save(tmp_path / "model.zip")
    shown = games()
    agent = make(str(tmp_path / "model.zip"), MATCH, trust=True)
    expected = own_choices(model, features.flat(shown.observations), shown.action_masks)
    assert agent.act(shown.observations, shown.action_masks).tolist() == expected


@pytest.mark.parametrize("algorithm", [PPO, A2C, DQN])
def test_one_that_knows_no_masks_takes_the_legal_action_that_it_likes_best(
    algorithm: type[Any], tmp_path: Path
) -> None:
    model = algorithm("MlpPolicy", environment("visible"), device="cpu", seed=1)
    model.save(tmp_path / "model.zip")
    shown = games()
    agent = make(str(tmp_path / "model.zip"), MATCH, trust=True)
    actions = agent.act(shown.observations, shown.action_masks)
    assert shown.action_masks[np.arange(50), actions].all()
    free = np.ones_like(shown.action_masks)
    visible = shown.observations[:, : observation_size(MATCH, "visible")]
    unmasked = model.predict(visible, deterministic=True)[0].tolist()
    assert agent.act(shown.observations, free).tolist() == unmasked


class Unpickled:
    """Notes that it has been loaded."""

    count = 0

    def __reduce__(self) -> tuple[Any, tuple[()]]:
        return _note, ()


def _note() -> Unpickled:
    Unpickled.count += 1
    return Unpickled()


def test_consent_comes_first_and_only_the_policy_is_unpickled(tmp_path: Path) -> None:
    model = PPO("MlpPolicy", environment("visible"), device="cpu")
    model.note = Unpickled()  # type: ignore[attr-defined]
    path = tmp_path / "model.zip"
    model.save(path)
    Unpickled.count = 0
    with pytest.raises(GuestError, match=r"can run any code when it is loaded.*--trust.*trust=True"):
        make(str(path), MATCH)
    with pytest.warns(TrustWarning, match=f"loading {path}, which can run any code"):
        make(str(path), MATCH, trust=True)
    assert Unpickled.count == 0


def test_what_does_not_fit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.zip"
    with pytest.raises(GuestError, match="there is no such file"):
        make(str(path), MATCH, trust=True)
    path.write_text("no archive")
    with pytest.raises(GuestError, match="is no policy of Stable-Baselines3 that can be loaded: BadZipFile"):
        make(str(path), MATCH, trust=True)
    PPO("MlpPolicy", environment("visible"), device="cpu").save(path)
    with pytest.raises(GuestError, match=r"was trained for Discrete\(48\); variant 'standard' has 600"):
        make(str(path), trust=True)
    PPO("MlpPolicy", gymnasium.make("CartPole-v1"), device="cpu").save(path)
    with pytest.raises(GuestError, match=r"was trained for Discrete\(2\)"):
        make(str(path), MATCH, trust=True)
    monkeypatch.setitem(sys.modules, "stable_baselines3.common.save_util", None)
    with pytest.raises(GuestError, match=r"needs Stable-Baselines3: pip install 'lostcities-env\[train\]'"):
        make(str(path), MATCH, trust=True)


def test_it_plays_in_a_process_of_its_own_too(tmp_path: Path) -> None:
    path = tmp_path / "model.zip"
    MaskablePPO("MlpPolicy", environment("visible"), device="cpu", seed=1).save(path)
    shown = games()
    with pytest.warns(TrustWarning):
        timed = make(str(path), MATCH, trust=True, move_seconds=10.0)
    here = make(str(path), MATCH, trust=True)
    views = (shown.observations[:5], shown.action_masks[:5])
    assert timed.act(*views).tolist() == here.act(*views).tolist()
