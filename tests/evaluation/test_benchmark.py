"""The benchmark: what is fixed stays fixed, and a result says all that it depends on."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lostcities_env.agents.registry import UnknownAgentError
from lostcities_env.evaluation import benchmark as module
from lostcities_env.evaluation.benchmark import (
    DEALS,
    DEVELOPMENT,
    HELD_OUT,
    SETTINGS,
    Benchmark,
    BenchmarkError,
    Setting,
    deals_seed,
    run_benchmark,
    weights_digest,
)
from lostcities_env.evaluation.evaluation import evaluate, versions
from lostcities_env.evaluation.results_file import OtherResultsError
from lostcities_env.evaluation.standings import standings
from lostcities_env.evaluation.terms import Terms
from lostcities_env.evaluation.tournament import Protocol, play_tournament
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import VARIANTS

SMALL = (
    Setting("standard", Match(VARIANTS["mini3"]), 12, {}, ("random", "greedy", "discard")),
    Setting("six", Match(VARIANTS["six"]), 1, {}, ("random",)),
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SETTINGS", SMALL)


@pytest.fixture
def result(small: None, tmp_path: Path) -> dict[str, Any]:
    return run_benchmark(Benchmark("threshold"), tmp_path, workers=1)


# What is fixed. A test that fails here says that the benchmark needs another version.


def test_the_protocol_is_fixed() -> None:
    assert [(setting.name, setting.match.variant.name, setting.match.rounds) for setting in SETTINGS] == [
        ("standard", "standard", 1),
        ("six", "six", 1),
        ("match", "standard", 3),
    ]
    assert [setting.pairs for setting in SETTINGS] == [2000, 1000, 1000]
    assert [setting.match.tie for setting in SETTINGS] == ["draw"] * 3
    assert SETTINGS[0].opponents == ("random", "greedy", "threshold", "projection", "quick", "champion")
    assert SETTINGS[1].opponents == SETTINGS[0].opponents[:-1]


def test_the_opponents_of_the_package_are_those_of_the_protocol() -> None:
    found = {
        setting.name: {name: weights_digest(name, setting.match) for name in setting.weights}
        for setting in SETTINGS
    }
    assert found == {setting.name: setting.weights for setting in SETTINGS}


def test_the_deals_follow_from_a_phrase() -> None:
    phrase = b"lostcities-benchmark v1, held-out deals"
    assert deals_seed(HELD_OUT) == int(hashlib.sha256(phrase).hexdigest()[:16], 16) == 9955060454577987804
    assert deals_seed(DEVELOPMENT) == 2016864511458674408


def test_the_documentation_says_what_is_fixed() -> None:
    page = (Path(__file__).parents[2] / "docs" / "benchmark.md").read_text(encoding="utf-8")
    for setting in SETTINGS:
        assert f"| `{setting.name}` |" in page
        assert f"| {setting.pairs} |" in page
        for name, digest in setting.weights.items():
            assert re.search(rf"\| `{name}` \|.*`{setting.name}`.*\| `{digest}` \|", page)
    for deals in DEALS:
        assert re.search(rf"\| `{deals}`.*\| {deals_seed(deals)} \|", page)


# A result.


def test_contests_are_evaluations_with_the_seed_of_the_deals(result: dict[str, Any]) -> None:
    expected = evaluate(
        "threshold", "greedy", variant="mini3", pairs=12, seed=deals_seed(DEVELOPMENT)
    ).to_dict()
    contest = result["settings"][0]["contests"][1]
    assert contest["opponent"] == "greedy"
    for key in contest.keys() - {"opponent"}:
        assert contest[key] == expected[key], key


def test_the_headline_is_the_mean_over_all_opponents_but_random(
    result: dict[str, Any], tmp_path: Path
) -> None:
    """As the rating of a tournament is the mean over all, itself included at 0."""
    standard = result["settings"][0]
    margins = [contest["margin"]["value"] for contest in standard["contests"]]
    rates = [contest["matches"]["win_rate"]["value"] for contest in standard["contests"]]
    assert result["headline"] == standard["mean_margin"]
    assert result["headline"]["value"] == pytest.approx(np.mean(margins[1:]))
    assert standard["mean_win_rate"]["value"] == pytest.approx(np.mean(rates[1:]))
    agents = ("threshold", "greedy", "discard")
    protocol = Protocol(agents, SMALL[0].match, 12, deals_seed(DEVELOPMENT))
    rating = standings(protocol, play_tournament(protocol, tmp_path / "t", workers=1)).points.ratings[0]
    ends = [2 / 3 * result["headline"][end] for end in ("value", "low", "high")]
    assert ends == pytest.approx([rating.value, rating.low, rating.high])


def test_it_says_what_it_depends_on(result: dict[str, Any]) -> None:
    assert (result["schema"], result["protocol"]) == ("lostcities.benchmark/1", "lostcities-benchmark v1")
    assert (result["deals"], result["seed"], result["smoke"]) == (DEVELOPMENT, deals_seed(DEVELOPMENT), False)
    assert result["versions"] == versions()
    assert result["sha256"] == {"standard": None, "six": None}
    assert [setting["name"] for setting in result["settings"]] == ["standard", "six"]
    assert result["settings"][0]["match"] == SMALL[0].match.to_dict()
    json.dumps(result, allow_nan=False)


def test_it_goes_on_and_repeats(result: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "threshold-development.jsonl"
    content = file.read_bytes()
    file.write_bytes(content[:-100])
    assert run_benchmark(Benchmark("threshold"), tmp_path, workers=1) == result
    assert file.read_bytes() == content


@pytest.mark.usefixtures("small")
def test_held_out_deals_and_smoke_runs_have_files_of_their_own(tmp_path: Path) -> None:
    held_out = run_benchmark(Benchmark("greedy", HELD_OUT, smoke=True), tmp_path, workers=1)
    assert held_out["smoke"]
    assert {setting["pairs"] for setting in held_out["settings"]} == {module.SMOKE_PAIRS}
    assert [path.name for path in tmp_path.iterdir()] == ["greedy-held-out-smoke.jsonl"]
    assert Benchmark("runs/a/best.safetensors").file_name == "best-development"
    assert Benchmark("../my bots.py:Play.now").file_name == "my_bots.py_Play.now-development"


def test_a_setting_that_the_agent_does_not_play_is_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings = (Setting("standard", Match(), 1, {}, ("random",)), SMALL[1])
    monkeypatch.setattr(module, "SETTINGS", settings)
    six = run_benchmark(Benchmark("scratch"), tmp_path, workers=1)["settings"][1]
    assert "knows the rules of standard, not those of 'six'" in six["left_out"]
    assert (six["contests"], six["mean_margin"]["value"]) == ([], None)
    monkeypatch.setattr(module, "SETTINGS", SMALL)
    with pytest.raises(ValueError, match="knows the rules of"):
        run_benchmark(Benchmark("scratch"), tmp_path, workers=1)


@pytest.mark.usefixtures("small")
def test_an_agent_that_forfeits_has_no_headline(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("def play(observation, action_mask):\n    return action_mask.argmin()\n")
    result = run_benchmark(Benchmark(f"{bot}:play"), tmp_path / "out", workers=1)
    assert result["headline"]["value"] is None
    standard = result["settings"][0]
    assert standard["forfeits"] == 72
    assert standard["mean_win_rate"] == {"value": 0.0, "low": 0.0, "high": 0.0}
    assert (tmp_path / "out" / "failures").is_dir()
    bot.write_text(bot.read_text() + "\n")
    with pytest.raises(OtherResultsError, match=r"sha256\.standard"):
        run_benchmark(Benchmark(f"{bot}:play"), tmp_path / "out", workers=1)
    with pytest.raises(OtherResultsError, match="move_seconds: None there, 5 now"):
        run_benchmark(Benchmark(f"{bot}:play", terms=Terms(move_seconds=5)), tmp_path / "out", workers=1)


@pytest.mark.usefixtures("small")
def test_what_cannot_be_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="no deals 'mine'; there are development, held-out"):
        Benchmark("random", "mine")
    with pytest.raises(UnknownAgentError):
        run_benchmark(Benchmark("nobody"), tmp_path, workers=1)
    monkeypatch.setattr(
        module, "SETTINGS", (Setting("standard", Match(), 1, {"quick": "0" * 64}, ("quick",)),)
    )
    with pytest.raises(
        BenchmarkError, match="quick is not the one of lostcities-benchmark v1 in the setting"
    ):
        run_benchmark(Benchmark("random"), tmp_path, workers=1)
    assert list(tmp_path.iterdir()) == []
