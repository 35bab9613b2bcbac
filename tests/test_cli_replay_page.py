"""``lostcities replay --html``."""

from pathlib import Path

import pytest

from lostcities_env.cli import replay_page
from lostcities_env.records import write_records
from tests.render.games import random_record
from tests.render.test_viewer import games_of
from tests.test_cli_records import complaint, outputs


@pytest.fixture
def saved(tmp_path: Path) -> str:
    """A file of a game that was left early, and one that no learned policy plays."""
    path = tmp_path / "games.txt"
    write_records(path, [random_record(turns=2), random_record("mini2", players=("cleo", "dan"))])
    return str(path)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "page.html"


def test_all_games_of_a_file_are_on_the_page(
    saved: str, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = outputs(capsys, "replay", saved, "--html", str(out))
    assert said == f"{out}: 2 games, judged by quick\n"
    first, second = games_of(out.read_text(encoding="utf-8"))
    assert (first["judge"], second["judge"]) == ("quick", None)
    assert "judgement" in first["frames"][0]["move"]
    assert "judgement" not in second["frames"][0]["move"]


@pytest.mark.parametrize(("judge", "said"), [("none", ""), ("quick", ", judged by quick")])
def test_one_game_and_a_judge_to_choose(
    saved: str, out: Path, judge: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["replay", saved, "--html", str(out), "--game", "1", "--judge", judge]
    assert outputs(capsys, *argv) == f"{out}: 1 game{said}\n"
    [game] = games_of(out.read_text(encoding="utf-8"))
    assert game["players"] == ["ann", "bob"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--judge", "greedy"], "--judge greedy: GreedyAgent has no values"),
        (["--judge", "nobody"], "no agent 'nobody'"),
        (["--judge", "quick"], "not those of 'mini2'"),
        (["--game", "3"], "has 2 record(s)"),
        (["--moves"], "not allowed with argument"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(
    saved: str, out: Path, options: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert why in complaint(capsys, "replay", saved, "--html", str(out), *options)
    assert not out.exists()


def test_a_judge_needs_a_page(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--judge needs --html" in complaint(capsys, "replay", saved, "--judge", "quick")


def test_a_page_that_cannot_be_written(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "cannot write /nowhere/" in complaint(capsys, "replay", saved, "--html", "/nowhere/page.html")


def test_a_page_does_not_take_the_place_of_the_records(
    saved: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = Path(saved).read_text(encoding="utf-8")
    monkeypatch.chdir(Path(saved).parent)
    assert "place of the records" in complaint(capsys, "replay", saved, "--html", Path(saved).name)
    assert Path(saved).read_text(encoding="utf-8") == text


def test_too_many_games_for_a_page(
    saved: str, out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay_page, "MOST_GAMES", 1)
    assert "choose one with --game" in complaint(capsys, "replay", saved, "--html", str(out))
