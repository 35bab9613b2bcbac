"""The pictures of ``lostcities show``: which files it writes, and what it refuses before it plays."""

import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from lostcities_env.cli import main
from lostcities_env.render.film import END_SECONDS
from lostcities_env.render.layout import Layout
from lostcities_env.rules.match import Match
from tests.test_cli import complaint, outputs

GAME = ("show", "random", "discard", "--variant", "mini3", "--seed", "1", "--moves")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def picture(name: str) -> np.ndarray:
    with Image.open(name) as image:
        return np.asarray(image.convert("RGB"))


def test_writes_what_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    printed = outputs(capsys, *GAME, "--gif", "a.gif", "--mp4", "b.mp4", "--png", "c.png")
    text = outputs(capsys, *GAME)
    assert printed.startswith(text)
    written = [line.split(":")[0] for line in printed.removeprefix(text).splitlines()[1:]]
    assert written == ["a.gif", "b.mp4", "c.png"]
    assert sorted(path.name for path in Path().iterdir()) == written
    layout = Layout(Match("mini3"))  # type: ignore[arg-type]
    assert picture("c.png").shape == (layout.height, layout.width, 3)


def test_the_picture_is_that_after_so_many_turns(capsys: pytest.CaptureFixture[str]) -> None:
    pictures = []
    for turn in ("0", "1"):
        outputs(capsys, *GAME, "--png", "a.png", "--turn", turn)
        pictures.append(picture("a.png"))
    outputs(capsys, *GAME, "--gif", "a.gif", "--fps", "4")
    with Image.open("a.gif") as image:
        for index, drawn in enumerate(pictures):
            image.seek(index)
            assert image.info["duration"] == 250
            assert np.abs(np.asarray(image.convert("RGB")).astype(int) - drawn).mean() < 0.5
        image.seek(image.n_frames - 1)  # type: ignore[attr-defined]
        assert image.info["duration"] == END_SECONDS * 1000


def test_turns_of_a_match_count_through(capsys: pytest.CaptureFixture[str]) -> None:
    match = (*GAME, "--rounds", "2")
    printed = outputs(capsys, *match)
    turns = sum(int(line.split()[2]) for line in printed.splitlines() if line.startswith("Scores after"))
    outputs(capsys, *match, "--png", "end.png")
    outputs(capsys, *match, "--png", "last.png", "--turn", str(turns))
    np.testing.assert_array_equal(picture("end.png"), picture("last.png"))
    error = f"lostcities: --turn {turns + 1}: the game has {turns} turns\n"
    assert main([*match, "--png", "beyond.png", "--turn", str(turns + 1)]) == 2
    assert capsys.readouterr().err == error
    assert not Path("beyond.png").exists()


def test_viewer_and_scale(capsys: pytest.CaptureFixture[str]) -> None:
    deal = (*GAME, "--turn", "0", "--png")
    outputs(capsys, *deal, "all.png")
    outputs(capsys, *deal, "one.png", "--viewer", "1")
    outputs(capsys, *deal, "large.png", "--scale", "2")
    assert picture("large.png").shape[0] == 2 * picture("all.png").shape[0]
    assert (picture("all.png") != picture("one.png")).any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--gif", "game.mp4"], "--gif game.mp4: the name of the file must end in .gif"),
        (["--png", "game"], "--png game: the name of the file must end in .png"),
        (["--gif", "nowhere/game.gif"], "cannot write nowhere/game.gif: No such file or directory"),
        (["--turn", "3"], "--turn says which picture --png writes, and that is missing"),
        (["--png", "a.png", "--turn", "-1"], "--turn -1 is not a whole number from 0 on"),
        (["--gif", "a.gif", "--fps", "51"], "--fps 51 is more than 50"),
        (["--gif", "a.gif", "--fps", "0"], "'0' is not a whole number from 1 on"),
        (["--gif", "a.gif", "--scale", "5"], "--scale 5 is more than 4"),
        (["--gif", "a.gif", "--viewer", "2"], "invalid choice: 2"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_played(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in complaint(capsys, *GAME, *arguments)
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    ("option", "module", "package"),
    [("--gif", "pygame", "pygame-ce"), ("--png", "PIL", "Pillow"), ("--mp4", "av", "PyAV")],
)
def test_a_missing_library_is_named_with_the_extra(
    option: str,
    module: str,
    package: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    error = complaint(capsys, *GAME, option, f"game.{option[2:]}")
    assert error == f"lostcities: {option} needs {package}: pip install 'lostcities-env[render]'\n"
