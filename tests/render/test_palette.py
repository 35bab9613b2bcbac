import numpy as np
import pytest

from lostcities_env.render.palette import Palette

PICTURE = np.array([[[9, 9, 9], [9, 9, 9], [200, 0, 0]], [[0, 200, 0], [0, 200, 0], [0, 200, 0]]], np.uint8)


def test_takes_the_most_frequent_colours_after_those_that_must_be_in() -> None:
    palette = Palette.of([PICTURE, PICTURE], 3, first=[(1, 2, 3)])
    assert palette.colours.tolist() == [[1, 2, 3], [0, 200, 0], [9, 9, 9]]


def test_finds_the_nearest_colour() -> None:
    palette = Palette([(0, 0, 0), (0, 255, 0), (255, 0, 0)])
    for _ in range(2):  # at first and once they are known
        assert palette.indices(PICTURE).tolist() == [[0, 0, 2], [1, 1, 1]]
    assert palette.indices(PICTURE).dtype == np.uint8


@pytest.mark.parametrize("count", [0, 256])
def test_size(count: int) -> None:
    with pytest.raises(ValueError, match=f"a palette has 1 to 255 colours, got {count}"):
        Palette([(0, 0, 0)] * count)
