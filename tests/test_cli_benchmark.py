"""``lostcities benchmark``, run in this process: what it prints, what it writes, how it fails."""

import json
from pathlib import Path

import pytest

from lostcities_env.cli import main
from lostcities_env.evaluation import benchmark as module
from lostcities_env.evaluation.benchmark import Benchmark, Setting, run_benchmark
from lostcities_env.evaluation.benchmark_report import benchmark_report, benchmark_tables
from lostcities_env.rules.match import Match

RESULTS = sorted((Path(__file__).parents[1] / "docs" / "data" / "benchmark").glob("*.json"))


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = (Setting("standard", Match(), 2, {}, ("random", "greedy")),)
    monkeypatch.setattr(module, "SETTINGS", settings)


def outputs(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(["benchmark", *argv]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def complaint(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(["benchmark", *argv]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def test_it_prints_the_report_and_writes_the_result(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    printed = outputs(capsys, "threshold", "--workers", "1", "--out", str(tmp_path))
    expected = run_benchmark(Benchmark("threshold"), tmp_path / "again", workers=1)
    file = tmp_path / "threshold-development.json"
    assert printed == f"{benchmark_report(expected)}\n\nResult: {file}\n"
    assert json.loads(file.read_text()) == expected


def test_a_quick_run_is_no_result(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ["greedy", "--quick", "--deals", "held-out", "--workers", "1", "--out", str(tmp_path)]
    assert "no benchmark result" in outputs(capsys, *arguments)
    file = tmp_path / "greedy-held-out-smoke.json"
    assert complaint(capsys, "--table", str(file)) == "lostcities: greedy: a smoke run is no result\n"


def test_results_become_tables(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for agent in ("greedy", "threshold"):
        outputs(capsys, agent, "--workers", "1", "--out", str(tmp_path))
    files = sorted(map(str, tmp_path.glob("*.json")))
    results = [json.loads(Path(file).read_text()) for file in files]
    assert outputs(capsys, "--table", *files) == f"{benchmark_tables(results)}\n"


@pytest.mark.skipif(not RESULTS, reason="no results come with the docs")
def test_the_table_of_the_documentation_is_what_the_command_makes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = (RESULTS[0].parents[2] / "benchmark.md").read_text(encoding="utf-8")
    assert outputs(capsys, "--table", *map(str, RESULTS)) in page


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "takes an agent, or results after --table"),
        (["greedy", "--table", "x.json"], "takes an agent, or results after --table"),
        (["nobody"], "no agent 'nobody'"),
        (["model.zip"], "there is no such file"),
        (["greedy", "--deals", "mine"], "invalid choice: 'mine'"),
        (["--table", "nothing.json"], "cannot read nothing.json: No such file"),
        (["--table", "text.json"], "text.json: Expecting value"),
        (["--table", "other.json"], "other.json: no result of a benchmark"),
        (["greedy", "--out", "text.json"], "cannot write to text.json: File exists"),
    ],
)
def test_wrong_arguments(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    argv: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.json").write_text("hello")
    Path("other.json").write_text("{}")
    assert message in complaint(capsys, *argv)


def test_other_code_or_agents_are_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["greedy", "--workers", "1", "--out", str(tmp_path)]
    outputs(capsys, *arguments)
    monkeypatch.setattr(module, "commit", lambda: "another")
    error = complaint(capsys, *arguments)
    assert "greedy-development.jsonl holds results of other arguments: commit: " in error
    assert error.endswith("another now (choose another folder with --out)\n")
