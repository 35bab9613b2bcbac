"""Golden pictures: positions as they are drawn.

    python -m tests.render.golden.write        # after a change of the drawing that is meant

Then look at the files. They have 255 colours, to be small; `largest_difference` does not mind.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

from lostcities_env.agents.choose import choose
from lostcities_env.agents.registry import make
from lostcities_env.render.moments import Moment, moments
from lostcities_env.render.palette import Palette
from lostcities_env.render.picture import draw_picture
from lostcities_env.rules.game import Game

FOLDER = Path(__file__).parent
TILE = 8
"""Width and height of a tile, pixels."""


def played(agents: tuple[str, str], variant: str, turns: int, *, seed: int, rounds: int = 1) -> Moment:
    """A game after so many turns of two agents, or its end."""
    game = Game(variant, rounds=rounds, seed=seed)
    players = [make(name, game.match, seed=seed) for name in agents]
    left = iter(range(turns))

    def decide(game: Game) -> int | None:
        return None if next(left, None) is None else choose(players[game.mover], agents[game.mover], game)

    *_, last = moments(game, decide)
    return last


def _picture(moment: Moment, viewer: int | None, players: tuple[str, str]) -> np.ndarray:
    return draw_picture(moment.table, viewer=viewer, last=moment.action, players=players)


def _middle_of_a_game() -> np.ndarray:
    agents = ("greedy", "threshold")
    return _picture(played(agents, "standard", 30, seed=3), None, agents)


def _end_of_a_match() -> np.ndarray:
    agents = ("threshold", "greedy")
    return _picture(played(agents, "mini3", 99, seed=1, rounds=3), None, agents)


def _six_colours_of_a_match() -> np.ndarray:
    agents = ("projection", "random")
    return _picture(played(agents, "six", 103, seed=2, rounds=3), 1, agents)


PICTURES: dict[str, Callable[[], np.ndarray]] = {
    "middle.png": _middle_of_a_game,
    "end.png": _end_of_a_match,
    "six.png": _six_colours_of_a_match,
}
"""By the name of the file."""


def read(name: str) -> np.ndarray:
    """A golden picture: uint8 (height, width, 3)."""
    with Image.open(FOLDER / name) as image:
        return np.asarray(image.convert("RGB"))


def largest_difference(one: np.ndarray, other: np.ndarray) -> float:
    """How far the tile that differs most is off: the mean of its pixels' differences, 0 to 255."""
    difference = np.abs(one.astype(np.int64) - other).mean(axis=2)
    height, width = (-(-side // TILE) * TILE for side in difference.shape)
    padded = np.zeros((height, width))
    padded[: difference.shape[0], : difference.shape[1]] = difference
    tiles = padded.reshape(height // TILE, TILE, width // TILE, TILE)
    return float(tiles.mean(axis=(1, 3)).max())


if __name__ == "__main__":
    for name, draw in PICTURES.items():
        picture = draw()
        palette = Palette.of([picture], 255)
        height, width = picture.shape[:2]
        image = Image.frombytes("P", (width, height), palette.indices(picture).tobytes())
        image.putpalette(palette.colours.tobytes())
        image.save(FOLDER / name, optimize=True)
