"""Films show every turn, and the end of each round for longer."""

from collections.abc import Callable
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from lostcities_env.render.film import END_SECONDS, Film
from lostcities_env.render.moments import is_round_over, moments
from lostcities_env.rules.game import Game
from tests.render.games import random_record
from tests.render.golden.write import largest_difference

FPS = 2


def first_legal(game: Game) -> int:
    return int(game.action_mask().argmax())


@pytest.fixture(scope="module")
def film() -> Film:
    return Film(list(moments(Game("mini3", rounds=2, seed=1), first_legal)), players=("one", "other"))


def test_a_film_needs_a_moment() -> None:
    with pytest.raises(ValueError, match="a film needs a moment"):
        Film([])


def test_the_end_of_a_round_stays(film: Film) -> None:
    pictures = list(film.pictures(FPS))
    assert len(pictures) == len(film.moments) + 2 * (END_SECONDS * FPS - 1)


def test_png(film: Film, tmp_path: Path) -> None:
    film.write_png(tmp_path / "picture", 3)
    with Image.open(tmp_path / "picture") as image:
        assert image.format == "PNG"
        np.testing.assert_array_equal(np.asarray(image), film.picture(3))


def test_gif(film: Film, tmp_path: Path) -> None:
    film.write_gif(tmp_path / "film", FPS)
    with Image.open(tmp_path / "film") as image:
        assert image.info["loop"] == 0
        durations = []
        for index in range(image.n_frames):  # type: ignore[attr-defined]
            image.seek(index)
            assert largest_difference(np.asarray(image.convert("RGB")), film.picture(index)) < 10
            durations.append(image.info["duration"])
    assert len(durations) == len(film.moments)
    ends = [is_round_over(moment.table) for moment in film.moments]
    assert durations == [END_SECONDS * 1000 if end else 500 for end in ends]


def test_mp4(film: Film, tmp_path: Path) -> None:
    film.write_mp4(tmp_path / "film", FPS)
    with av.open(str(tmp_path / "film")) as container:
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
        assert container.streams.video[0].average_rate == FPS
    assert len(frames) == len(list(film.pictures(FPS)))
    assert np.abs(frames[0].astype(int) - film.picture(0)).mean() < 5


def test_a_game_makes_a_small_gif(tmp_path: Path) -> None:
    record = random_record(turns=25, seed=3)
    actions = iter(record.rounds[0].actions)
    Film(list(moments(record.deal(), lambda game: next(actions, None)))).write_gif(tmp_path / "film", FPS)
    assert (tmp_path / "film").stat().st_size < 600_000


@pytest.mark.parametrize("write", [Film.write_gif, Film.write_mp4, Film.write_png])
def test_a_file_that_cannot_be_written(write: Callable[..., None], film: Film, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        write(film, tmp_path / "nowhere" / "film", 1)
