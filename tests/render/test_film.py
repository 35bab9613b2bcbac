"""Films show every turn, and the end of each round for longer."""

from collections.abc import Callable
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from lostcities_env.render.film import END_SECONDS, Film, Moment, after
from lostcities_env.rules.game import Game, IllegalActionError
from tests.render.golden.write import largest_difference
from tests.strategies import play_random_turn

FPS = 2


def moments_of(game: Game) -> list[Moment]:
    moments = []
    while not game.over:
        if game.turn == 0:
            moments.append(Moment(game.clone(), None))
        action = int(game.action_mask().argmax())
        moments.append(after(game, action))
        game.step(action)
    return moments


@pytest.fixture(scope="module")
def film() -> Film:
    return Film(moments_of(Game("mini3", rounds=2, seed=1)), players=("one", "other"))


def test_after_leaves_the_round_as_it_ended() -> None:
    game = Game("mini3", rounds=2, seed=1)
    moments = moments_of(game.clone())
    ends = [moment.game for moment in moments if moment.game.states[0]["round_over"]]
    assert [end.deck_count for end in ends] == [0, 0]
    assert [end.scores for end in ends] == ends[-1].round_scores
    assert ends[0].match_scores == ends[0].scores


def test_after_does_not_touch_the_game() -> None:
    game = Game(seed=1)
    before = game.to_dict()
    with pytest.raises(IllegalActionError):
        after(game, int(game.action_mask().argmin()))
    after(game, int(game.action_mask().argmax()))
    assert game.to_dict() == before


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
    ends = [bool(moment.game.states[0]["round_over"]) for moment in film.moments]
    assert durations == [END_SECONDS * 1000 if end else 500 for end in ends]


def test_mp4(film: Film, tmp_path: Path) -> None:
    film.write_mp4(tmp_path / "film", FPS)
    with av.open(str(tmp_path / "film")) as container:
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
        assert container.streams.video[0].average_rate == FPS
    assert len(frames) == len(list(film.pictures(FPS)))
    assert np.abs(frames[0].astype(int) - film.picture(0)).mean() < 5


def test_a_game_makes_a_small_gif(tmp_path: Path) -> None:
    game = Game(seed=3)
    moments, choice = [Moment(game.clone(), None)], 0.0
    while not game.over and len(moments) <= 25:
        choice = (choice + 0.37) % 1
        play_random_turn(game, choice)
        moments.append(Moment(game.clone(), None))
    Film(moments).write_gif(tmp_path / "film", FPS)
    assert (tmp_path / "film").stat().st_size < 600_000


@pytest.mark.parametrize("write", [Film.write_gif, Film.write_mp4, Film.write_png])
def test_a_file_that_cannot_be_written(write: Callable[..., None], film: Film, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        write(film, tmp_path / "nowhere" / "film", 1)
