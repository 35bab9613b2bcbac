"""Which code a result comes from."""

import re
import subprocess
from pathlib import Path

import pytest

from lostcities_env.evaluation import origin


def test_a_commit_or_nothing_is_named() -> None:
    assert re.fullmatch(r"[0-9a-f]{40}(-dirty)?|unknown", origin.commit())


def test_the_repository_of_someone_else_is_not_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package may lie in the folder of a project that does not track it."""
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for arguments in (["init", "-q"], [*who, "commit", "-q", "--allow-empty", "-m", "theirs"]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
    monkeypatch.setattr(origin, "__file__", str(tmp_path / "origin.py"))
    (tmp_path / "origin.py").touch()
    assert origin.commit() == origin.UNKNOWN
    subprocess.run(["git", "add", "origin.py"], cwd=tmp_path, check=True)
    assert re.fullmatch(r"[0-9a-f]{40}-dirty", origin.commit())


def test_without_git_nothing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert origin.commit() == origin.UNKNOWN
