"""A surface to draw on in fractions of a pixel. Needs pygame-ce (the ``render`` extra), but no display."""

from functools import lru_cache

import numpy as np

from lostcities_env.render import extra  # before pygame, which greets otherwise
from lostcities_env.render.look import RGB, Polygon

extra.require("drawing", "pygame")
import pygame  # noqa: E402

Sprite = pygame.Surface

FINENESS = 2
"""Everything is drawn so many times larger, and scaled down at the end: smooth edges."""
SPRITE_FINENESS = 8
"""The same for what is drawn once and used often; both are powers of 2, which pygame scales exactly."""
SMALLEST = 0.75
"""How much smaller text may become to fit."""
ELLIPSIS = "…"


class Canvas:
    """Shapes and text, in pixels of a picture.

    Args:
        width: of the picture.
        height: of the picture.
        scale: so many pixels of the array make one pixel of the picture.
        background: its colour.
        sprite: whether this is no picture but a part of some: it is transparent where nothing is drawn
            (and its edges take on something of the background).
    """

    def __init__(self, width: int, height: int, scale: int, background: RGB, *, sprite: bool = False) -> None:
        self._scale = scale
        self._zoom = scale * (SPRITE_FINENESS if sprite else FINENESS)
        self._size = (width, height)
        flags = pygame.SRCALPHA if sprite else 0
        self._surface = pygame.Surface((width * self._zoom, height * self._zoom), flags, 32)
        self._surface.fill((*background, 0) if sprite else background)

    def _rect(self, x: float, y: float, width: float, height: float) -> pygame.Rect:
        left, top = round(x * self._zoom), round(y * self._zoom)
        right, bottom = round((x + width) * self._zoom), round((y + height) * self._zoom)
        return pygame.Rect(left, top, right - left, bottom - top)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        colour: RGB,
        *,
        radius: float = 0.0,
        line: float = 0.0,
    ) -> None:
        """A rectangle with round corners: filled, or its outline if `line` says how thick."""
        thick = max(1, round(line * self._zoom)) if line else 0
        rect = self._rect(x, y, width, height)
        pygame.draw.rect(self._surface, colour, rect, thick, round(radius * self._zoom))

    def polygon(self, polygon: Polygon, x: float, y: float, radius: float, colour: RGB) -> None:
        """A filled polygon that is given in units of `radius` around (x, y)."""
        points = [((x + radius * a) * self._zoom, (y + radius * b) * self._zoom) for a, b in polygon]
        pygame.draw.polygon(self._surface, colour, points)

    def line(self, start: tuple[float, float], end: tuple[float, float], width: float, colour: RGB) -> None:
        """A straight line with round ends."""
        (x, y), (u, v) = start, end
        length = max(((u - x) ** 2 + (v - y) ** 2) ** 0.5, 1e-9)
        a, b = -(v - y) / length * width / 2, (u - x) / length * width / 2
        self.polygon(((x + a, y + b), (u + a, v + b), (u - a, v - b), (x - a, y - b)), 0, 0, 1, colour)
        for point in (start, end):
            self.disc(*point, width / 2, colour)

    def disc(self, x: float, y: float, radius: float, colour: RGB) -> None:
        """A filled circle around (x, y)."""
        centre = (round(x * self._zoom), round(y * self._zoom))
        pygame.draw.circle(self._surface, colour, centre, radius * self._zoom)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        colour: RGB,
        *,
        anchor: float = 0.0,
        room: float | None = None,
    ) -> float:
        """One line of text whose capitals are centred on `y`; returns its width.

        Args:
            x: where the text begins, ends or has its middle.
            y: the height of its middle.
            text: what is written; what cannot be printed becomes a question mark.
            size: of the font; capitals are 0.7 times as high.
            colour: of the text.
            anchor: the part of the text that is left of `x`: 0, 0.5 or 1.
            room: longer text is made a little smaller, and cut if that does not do.
        """
        text, size = _fitted(text, size, self._zoom, room)
        surface = _text(text, size, colour, self._zoom)
        font = _font(size, self._zoom)
        top = y * self._zoom - font.get_ascent() + 0.36 * size * self._zoom
        self._surface.blit(surface, (round(x * self._zoom - anchor * surface.get_width()), round(top)))
        return surface.get_width() / self._zoom

    def put(self, sprite: Sprite, x: float, y: float) -> None:
        """Lays on the `finished` sprite of a canvas of the same scale, its corner at (x, y)."""
        self._surface.blit(sprite, (round(x * self._zoom), round(y * self._zoom)))

    def finished(self) -> Sprite:
        """A sprite, to be `put` on a picture."""
        return self._scaled_down(self._scale * FINENESS)

    def pixels(self) -> np.ndarray:
        """The picture: uint8 (height * scale, width * scale, 3), a new array."""
        pixels = pygame.surfarray.array3d(self._scaled_down(self._scale))
        return np.ascontiguousarray(pixels.swapaxes(0, 1))

    def _scaled_down(self, zoom: int) -> pygame.Surface:
        width, height = self._size
        return pygame.transform.smoothscale(self._surface, (width * zoom, height * zoom))


@lru_cache(maxsize=64)
def _font(size: float, zoom: int) -> pygame.font.Font:
    pygame.font.init()
    return pygame.font.Font(None, round(size * zoom * 1.4))


@lru_cache(maxsize=512)
def _text(text: str, size: float, colour: RGB, zoom: int) -> pygame.Surface:
    return _font(size, zoom).render(text, True, colour)


@lru_cache(maxsize=256)
def _fitted(text: str, size: float, zoom: int, room: float | None) -> tuple[str, float]:
    """Text and its size, to take no more than `room`."""
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    width = _font(size, zoom).size(text)[0] / zoom
    if room is None or width <= room:
        return text, size
    size = max(int(size * room / width), round(SMALLEST * size))
    font = _font(size, zoom)
    kept = len(text)
    while kept and font.size(shown := text[:kept] + (ELLIPSIS if kept < len(text) else ""))[0] > room * zoom:
        kept -= 1
    return (shown, size) if kept else (ELLIPSIS, size)
