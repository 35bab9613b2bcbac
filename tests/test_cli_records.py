"""Records on the command line: what `evaluate` and `show` save, and `replay` steps through."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lostcities_env.agents import registry
from lostcities_env.cli import evaluate as evaluate_command
from lostcities_env.cli import main, replay
from lostcities_env.cli import show as show_command
from lostcities_env.evaluation import evaluate
from lostcities_env.evaluation.results_file import decode_pairs
from lostcities_env.records import read_records, write_records
from tests.evaluation.test_transcript import OfTheWorld
from tests.records.test_record import RECORD

SMALL = ["--variant", "mini3", "--pairs", "6", "--seed", "2"]


def outputs(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(argv) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def complaint(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(argv) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


@pytest.fixture
def saved(tmp_path: Path) -> str:
    """A file of a finished game and one that was left in its second round."""
    rounds = (RECORD.rounds[0], type(RECORD.rounds[1])(RECORD.rounds[1].deck, 1, ()))
    left = type(RECORD)(RECORD.match, ("eve", "bob"), rounds, {"Event": "club evening"})
    write_records(tmp_path / "games.txt", [RECORD, left])
    return str(tmp_path / "games.txt")


# evaluate


def test_evaluate_saves_the_first_games_of_every_two_agents(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "games.txt"
    plain = outputs(capsys, "evaluate", "greedy", "random", "discard", *SMALL)
    argv = ["evaluate", "greedy", "random", "discard", *SMALL, "--save-records", str(path)]
    assert outputs(capsys, *argv, "--records-of", "2") == plain
    pairings = [set(record.players) for record in read_records(path)]
    assert pairings == [{"greedy", "random"}] * 4 + [{"greedy", "discard"}] * 4
    assert outputs(capsys, *argv) == plain
    records = read_records(path)
    assert len(records) == 24, "all of six pairs, fewer than are saved"
    margins = []
    for record in records[:12]:
        first, second = record.final().scores
        margins.append(first - second if record.players[0] == "greedy" else second - first)
    assert sum(margins) / 12 == evaluate("greedy", "random", variant="mini3", pairs=6, seed=2).margin.value
    assert list(tmp_path.iterdir()) == [path]


# tournament


def test_tournament_saves_the_games_that_it_counts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("scipy")
    path, out = tmp_path / "games.txt", str(tmp_path / "out")
    argv = ["tournament", "random", "greedy", "discard", *SMALL, "--workers", "1", "--out", out]
    printed = outputs(capsys, *argv)
    saving = [*argv, "--save-records", str(path), "--records-of", "2"]
    assert outputs(capsys, *saving) == printed, "of a tournament that is finished"
    records = read_records(path)
    assert [set(record.players) for record in records[::4]] == [
        {"random", "greedy"}, {"random", "discard"}, {"greedy", "discard"},
    ]  # fmt: skip
    rounds = []
    for line in (tmp_path / "out" / "results.jsonl").read_text().splitlines()[1:]:
        rounds.append(decode_pairs(json.loads(line)).rounds["score"][:2, :, 0].reshape(4, 2).tolist())
    for record, (a, b) in zip(records, [scores for chunk in rounds for scores in chunk], strict=True):
        seat_of_a = int(record.headers["Seat of A"])
        assert record.final().scores == ((a, b) if seat_of_a == 0 else (b, a))


def test_games_that_cannot_be_had_again_are_not_saved(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("scipy")
    registry.register("of-the-world", OfTheWorld)
    path = tmp_path / "games.txt"
    argv = ["tournament", "of-the-world", "greedy", *SMALL, "--workers", "1", "--out", str(tmp_path / "out")]
    try:
        assert main([*argv, "--save-records", str(path)]) == 1
    finally:
        registry.unregister("of-the-world")
    printed, error = capsys.readouterr()
    assert "Ratings" in printed
    assert error.startswith(
        "lostcities: no records of of-the-world against greedy: played again, their games"
    )
    assert not path.exists()


def test_a_file_that_cannot_be_written_is_found_before_playing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def played(*args: object, **kwargs: object) -> None:
        raise AssertionError("played first")

    monkeypatch.setattr(evaluate_command, "evaluate", played)
    monkeypatch.setattr(show_command, "narrate", played)
    missing = str(tmp_path / "nowhere" / "games.txt")
    for argv in (["evaluate", "random", "random", "--save-records"], ["show", "random", "random", "--save"]):
        error = complaint(capsys, *argv, missing)
        assert error == f"lostcities: cannot write {missing}: No such file or directory\n"


# show and replay


@pytest.mark.parametrize("options", [[], ["--moves"]])
def test_a_shown_game_is_replayed_as_it_was_shown(
    options: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = str(tmp_path / "game.txt")
    game = ["greedy", "random", "--rounds", "2", "--seed", "3", *options]
    shown = outputs(capsys, "show", *game)
    assert outputs(capsys, "show", *game, "--save", path) == shown
    replayed = outputs(capsys, "replay", path, *options)
    (record,) = read_records(path)
    assert record.players == ("greedy", "random")
    assert record.headers["Seed"] == "3"
    assert shown.splitlines()[0] == "greedy (0) against random (1): standard, seed 3"
    heading = ["greedy (0) against random (1): standard"]
    heading += [f"{name}: {value}" for name, value in record.headers.items()]
    assert replayed.splitlines() == heading + shown.splitlines()[1:]


def test_replay_prints_the_game_that_is_asked_for(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    first = outputs(capsys, "replay", saved, "--moves")
    assert first.startswith("ann (0) against bob (1): mini3, game 1 of 2\nSeed: 1\n")
    assert first.endswith("\nFinal score -2 : -3, ann (0) wins\n")
    second = outputs(capsys, "replay", saved, "--moves", "--game", "2")
    assert second.startswith("eve (0) against bob (1): mini3, game 2 of 2\nEvent: club evening\n\nRound 1\n")
    assert second.endswith("\n\nRound 2\n\nLeft unfinished in round 2 after 0 turns\n")


def test_replay_says_what_is_wrong_with_a_file(
    saved: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert complaint(capsys, "replay", saved, "--game", "3").endswith(f"{saved} has 2 record(s)\n")
    assert "'0' is not a whole number from 1 on" in complaint(capsys, "replay", saved, "--game", "0")
    assert "cannot read nowhere.txt: No such file" in complaint(capsys, "replay", "nowhere.txt")
    assert f"cannot read {tmp_path}: Is a directory" in complaint(capsys, "replay", str(tmp_path))
    broken = tmp_path / "broken.txt"
    broken.write_text(Path(saved).read_text().replace("Score: -2 : -1", "Score: -2 : 1", 1))
    error = complaint(capsys, "replay", str(broken))
    assert error == (f"lostcities: {broken}, line 20: the moves make 'Score: -2 : -1', got 'Score: -2 : 1'\n")


class Terminal:
    """A terminal at which someone types lines; what is shown before each of them is kept."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        self._lines: Iterator[str] = iter(())
        self.screens: list[str] = []

    def type(self, file: str, *lines: str) -> list[str]:
        for stream in (sys.stdin, sys.stdout):
            self._monkeypatch.setattr(stream, "isatty", lambda: True)
        self._monkeypatch.setenv("NO_COLOR", "1")
        self._monkeypatch.setattr("builtins.input", self._input)
        self._lines = iter(lines)
        assert main(["replay", file]) == 0
        return self.screens

    def _input(self, prompt: str) -> str:
        self.screens.append(self._capsys.readouterr().out)
        try:
            return next(self._lines)
        except StopIteration:
            raise EOFError from None


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    monkeypatch.setenv("TERM", "xterm")
    return Terminal(monkeypatch, capsys)


