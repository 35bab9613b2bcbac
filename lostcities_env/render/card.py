"""Cards and marks as they are drawn. Each is drawn once and kept."""

from functools import lru_cache

from lostcities_env.render.canvas import Canvas, Sprite
from lostcities_env.render.look import (
    BACK,
    BACK_PATTERN,
    DIAMOND,
    GLOW,
    INK,
    LOOKS,
    PAPER,
    RGB,
    Polygon,
    mixed,
)
from lostcities_env.rules.cards import WAGER_LETTER

WIDTH, HEIGHT = 52, 72
RADIUS = 6
STRIP = 24
"""How much of a card must be seen to read it."""
EYE = 18
BADGE = 23
ARROW = 18
_EDGE = 1.2


@lru_cache(maxsize=512)
def face(card: str, scale: int, *, mirrored: bool = False) -> Sprite:
    """A card face up: rank and sign in the left corner, the right one if `mirrored`, and a large sign."""
    look, rank = LOOKS[card[0]], card[1:]
    canvas = Canvas(WIDTH, HEIGHT, scale, look.edge, sprite=True)
    canvas.box(0, 0, WIDTH, HEIGHT, look.edge, radius=RADIUS)
    canvas.box(_EDGE, _EDGE, WIDTH - 2 * _EDGE, HEIGHT - 2 * _EDGE, look.face, radius=RADIUS - _EDGE)
    corner = WIDTH - STRIP / 2 if mirrored else STRIP / 2
    if rank == WAGER_LETTER:
        for slope in (-1, 1):
            canvas.line((corner - 4.6, 14 - 4.6 * slope), (corner + 4.6, 14 + 4.6 * slope), 2.7, look.ink)
    else:
        canvas.text(corner, 14, rank, 17, look.ink, anchor=0.5)
    canvas.polygon(look.sign, corner, 33, 6, look.ink)
    middle = WIDTH / 2 + (-5 if mirrored else 5)
    canvas.polygon(look.sign, middle, HEIGHT - 22, 15, look.tint)
    return canvas.finished()


@lru_cache(maxsize=64)
def slot(letter: str, scale: int, ground: RGB) -> Sprite:
    """A place where cards of a colour may lie."""
    look = LOOKS[letter]
    pale = mixed(look.edge, ground, 0.45)
    canvas = Canvas(WIDTH, HEIGHT, scale, ground, sprite=True)
    canvas.box(0, 0, WIDTH, HEIGHT, pale, radius=RADIUS, line=_EDGE)
    canvas.polygon(look.sign, WIDTH / 2, HEIGHT / 2, 11, pale)
    return canvas.finished()


@lru_cache(maxsize=8)
def back(scale: int) -> Sprite:
    """A card face down."""
    canvas = Canvas(WIDTH, HEIGHT, scale, INK, sprite=True)
    canvas.box(0, 0, WIDTH, HEIGHT, INK, radius=RADIUS)
    canvas.box(_EDGE, _EDGE, WIDTH - 2 * _EDGE, HEIGHT - 2 * _EDGE, BACK, radius=RADIUS - _EDGE)
    canvas.box(5, 5, WIDTH - 10, HEIGHT - 10, BACK_PATTERN, radius=3, line=1)
    for row in range(5):
        for column in range(3):
            x, y = WIDTH / 2 + 12 * (column - 1), HEIGHT / 2 + 12 * (row - 2)
            canvas.polygon(DIAMOND, x, y, 4.5, BACK_PATTERN)
    return canvas.finished()


@lru_cache(maxsize=8)
def eye(scale: int) -> Sprite:
    """The mark of a card that the opponent knows: an open eye."""
    lid = [(a / 8, 0.6 * (1 - (a / 8) ** 2)) for a in range(-8, 9)]
    canvas = Canvas(EYE, EYE, scale, INK, sprite=True)
    x = y = EYE / 2
    canvas.disc(x, y, EYE / 2, INK)
    canvas.disc(x, y, EYE / 2 - 1, PAPER)
    canvas.polygon((*lid, *((a, -b) for a, b in reversed(lid))), x, y, 6.5, INK)
    canvas.disc(x, y, 2.6, PAPER)
    canvas.disc(x, y, 1.4, INK)
    return canvas.finished()


@lru_cache(maxsize=256)
def badge(count: int, scale: int, ground: RGB) -> Sprite:
    """How many cards lie somewhere."""
    canvas = Canvas(BADGE, BADGE, scale, ground, sprite=True)
    middle = BADGE / 2
    canvas.disc(middle, middle, middle, ground)
    canvas.disc(middle, middle, middle - 1.5, INK)
    canvas.text(middle, middle, str(count), 12, PAPER, anchor=0.5)
    return canvas.finished()


@lru_cache(maxsize=32)
def arrow(to_the_right: bool, size: int, scale: int) -> Sprite:
    """Points at a player; `size` is its width and height."""
    canvas = Canvas(size, size, scale, GLOW, sprite=True)
    shape: Polygon = ((-0.8, -1.0), (0.9, 0.0), (-0.8, 1.0))
    if not to_the_right:
        shape = tuple((-x, y) for x, y in shape)
    canvas.polygon(shape, size / 2, size / 2, size / 2, GLOW)
    return canvas.finished()
