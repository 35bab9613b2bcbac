"""Few colours for many pictures, as GIF wants it."""

from collections.abc import Iterable, Sequence

import numpy as np

from lostcities_env.render.look import RGB

LARGEST = 255
_UNKNOWN = 255


class Palette:
    """A list of colours, and the nearest of them for any other.

    Args:
        colours: 1 to 255 of them.

    Attributes:
        colours: uint8 (n, 3).
    """

    def __init__(self, colours: Sequence[RGB]) -> None:
        if not 1 <= len(colours) <= LARGEST:
            raise ValueError(f"a palette has 1 to {LARGEST} colours, got {len(colours)}")
        self.colours = np.array(colours, dtype=np.uint8)
        self._nearest = np.full(1 << 24, _UNKNOWN, dtype=np.uint8)

    @classmethod
    def of(cls, pictures: Iterable[np.ndarray], size: int, first: Sequence[RGB] = ()) -> "Palette":
        """The most frequent colours of pictures.

        Args:
            pictures: each uint8 (height, width, 3).
            size: how many colours, at most.
            first: colours that are in it in any case.
        """
        codes = np.concatenate([_codes(picture).ravel() for picture in pictures])
        found, often = np.unique(codes, return_counts=True)
        frequent = [_colour(code) for code in found[np.argsort(-often, kind="stable")[:size]].tolist()]
        return cls(list(dict.fromkeys([*first, *frequent]))[:size])

    def indices(self, picture: np.ndarray) -> np.ndarray:
        """The place in the palette of each pixel's nearest colour: uint8 (height, width)."""
        codes = _codes(picture)
        indices = self._nearest[codes]
        if (indices == _UNKNOWN).any():
            new = np.unique(codes[indices == _UNKNOWN])
            parts = np.stack([new >> 16, new >> 8 & 255, new & 255], axis=1)
            distances = ((parts[:, None] - self.colours[None].astype(np.int64)) ** 2).sum(axis=2)
            self._nearest[new] = distances.argmin(axis=1)
            indices = self._nearest[codes]
        return indices


def _codes(picture: np.ndarray) -> np.ndarray:
    """Each colour as one number: int64 (height, width)."""
    red, green, blue = (picture[..., k].astype(np.int64) for k in range(3))
    return red << 16 | green << 8 | blue


def _colour(code: int) -> RGB:
    return code >> 16, code >> 8 & 255, code & 255
