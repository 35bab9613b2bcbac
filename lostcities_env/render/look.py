"""What the colours of the game look like: they differ in hue and in lightness, and each has its own sign.

A sign is a polygon in a square from -1 to 1, y downwards. Whoever sees no colours tells them apart
by these.
"""

import math
from typing import NamedTuple

RGB = tuple[int, int, int]
Polygon = tuple[tuple[float, float], ...]

LARGEST_SCALE = 4
"""So many pixels of an array for one of a picture, at most."""

TABLE: RGB = (236, 229, 216)
FIELD: RGB = (246, 241, 232)
BOARD: RGB = (214, 203, 184)
INK: RGB = (48, 42, 37)
FAINT: RGB = (128, 117, 104)
PALE: RGB = (198, 188, 171)
GLOW: RGB = (255, 150, 0)
BACK: RGB = (97, 84, 74)
BACK_PATTERN: RGB = (128, 113, 100)
PAPER: RGB = (255, 255, 255)


def mixed(colour: RGB, ground: RGB, share: float) -> RGB:
    """A colour as it looks laid thinly on a ground; `share` of it is its own."""
    red, green, blue = (round(share * a + (1 - share) * b) for a, b in zip(colour, ground, strict=True))
    return red, green, blue


class Look(NamedTuple):
    """Cards of a colour: `face` with `ink` on it, `edge` around it, and the `sign`, once large in `tint`."""

    face: RGB
    tint: RGB
    edge: RGB
    ink: RGB
    sign: Polygon


def _regular(corners: int, radius: float = 1.0) -> Polygon:
    """The corners of a regular polygon, from the top clockwise."""
    angles = [2 * math.pi * k / corners for k in range(corners)]
    return tuple((radius * math.sin(angle), -radius * math.cos(angle)) for angle in angles)


def _curve(*points: tuple[float, float]) -> Polygon:
    """A cubic Bezier curve as many short lines; two ends and two points between."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = points
    steps = [k / 16 for k in range(17)]
    parts = [((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3) for t in steps]
    return tuple(
        (a * ax + b * bx + c * cx + d * dx, a * ay + b * by + c * cy + d * dy) for a, b, c, d in parts
    )


def _drop() -> Polygon:
    angles = [math.radians(-30 + 240 * k / 24) for k in range(25)]
    return (*((0.68 * math.cos(a), 0.32 + 0.68 * math.sin(a)) for a in angles), (0.0, -1.0))


def _leaf() -> Polygon:
    tip, stalk = (0.88, -0.88), ((-0.69, 1.02), (-0.83, 0.87), (-0.74, 0.65))
    lower = _curve(tip, (0.93, 0.18), (0.51, 0.88), (-0.46, 0.88))
    upper = _curve(stalk[-1], (-0.88, -0.37), (-0.19, -0.88), tip)
    return (*lower, *stalk, *upper)


def _star() -> Polygon:
    outer, inner = _regular(10), _regular(10, 0.46)
    return tuple(inner[k] if k % 2 else outer[k] for k in range(10))


PEAK: Polygon = ((0.0, -0.88), (0.96, 0.82), (-0.96, 0.82))
DIAMOND: Polygon = ((0.0, -1.0), (0.8, 0.0), (0.0, 1.0), (-0.8, 0.0))

LOOKS = {
    "R": Look((192, 61, 44), (212, 104, 88), (139, 40, 27), PAPER, PEAK),
    "B": Look((36, 100, 174), (84, 139, 203), (22, 66, 120), PAPER, _drop()),
    "G": Look((26, 120, 90), (74, 156, 128), (14, 84, 61), PAPER, _leaf()),
    "Y": Look((240, 194, 55), (250, 216, 124), (176, 134, 16), INK, _regular(32, 0.86)),
    "W": Look((251, 249, 243), (222, 217, 206), (150, 141, 128), INK, DIAMOND),
    "P": Look((122, 72, 160), (156, 112, 190), (83, 44, 112), PAPER, _star()),
}
"""By the letter of the colour."""

PAINTS: tuple[RGB, ...] = (
    *(TABLE, FIELD, BOARD, INK, FAINT, PALE, GLOW, BACK, BACK_PATTERN, PAPER),
    *(paint for look in LOOKS.values() for paint in (look.face, look.tint, look.edge)),
)
"""All that is laid on; a picture has mixes of these besides."""
