"""What `render` gives in each mode, for all faces that render."""

import copy
import pickle
import sys
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled

from lostcities_env import lost_cities_v0
from lostcities_env.envs import rendering
from lostcities_env.envs.single_agent import LostCitiesSingleAgentEnv
from lostcities_env.envs.vector import LostCitiesVectorEnv
from lostcities_env.render import window
from lostcities_env.render.picture import draw_picture
from lostcities_env.rules.actions import parse_action


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(rendering, "RENDER_FPS", 1000)
    yield
    assert not window._open, "an environment has left its window open"


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[np.ndarray]:
    """The pictures that windows have shown."""
    pictures: list[np.ndarray] = []
    show = window.Window.show

    def noted(self: window.Window, pixels: np.ndarray, *, wait: bool) -> None:
        pictures.append(pixels)
        show(self, pixels, wait=wait)

    monkeypatch.setattr(window.Window, "show", noted)
    return pictures


class TestPettingZoo:
    def test_pictures_show_all_cards_and_the_last_turn(self) -> None:
        env = lost_cities_v0.raw_env(render_mode="rgb_array")
        env.reset(seed=1)
        np.testing.assert_array_equal(env.render(), draw_picture(env.game))
        action = parse_action(env.game.variant, "Rx deck")
        env.step(action)
        np.testing.assert_array_equal(env.render(), draw_picture(env.game, last=action))
        env.reset(seed=1)
        np.testing.assert_array_equal(env.render(), draw_picture(env.game))

    def test_a_snapshot_keeps_the_last_turn(self) -> None:
        env = lost_cities_v0.raw_env(render_mode="rgb_array")
        env.reset(seed=1)
        for _ in range(2):
            env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
        snapshot, picture = env.get_state(), env.render()
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
        env.set_state(snapshot)
        np.testing.assert_array_equal(env.render(), picture)

    @pytest.mark.parametrize("make", [lost_cities_v0.env, lost_cities_v0.raw_env])
    def test_the_window_shows_the_deal_and_every_turn(self, make: Any, shown: list[np.ndarray]) -> None:
        env = make(variant="mini3", render_mode="human")
        env.reset(seed=1)
        turns = 0
        while not all(env.terminations.values()):
            env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
            turns += 1
        assert len(shown) == turns + 1
        assert env.render() is None
        np.testing.assert_array_equal(shown[-1], shown[-2])
        env.close()
        env.close()

    @pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
    def test_a_copy_has_a_window_of_its_own(self, copied: Any) -> None:
        env = lost_cities_v0.raw_env(variant="mini3", render_mode="human")
        env.reset(seed=1)
        other = copied(env)
        other.render()
        assert len(window._open) == 2
        env.close()
        other.step(int(other.observe(other.agent_selection)["action_mask"].argmax()))
        other.close()


class TestGymnasium:
    @pytest.mark.parametrize("seat", [0, 1])
    def test_pictures_show_what_the_learner_sees(self, seat: int) -> None:
        env = LostCitiesSingleAgentEnv(render_mode="rgb_array", seat=seat)
        _, info = env.reset(seed=1)
        env.step(info["action_mask"].argmax())
        picture = env.render()
        game, last = env.game, env._episode.last_action
        np.testing.assert_array_equal(picture, draw_picture(game, viewer=seat, last=last))

    def test_the_window_shows_the_turns_of_both(self, shown: list[np.ndarray]) -> None:
        env = gymnasium.make("LostCities-v0", render_mode="human", seat=1)
        _, info = env.reset(seed=1)
        assert len(shown) == 2  # the deal, and what the opponent has played
        env.step(info["action_mask"].argmax())
        assert len(shown) == 4
        env.close()

    def test_a_video_can_be_recorded(self) -> None:
        env = gymnasium.make("LostCities-v0", variant="mini3", render_mode="rgb_array")
        frames = gymnasium.wrappers.RenderCollection(env)
        _, info = frames.reset(seed=1)
        frames.step(info["action_mask"].argmax())
        assert [np.shape(frame) for frame in frames.render()] == [(386, 732, 3)] * 2

    def test_many_at_once(self) -> None:
        envs = LostCitiesVectorEnv(2, variant="mini3", render_mode="rgb_array", seat=0)
        envs.reset(seed=1)
        pictures = envs.render()
        assert pictures is not None
        for index, picture in enumerate(pictures):
            np.testing.assert_array_equal(picture, draw_picture(envs.game(index), viewer=0))

    def test_there_is_no_window_for_many(self) -> None:
        with pytest.raises(ValueError, match="no render mode 'human'; there are None, ansi, rgb_array"):
            LostCitiesVectorEnv(2, render_mode="human")


@pytest.mark.parametrize("mode", ["rgb_array", "human"])
@pytest.mark.parametrize("make", [lost_cities_v0.raw_env, LostCitiesSingleAgentEnv])
def test_without_pygame_the_error_names_the_extra(
    make: Any, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    message = rf"render_mode='{mode}' needs pygame-ce: pip install 'lostcities-env\[render\]'"
    with pytest.raises(DependencyNotInstalled, match=message):
        make(render_mode=mode)
    assert make(render_mode="ansi").render_mode == "ansi"
