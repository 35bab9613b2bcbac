"""A window that shows pictures. Needs pygame-ce (the ``render`` extra)."""

import os
from collections.abc import MutableMapping
from weakref import WeakValueDictionary

import gymnasium
import numpy as np

from lostcities_env.render import extra  # before pygame, which greets otherwise

extra.require("a window", "pygame")
import pygame  # noqa: E402

_WITHOUT_A_SCREEN = ("dummy", "offscreen")
"""Video drivers of SDL that show nothing; it takes one by itself where there is no screen."""

_open: MutableMapping[int, "Window"] = WeakValueDictionary()
"""The windows that are open, by the number that pygame gave them. One that nobody holds closes by itself."""


class Window:
    """Opens with the first picture, in the size of that. If the user closes it, it stays closed.

    Args:
        title: what is written above it.
        fps: pictures a second, at most.

    Attributes:
        shut: whether the user has closed it.
    """

    def __init__(self, title: str, fps: float) -> None:
        self._title, self._fps = title, fps
        self._window: pygame.Window | None = None
        self._clock = pygame.time.Clock()
        self.shut = False

    def show(self, pixels: np.ndarray, *, wait: bool) -> None:
        """Shows a picture.

        Args:
            pixels: uint8 (height, width, 3).
            wait: whether to keep to the pictures a second, and sleep until it is time for this one.

        Raises:
            RuntimeError: if no window can be opened.
        """
        _look_at_events()
        if self.shut:
            return
        picture = pygame.image.frombuffer(pixels.tobytes(), pixels.shape[1::-1], "RGB")
        if self._window is None:
            self._window = _new_window(self._title, picture.get_size())
            _open[self._window.id] = self
        self._window.get_surface().blit(picture, (0, 0))
        self._window.flip()
        if wait:
            self._clock.tick(self._fps)

    def close(self) -> None:
        """Closes the window, if it is open; the next picture opens it again."""
        if self._window is None:
            return
        del _open[self._window.id]
        self._window.destroy()
        self._window = None
        if not _open:
            pygame.display.quit()


def _new_window(title: str, size: tuple[int, int]) -> pygame.Window:
    try:
        pygame.display.init()
        window = pygame.Window(title, size)
    except pygame.error as error:
        raise RuntimeError(
            f"no window can be opened ({error}); render_mode='rgb_array' draws without one"
        ) from error
    if pygame.display.get_driver() in _WITHOUT_A_SCREEN and not os.environ.get("SDL_VIDEODRIVER"):
        gymnasium.logger.warn("there is no screen to show a window on; render_mode='rgb_array' needs none")
    return window


def _look_at_events() -> None:
    """Lets the system know that the process lives, and closes what the user wants closed."""
    if not _open:
        return
    for event in pygame.event.get():
        if event.type == pygame.WINDOWCLOSE and event.window is not None and event.window.id in _open:
            window = _open[event.window.id]
            window.close()
            window.shut = True