def places(screens: list[str]) -> list[tuple[int, int]]:
    """The round and the turn of each screen."""
    found = [re.search(r"round (\d) of 2, turn (\d),", screen) for screen in screens]
    return [(int(at[1]), int(at[2])) for at in found if at]


def test_stepping_through_a_game(saved: str, terminal: Terminal) -> None:
    screens = terminal.type(saved, "", " ", "n", "p", "b", "0", "2", "4", "", "r", "2", "0", "q")
    first_round = [(1, 0), (1, 1), (1, 2), (1, 3), (1, 2), (1, 1), (1, 0), (1, 2), (1, 4)]
    assert places(screens) == [*first_round, (2, 0), (2, 0), (2, 2), (2, 0)]
    title = f"{replay.CLEAR}ann (0) against bob (1): mini3, game 1 of 2\n"
    assert screens[0].startswith(f"{title}Seed: 1\nDate: 2026-11-30\n\nLost Cities (mini3): ")
    assert all(screen.startswith(f"{title}\nLost Cities") for screen in screens[1:10])
    assert screens[0].endswith("\n\nRound 1 is dealt\n")
    assert screens[1].endswith("\n\n   1  1 bob  -Rx deck      0    0\n")
    assert "Scores after 4 turns\n" in screens[8]
    assert "There is no other round." in screens[10]
    assert "Over: player 0 wins" in screens[11]
    assert screens[11].endswith("\n\nFinal score -2 : -3, ann (0) wins\n")


def test_what_the_keys_cannot_do_is_said(saved: str, terminal: Terminal) -> None:
    screens = terminal.type(saved, "p", "9", "?", "frob", "r", "2", "n", "Q")
    for screen, said in zip(
        screens[1:],
        [
            "This is the beginning.",
            "Round 1 has no turn 9.",
            "p, b             the turn before",
            "'frob' is none of these:\nEnter, space, n  the next turn",
            "Round 2 is dealt",
            "Over: player 0 wins",
            "This was the last turn.",
        ],
        strict=True,
    ):
        assert said in screen


def test_the_end_of_the_input_ends_the_replay(saved: str, terminal: Terminal) -> None:
    assert len(terminal.type(saved)) == 1


def test_a_dumb_terminal_is_not_cleared(
    saved: str, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert terminal.type(saved, "")[1].startswith("ann (0) against bob (1)")


@pytest.mark.parametrize("stream", ["stdin", "stdout"])
def test_without_a_terminal_all_is_printed(
    stream: str, saved: str, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(terminal.type(saved)) == 1
    monkeypatch.setattr(getattr(sys, stream), "isatty", lambda: False)
    assert main(["replay", saved]) == 0
    assert len(terminal.screens) == 1


def test_moves_are_printed_on_a_terminal_too(saved: str, terminal: Terminal) -> None:
    assert len(terminal.type(saved)) == 1
    assert main(["replay", saved, "--moves"]) == 0
    assert len(terminal.screens) == 1
