"""The benchmark of pairs per second runs, and prints a row a number of workers."""

import re
import sys

import pytest

from benchmarks import pairs


@pytest.mark.slow
def test_it_prints_a_row_a_number_of_workers(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["random", "greedy", "--workers", "1", "--chunks", "1", "--rounds", "1"]
    monkeypatch.setattr(sys, "argv", ["pairs", *arguments])
    pairs.main()
    title, header, row = capsys.readouterr().out.splitlines()
    assert title.startswith("random against greedy, standard game, ")
    assert header.split() == ["workers", "pairs/s", "x", "1"]
    assert re.fullmatch(r"1 +\d+ +1\.00", row)
