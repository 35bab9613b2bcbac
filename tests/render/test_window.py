"""Windows, on a video driver that shows nothing (see conftest.py)."""

import time
from collections.abc import Iterator

import numpy as np
import pygame
import pytest

from lostcities_env.render import window as module
from lostcities_env.render.window import Window

PICTURE = np.full((40, 60, 3), 200, dtype=np.uint8)


@pytest.fixture
def window() -> Iterator[Window]:
    window = Window("test", fps=1000)
    yield window
    window.close()
    assert not module._open


def shown(window: Window) -> np.ndarray:
    assert window._window is not None
    return pygame.surfarray.array3d(window._window.get_surface()).swapaxes(0, 1)


def test_shows_the_picture(window: Window) -> None:
    picture = PICTURE.copy()
    picture[10:20, 30:50] = (10, 20, 30)
    for one in (PICTURE, picture):
        window.show(one, wait=True)
        np.testing.assert_array_equal(shown(window), one)


def test_close_may_be_called_at_any_time(window: Window) -> None:
    window.close()
    window.show(PICTURE, wait=False)
    window.close()
    window.close()
    assert not pygame.display.get_init()
    window.show(PICTURE, wait=False)
    np.testing.assert_array_equal(shown(window), PICTURE)


def test_there_may_be_several(window: Window) -> None:
    other = Window("other", fps=1000)
    window.show(PICTURE, wait=False)
    other.show(PICTURE // 2, wait=False)
    np.testing.assert_array_equal(shown(window), PICTURE)
    other.close()
    window.show(PICTURE, wait=False)
    np.testing.assert_array_equal(shown(window), PICTURE)


def test_what_the_user_has_closed_stays_closed(window: Window) -> None:
    window.show(PICTURE, wait=False)
    pygame.event.post(pygame.event.Event(pygame.WINDOWCLOSE, window=window._window))
    window.show(PICTURE, wait=False)
    assert window.shut
    assert window._window is None


def test_keeps_to_the_pictures_a_second() -> None:
    window = Window("slow", fps=20)
    window.show(PICTURE, wait=True)
    begin = time.perf_counter()
    for _ in range(2):
        window.show(PICTURE, wait=True)
    assert time.perf_counter() - begin > 0.08
    window.close()


def test_no_window_can_be_opened(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise pygame.error("No available video device")

    monkeypatch.setattr(pygame.display, "init", refuse)
    with pytest.raises(RuntimeError, match=r"No available video device\); render_mode='rgb_array'"):
        window.show(PICTURE, wait=False)


def test_a_window_that_nobody_can_see_is_worth_a_warning(
    window: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.show(PICTURE, wait=False)  # now the driver is chosen
    monkeypatch.delenv("SDL_VIDEODRIVER")
    other = Window("other", fps=1000)
    with pytest.warns(UserWarning, match="no screen to show a window on"):
        other.show(PICTURE, wait=False)
    other.close()
