"""A study of two variants, on a miniature: trained, judged and tabulated, once and no more."""

import json
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("torch")
pytest.importorskip("tensorboard")

from training.ablations import main
from training.config import ConfigError, read_config
from training.study import Study

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
BASE = {
    "variant": "mini3",
    "width": 8,
    "rank": 2,
    "games": 16,
    "turns_per_rollout": 8,
    "minibatch": 64,
    "total_turns": 256,
    "bfloat16": False,
    "evaluate_pairs": 2,
    "baselines": ["random"],
}


def write_study(tmp_path: Path, **changes: Any) -> str:
    study = {
        "runs": str(tmp_path / "runs"),
        "base": BASE,
        "variants": {"base": {}, "low": {"entropy": 0.00001}},
        "opponents": ["random", "discard"],
        "pairs": 5,
        "deals": 7,
    }
    path = tmp_path / "study.yaml"
    path.write_text(yaml.safe_dump(study | changes, sort_keys=False))
    return str(path)


def rows(output: str) -> dict[str, list[str]]:
    """The cells of each row of the table, by the first."""
    lines = [line.strip("| ").split("|") for line in output.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line] for line in lines]
    return {row[0]: row[1:] for row in cells}


def forbid_training(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(*_: object, **__: object) -> None:
        raise AssertionError("a run was started")

    monkeypatch.setattr(subprocess, "Popen", start)


def test_a_study_is_carried_out_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    study = write_study(tmp_path)
    assert main(["--config", study, "--jobs", "2"]) == 0
    first = capsys.readouterr()
    table = rows(first.out)
    assert table["variant"][:3] == ["seeds", "against random", "against discard"]
    for name in ("base", "low"):
        directory = tmp_path / "runs" / f"{name}-1"
        evaluations = json.loads((directory / "evaluation.json").read_text())["evaluations"]
        margins = [f"{evaluation['margin']['value']:+.1f}" for evaluation in evaluations]
        wagers = f"{evaluations[0]['figures'][0]['wagers']['value']:.2f}"
        assert table[name][:3] == ["1", *margins]
        assert table[name][4] == wagers
        assert int(table[name][3].replace(",", "")) > 0
        assert f"{name}-1: {margins[0]} against random, {margins[1]} against discard" in first.err
    assert json.loads((tmp_path / "runs" / "low-1" / "config.json").read_text())["entropy"] == 0.00001

    forbid_training(monkeypatch)
    assert main(["--config", study]) == 0
    assert capsys.readouterr().out == first.out
    assert main(["--config", study, "--table", "--only", "low"]) == 0
    assert list(rows(capsys.readouterr().out)) == ["variant", "-" * len("variant"), "low"]

    # Another opponent is played by the policies that are there; another base is another study.
    assert main(["--config", write_study(tmp_path, opponents=["random", "discard", "greedy"])]) == 0
    assert "against greedy" in rows(capsys.readouterr().out)["variant"]
    assert main(["--config", write_study(tmp_path, base={**BASE, "width": 9})]) == 2
    assert "base-1 holds a run of another configuration (width 8 -> 9)" in capsys.readouterr().err


def test_a_run_that_fails_is_shown_and_the_others_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = write_study(tmp_path)
    (tmp_path / "runs" / "base-1").mkdir(parents=True)
    (tmp_path / "runs" / "base-1" / "checkpoint.safetensors").write_bytes(b"")
    assert main(["--config", study]) == 1
    shown = capsys.readouterr()
    assert re.search(r"\[1/2\] base-1: failed: ended early \(exit code 2\)\n +error: ", shown.err)
    assert "[2/2] low-1: " in shown.err
    table = rows(shown.out)
    assert table["base"] == ["0", *["-"] * 7]
    assert table["low"][0] == "1"


def test_an_interrupted_study_goes_on_where_it_was(tmp_path: Path) -> None:
    path = write_study(tmp_path, base={**BASE, "total_turns": 12_000}, variants={"base": {}})
    study = read_config(Study, Path(path))
    (run,) = study.list_runs()
    command = [sys.executable, "-m", "training.ablations", "--config", path]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    metrics = run.directory / "metrics.jsonl"
    while process.poll() is None and not (metrics.exists() and metrics.read_text()):
        time.sleep(0.05)
    process.terminate()
    _, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (130, "interrupted; the same command goes on\n")
    assert run.checkpoint_file.exists()
    assert not run.is_trained()

    # What is there counts: the log of the second part begins beyond the first turns.
    before = len(metrics.read_text().splitlines())
    assert main(["--config", path]) == 0
    assert run.is_trained()
    turns = [json.loads(line)["turns"] for line in metrics.read_text().splitlines()]
    assert turns[before] > turns[before - 1] > 0


def test_an_empty_study_has_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--config", write_study(tmp_path), "--table"]) == 0
    assert rows(capsys.readouterr().out)["low"] == ["0", *["-"] * 7]
    assert not (tmp_path / "runs").exists()


def test_seeds_are_averaged_with_their_spread(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = {"wagers": {"value": 1.0}, "expeditions": {"value": 2.0}, "pile_draw_share": {"value": 0.25}}
    for seed, margin, speed in ((1, 3.0, 1000.0), (2, -1.5, 2000.0)):
        directory = tmp_path / "runs" / f"base-{seed}"
        directory.mkdir(parents=True)
        evaluation = {
            "agents": ["policy", "random"],
            "opponent_is": "RandomAgent",
            "pairs": 5,
            "seed": 7,
            "margin": {"value": margin},
            "figures": [figures],
            "turns_per_round": {"value": 20.0 + seed},
        }
        elsewhere = {**evaluation, "agents": ["policy", "discard"], "seed": 8}  # other deals: doesn't count
        other = {**evaluation, "opponent_is": "another", "margin": {"value": 99.0}}  # had its name before
        kept = {"evaluations": [evaluation, elsewhere, other]}
        (directory / "evaluation.json").write_text(json.dumps(kept))
        lines = [{"time/turns_per_second": 1.0}, {"time/turns_per_second": speed}, {"random/margin": 1.0}]
        cut_short = '{"time/turns_per'
        text = "".join(json.dumps(line) + "\n" for line in lines) + cut_short
        (directory / "metrics.jsonl").write_text(text)
    study = write_study(tmp_path, seeds=[1, 2, 3])
    assert main(["--config", study, "--table", "--only", "base"]) == 0
    expected = ["2", "+0.8 (-1.5..+3.0)", "-", "1,500", "1.00", "2.00", "25.0%", "21.5"]
    assert rows(capsys.readouterr().out)["base"] == expected


def test_every_variant_gets_its_first_seed_first(tmp_path: Path) -> None:
    study = read_config(Study, Path(write_study(tmp_path, seeds=[1, 2])))
    assert [run.name for run in study.list_runs()] == ["base-1", "low-1", "base-2", "low-2"]
    with pytest.raises(ConfigError, match="no variant lower; there are base, low"):
        study.list_runs(["lower"])


def test_the_shipped_study_is_read() -> None:
    study = read_config(Study, ROOT / "configs" / "ppo" / "ablations.yaml")
    runs = study.list_runs()
    assert len(runs) == 3 * len(study.variants)
    base, *others = (replace(run.config, name="same") for run in runs if run.config.seed == 1)
    assert all(other != base for other in others)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"variants": {"low": {"entropie": 0.1}}}, r"variant low: unknown key\(s\) entropie"),
        ({"variants": {"low": {"seed": 2}}}, "variant low sets seed, which the study does itself"),
        ({"variants": {"low": None}}, "variant low is not a mapping"),
        ({"variants": {False: {}}}, "is not a mapping of names"),
        ({"variants": {"a/b": {}}}, "name='a/b-1' is not the name of a directory"),
        ({"base": [1]}, r"base is not a mapping of keys to values, got \(1,\)"),
        ({"seeds": [1, 1]}, r"seeds=\(1, 1\) is not a list of ints, each named once"),
        ({"opponents": []}, r"opponents=\(\) is not a list of strs, each named once"),
        ({"opponents": ["nobody"]}, "no agent 'nobody'"),
        ({"base": {"max_minutes": 3}}, "base sets max_minutes"),
        ({"pairs": 1}, "pairs=1 is not an integer in 2"),
        ({"jobs": 2}, r"unknown key\(s\) jobs"),
    ],
)
def test_a_wrong_study_is_one_clear_line(
    tmp_path: Path, changes: dict[str, Any], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--config", write_study(tmp_path, **changes)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert re.search(message, error)
