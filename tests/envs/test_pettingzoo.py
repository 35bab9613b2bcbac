"""The tests that PettingZoo brings, on every variant and observation mode; its wrappers and registry."""

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pettingzoo
import pytest

from lostcities_env import lost_cities_v0
from lostcities_env.envs import rendering
from tests.envs.play import MODES, an_illegal_action, choose

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # PettingZoo imports its own games the old way
    from pettingzoo.test import api_test, render_test, seed_test


# What `api_test` says of every environment with an action mask in its observation.
with_mask = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array", "ignore:Observation space for each agent probably should be"
)


@with_mask
@pytest.mark.parametrize(("variant", "level"), MODES)
class TestPettingZoo:
    @pytest.mark.parametrize("make", [lost_cities_v0.env, lost_cities_v0.raw_env])
    def test_api(self, make: Any, variant: str, level: str, capsys: Any) -> None:
        api_test(make(variant=variant, observation=level), num_cycles=60)
        assert "Passed API test" in capsys.readouterr().out

    def test_seed(self, variant: str, level: str) -> None:
        seed_test(lambda: lost_cities_v0.env(variant=variant, observation=level), num_cycles=60)

    def test_render(self, variant: str, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(rendering, "RENDER_FPS", 1000)

        def make(render_mode: str) -> Any:
            return lost_cities_v0.env(variant=variant, observation=level, render_mode=render_mode)

        render_test(make)


@with_mask
def test_api_of_a_match_with_dense_rewards(capsys: Any) -> None:
    api_test(lost_cities_v0.env(rounds=3, reward="dense", max_turns=30), num_cycles=200)
    assert "Passed API test" in capsys.readouterr().out


class TestWrapped:
    @pytest.mark.parametrize(
        ("kwargs", "reward"),
        [({"reward": "win"}, -1.0), ({"reward": "margin"}, -400.0), ({"variant": "six"}, -480.0)],
    )
    def test_an_illegal_action_loses(self, kwargs: dict[str, Any], reward: float, caplog: Any) -> None:
        env = lost_cities_v0.env(**kwargs)
        env.reset(seed=1)
        observation, *_ = env.last()
        env.step(an_illegal_action(observation["action_mask"]))
        assert "Illegal move made" in caplog.text
        assert all(env.terminations.values())
        assert env.rewards == {"player_0": reward, "player_1": 0}
        for _ in env.agent_iter():
            env.step(None)
        env.reset()
        assert env.agents == ["player_0", "player_1"]

    def test_out_of_bounds(self) -> None:
        env = lost_cities_v0.env()
        env.reset()
        with pytest.raises(AssertionError, match="not in action space"):
            env.step(600)

    def test_order_is_enforced(self) -> None:
        with pytest.raises(AttributeError, match="agents cannot be accessed before reset"):
            _ = lost_cities_v0.env().agents

    @pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
    def test_copies_keep_the_game(self, copied: Any) -> None:
        env = lost_cities_v0.env()
        env.reset(seed=4)
        rng = np.random.default_rng(0)
        for _ in range(9):
            env.step(choose(env.last()[0]["action_mask"], rng))
        other = copied(env)
        np.testing.assert_array_equal(other.state(), env.state())
        assert other.agent_selection == env.agent_selection
        other.step(choose(other.last()[0]["action_mask"], rng))
        assert env.unwrapped.game.turn == 9

    def test_registry(self) -> None:
        env = pettingzoo.make("aec", "lostcities/lost_cities_v0", variant="mini1", reward="win")
        env.reset(seed=1)
        assert env.unwrapped.game.variant.name == "mini1"
