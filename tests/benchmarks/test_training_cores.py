"""The benchmark of training on several cores."""

import sys

import pytest

pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from benchmarks.training_cores import Subject, main, measure, subjects, table


def test_ppo_has_a_process_a_core_and_the_rival_a_thread_a_core() -> None:
    by_trainer = {(one.trainer, one.processes, one.threads) for one in subjects(4)}
    assert by_trainer == {("ppo", 4, 1), ("sb3", 1, 1), ("sb3", 1, 4)}
    assert {(one.trainer, one.processes, one.threads) for one in subjects(1)} == {
        ("ppo", 1, 1),
        ("sb3", 1, 1),
    }


def test_the_better_number_of_threads_counts() -> None:
    ppo, slow, fast = Subject("ppo", 48, 2, 1), Subject("sb3", 48, 1, 1), Subject("sb3", 48, 1, 2)
    rows = table({ppo: 700.0, slow: 50.0, fast: 100.0}).splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert cells == [["ppo", "48", "2", "1", "700", "7.0"], ["sb3", "48", "1", "2", "100", "1.0"]]


def test_what_goes_wrong_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    script = "import sys; print('out of luck', file=sys.stderr); sys.exit(3)"
    monkeypatch.setattr(Subject, "command", lambda self, turns: [sys.executable, "-c", script])
    with pytest.raises(RuntimeError, match="out of luck"):
        measure(Subject("ppo", 48, 2, 1), 1)


def test_wrong_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--cores", "0"])
    assert "--cores 0: at least 1" in capsys.readouterr().err


@pytest.mark.slow
def test_a_subject_is_measured() -> None:
    assert measure(Subject("ppo", 8, 2, 1), 1) > 0
