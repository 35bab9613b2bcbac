"""``lostcities play``: its arguments, and a server that a person starts and stops."""

import io
import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from lostcities_env.cli import main
from lostcities_env.play.serving import listen


def complaint(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(["play", *argv]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err.strip()


def test_wrong_arguments(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "no agent 'nobody'" in complaint(capsys, "nobody")
    assert "no variant 'mini9'" in complaint(capsys, "--variant", "mini9")
    assert "rounds=0" in complaint(capsys, "--rounds", "0")
    assert "seed -1 is outside" in complaint(capsys, "--seed", "-1")
    assert "knows the rules of standard" in complaint(capsys, "--variant", "mini1")
    assert "--port 70000 is outside 0..65535" in complaint(capsys, "--port", "70000")
    (tmp_path / "file").touch()
    assert "it is not a folder" in complaint(capsys, "--save", str(tmp_path / "file"))


def test_a_port_in_use(capsys: pytest.CaptureFixture[str]) -> None:
    with listen(0) as listener:
        port = listener.getsockname()[1]
        message = complaint(capsys, "greedy", "--port", str(port), "--no-browser")
    assert message == f"lostcities: port {port} is in use; take another one, or 0 for any that is free"


def test_without_the_extra(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lostcities_env.cli.play._SERVER", ("starlette", "no_such_module"))
    message = complaint(capsys, "greedy")
    assert message.endswith(
        "the page needs no_such_module: pip install 'lostcities-env[play]', or play with --terminal"
    )


def test_in_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    argv = ["play", "greedy", "--terminal", "--seed", "7", "--seat", "1", "--first", "agent"]
    assert main([*argv, "--save", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("You are player 1, greedy is player 0.")
    assert "greedy plays " in text
    assert text.endswith("Stopped.\n")


def test_serves_until_interrupted(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-m", "lostcities_env", "play", "greedy"]
    options = ["--port", "0", "--no-browser", "--save", str(tmp_path)]
    with subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().removeprefix("Play at ").strip()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{address}api/options", timeout=60) as answer:
            assert json.load(answer)["default"]["agent"] == "greedy"
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
    assert output.endswith("Stopped.\n")


def test_loads_no_torch() -> None:
    code = (
        "import sys; import lostcities_env.cli.play, lostcities_env.play.server, lostcities_env.play.serving;"
        "print([name for name in ('torch', 'pygame', 'matplotlib') if name in sys.modules])"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.strip() == "[]"
