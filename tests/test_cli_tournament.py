"""``lostcities tournament``, run in this process: what it prints, what it writes, how it fails."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from lostcities_env.agents import registry
from lostcities_env.agents.base import Agent
from lostcities_env.cli import main
from lostcities_env.cli import tournament as command
from lostcities_env.evaluation.standings import standings
from lostcities_env.evaluation.standings_text import standings_report
from lostcities_env.evaluation.tournament import Protocol, play_tournament
from lostcities_env.files import in_file_name
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import VARIANTS

SMALL = ["--variant", "mini3", "--pairs", "4", "--seed", "2", "--workers", "1"]
FILES = ["ratings.csv", "report.html", "results.jsonl", "summary.json", "table.csv"]


class Illegal(Agent):
    """Takes action 0, come what may."""

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        return np.zeros(len(observations), dtype=np.int64)


def outputs(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(["tournament", *argv]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def complaint(capsys: pytest.CaptureFixture[str], *argv: str, code: int = 2) -> str:
    assert main(["tournament", *argv]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("lostcities: ")
    assert captured.err.count("\n") == 1
    return captured.err


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_prints_the_standings_and_writes_all_files(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "new" / "folder"
    printed = outputs(capsys, "random", "discard", "greedy", *SMALL, "--out", str(out))
    protocol = Protocol(("random", "discard", "greedy"), Match(VARIANTS["mini3"]), 4, 2)
    expected = standings(protocol, play_tournament(protocol, tmp_path / "again", workers=1))
    assert printed == f"{standings_report(expected)}\n\nReport: {out / 'report.html'}\n"
    assert sorted(contents(out)) == FILES
    assert json.loads((out / "summary.json").read_text())["seed"] == 2


def test_a_second_call_only_writes_again_and_an_interrupted_one_goes_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    arguments = ["random", "discard", "greedy", *SMALL, "--out", str(tmp_path)]
    printed = outputs(capsys, *arguments)
    before = contents(tmp_path)
    assert outputs(capsys, *arguments) == printed
    assert contents(tmp_path) == before
    (tmp_path / "results.jsonl").write_bytes(before["results.jsonl"][:-200])
    (tmp_path / "report.html").unlink()
    assert outputs(capsys, *arguments) == printed
    assert contents(tmp_path) == before


def test_other_arguments_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    outputs(capsys, "random", "discard", *SMALL, "--out", str(tmp_path))
    before = contents(tmp_path)
    error = complaint(capsys, "random", "discard", *SMALL, "--seed", "3", "--out", str(tmp_path))
    assert error.endswith(
        "results.jsonl holds results of other arguments: seed: 2 there, 3 now "
        "(choose another folder with --out)\n"
    )
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random"], "a tournament takes at least two agents, got 1"),
        (["random", "greedy", "random"], "a tournament takes every agent once, got 'random' twice"),
        (["random", "nobody"], "no agent 'nobody'"),
        (["random", "greedy", "--pairs", "0"], "'0' is not a whole number from 1 on"),
        (["random", "greedy", "--workers", "0"], "'0' is not a whole number from 1 on"),
        (["random", "greedy", "--seed", "-1"], "seed"),
    ],
)
def test_wrong_arguments_are_found_before_playing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: list[str], message: str
) -> None:
    out = tmp_path / "out"
    assert message in complaint(capsys, *arguments, "--out", str(out))
    assert not out.exists()


def test_the_missing_library_is_named_with_its_extra(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    out = tmp_path / "out"
    error = complaint(capsys, "random", "greedy", "--out", str(out))
    assert error == "lostcities: tournament needs SciPy: pip install 'lostcities-env[report]'\n"
    assert not out.exists()


def test_a_folder_that_cannot_be_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    error = complaint(capsys, "random", "greedy", *SMALL, "--out", str(file))
    assert error == f"lostcities: cannot write to {file}: File exists\n"


def test_an_illegal_action_is_told_and_what_was_played_stays(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_registered", {"illegal": Illegal})
    error = complaint(capsys, "random", "greedy", "illegal", *SMALL, "--out", str(tmp_path), code=1)
    assert "agent 'illegal' at seat" in error
    assert len((tmp_path / "results.jsonl").read_text().splitlines()) == 2


def test_a_guest_that_fails_is_told_of_and_the_tournament_goes_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    guest = tmp_path / "bot.py"
    guest.write_text("def play(observation, action_mask):\n    return 10**6\n")
    out = tmp_path / "out"
    printed = outputs(capsys, "random", "greedy", f"{guest}:play", *SMALL, "--out", str(out))
    assert "bot.py:play               16 of 16      0       16       0     0" in printed
    assert sorted(contents(out / "failures")) == [
        f"{agent}-{in_file_name(f'{guest}:play')}-seed2-pair0-seat1.json" for agent in ("greedy", "random")
    ]
    guest.write_text("def play(observation, action_mask):\n    return 10**5\n")
    error = complaint(capsys, "random", "greedy", f"{guest}:play", *SMALL, "--out", str(out))
    assert "holds results of other arguments: sha256." in error


def test_a_policy_of_sb3_plays_if_it_is_trusted(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "model.zip"
    model.touch()
    arguments = ["random", str(model), *SMALL, "--out", str(tmp_path / "out")]
    assert "--trust on the command line" in complaint(capsys, *arguments)

    def first_legal(observation: np.ndarray, action_mask: np.ndarray) -> int:
        return int(action_mask.argmax())

    monkeypatch.setattr("lostcities_env.agents.sb3.load", lambda name, match, seed: first_legal)
    assert main(["tournament", *arguments, "--trust"]) == 0
    captured = capsys.readouterr()
    assert captured.err.count("because it is said to be trusted") == 1
    assert "model.zip" in captured.out


SLOW = """
import time
from pathlib import Path

def play(observation, action_mask):
    if Path(__file__).with_name("slowly").exists():
        time.sleep(0.001)
    return int(action_mask.argmax())
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="interrupts are sent otherwise there")
def test_an_interrupt_ends_it_at_once_and_the_same_command_goes_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    (tmp_path / "slowly").touch()  # so that it is far from done when it is interrupted
    arguments = ["random", f"{tmp_path / 'slow.py'}:play", "--variant", "mini3", "--pairs", "3000"]
    arguments += ["--out", str(tmp_path)]
    # A process in the background inherits that interrupts are ignored; these tests may be in one.
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code += "; from lostcities_env.cli import main; sys.exit(main(sys.argv[1:]))"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "tournament", *arguments, "--workers", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    results = tmp_path / "results.jsonl"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (results.exists() and results.read_text().count("\n") > 1):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=30)
    assert (process.returncode, out, error) == (130, "", "lostcities: interrupted\n")
    played = results.read_text().count("\n")
    assert 1 < played < 31
    (tmp_path / "slowly").unlink()
    outputs(capsys, *arguments, "--workers", "1")
    assert results.read_text().count("\n") == 31
