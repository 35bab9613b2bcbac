"""What `render` of an environment gives in each of its modes."""

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from lostcities_env.render import extra
from lostcities_env.render.text import render_text, supports_colour
from lostcities_env.rules.game import Game

if TYPE_CHECKING:
    from lostcities_env.render.window import Window

RENDER_MODES = ("ansi", "rgb_array", "human")
RENDER_FPS = 2
"""Turns a second of films, and of the window."""


class Renderer:
    """Draws games in one mode.

    Args:
        mode: None, ``"ansi"`` (text), ``"rgb_array"`` (pixels) or ``"human"`` (a window).
        modes: those that there are.

    Raises:
        ValueError: if there is no such mode.
        DependencyNotInstalled: if the mode draws and pygame-ce is missing.
    """

    def __init__(self, mode: str | None, modes: tuple[str, ...] = RENDER_MODES) -> None:
        if mode is not None and mode not in modes:
            raise ValueError(f"no render mode {mode!r}; there are None, {', '.join(modes)}")
        if mode in ("rgb_array", "human"):
            extra.require(f"render_mode={mode!r}", "pygame")
        self.mode = mode
        self._window: Window | None = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_window": None}  # a copy opens a window of its own

    def render(
        self, game: Game, *, viewer: int | None, last: int | None = None, wait: bool = False
    ) -> str | np.ndarray | None:
        """The board as text, or its picture, or None after it was shown in the window.

        Args:
            game: what to draw.
            viewer: see `render_text` and `draw_picture`.
            last: the action code of the last turn, see `draw_picture`.
            wait: whether the window keeps to `RENDER_FPS` and sleeps until it is time.
        """
        if self.mode == "ansi":
            return render_text(game, viewer=viewer, colour=supports_colour(sys.stdout))
        # Drawing takes a library of the extra, and its import a while.
        from lostcities_env.render.picture import draw_picture

        pixels = draw_picture(game, viewer=viewer, last=last)
        if self.mode == "rgb_array":
            return pixels
        if self._window is None:
            from lostcities_env.render.window import Window

            self._window = Window("Lost Cities", RENDER_FPS)
        self._window.show(pixels, wait=wait)
        return None

    def close(self) -> None:
        """Closes the window, if there is one."""
        if self._window is not None:
            self._window.close()
