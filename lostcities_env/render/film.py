"""A game as a film: one picture a turn, written as GIF, MP4 or PNG. Needs the ``render`` extra."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
from PIL import Image

from lostcities_env.render.look import PAINTS
from lostcities_env.render.moments import Moment, is_round_over
from lostcities_env.render.palette import Palette
from lostcities_env.render.picture import PLAYERS, draw_picture

END_SECONDS = 3
"""How long the end of a round stays."""
_GIF_COLOURS = 128


class Film:
    """The pictures of a game.

    Args:
        moments: in order, as `moments.moments` yields them.
        viewer: see `draw_picture`.
        players: see `draw_picture`.
        scale: see `draw_picture`.

    Raises:
        ValueError: if there is no moment.
    """

    def __init__(
        self,
        moments: Sequence[Moment],
        *,
        viewer: int | None = None,
        players: Sequence[str] = PLAYERS,
        scale: int = 1,
    ) -> None:
        if not moments:
            raise ValueError("a film needs a moment at least")
        self.moments, self.viewer, self.players, self.scale = list(moments), viewer, tuple(players), scale

    def picture(self, index: int) -> np.ndarray:
        """The picture of a moment: uint8 (height, width, 3)."""
        moment = self.moments[index]
        return draw_picture(
            moment.table, viewer=self.viewer, last=moment.action, players=self.players, scale=self.scale
        )

    def pictures(self, fps: int) -> Iterator[np.ndarray]:
        """All pictures, that of the end of a round as often as it takes to stay `END_SECONDS`."""
        for index, moment in enumerate(self.moments):
            picture = self.picture(index)
            ends = is_round_over(moment.table)
            yield from [picture] * (END_SECONDS * fps if ends else 1)

    def write_png(self, path: Path, index: int) -> None:
        """Writes the picture of one moment.

        Raises:
            OSError: if the file cannot be written.
        """
        Image.fromarray(self.picture(index)).save(path, format="PNG", optimize=True)

    def write_gif(self, path: Path, fps: int) -> None:
        """Writes a GIF that begins again after its end.

        Raises:
            OSError: if the file cannot be written.
        """
        count = len(self.moments)
        some = sorted({0, count // 3, 2 * count // 3, count - 1})
        # One palette for all pictures, or the film would flicker.
        palette = Palette.of(map(self.picture, some), _GIF_COLOURS, first=PAINTS)
        frames = (_image(palette, picture) for picture in self.pictures(fps))
        next(frames).save(
            path, format="GIF", save_all=True, append_images=frames, duration=round(1000 / fps), loop=0
        )

    def write_mp4(self, path: Path, fps: int) -> None:
        """Writes an MP4 that browsers and slides play (H.264, 4:2:0).

        Raises:
            OSError: if the file cannot be written.
        """
        import av  # a large library that only this needs

        with av.open(str(path), "w", format="mp4") as container:
            stream = container.add_stream("libx264", rate=Fraction(fps), options={"crf": "20"})
            stream.pix_fmt = "yuv420p"
            stream.height, stream.width = self.picture(0).shape[:2]
            for picture in self.pictures(fps):
                container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
            container.mux(stream.encode(None))


def _image(palette: Palette, picture: np.ndarray) -> Image.Image:
    height, width = picture.shape[:2]
    image = Image.frombytes("P", (width, height), palette.indices(picture).tobytes())
    image.putpalette(palette.colours.tobytes())
    return image
