"""The gain of one step of search."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.one_step import Gain, _choose, draw_decisions, main, make_agents, measure
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import MINI_1
from tests.agents.test_policy import policy_of_noise

MATCH = Match(MINI_1)


@pytest.fixture
def senseless(tmp_path: Path) -> str:
    """The file of a policy with random weights."""
    path = tmp_path / "policy.safetensors"
    policy_of_noise(MATCH).write(path)
    return str(path)


def gains(name: str, *, seed: int = 1, gates: tuple[float, ...] = (0.0, 2.0)) -> list[Gain]:
    return measure((name, "greedy"), MATCH, positions=150, worlds=32, candidates=4, gates=gates, seed=seed)


def test_a_policy_without_sense_has_much_to_gain(senseless: str) -> None:
    eager, wary = gains(senseless)
    for gain in (eager, wary):
        assert gain.per_decision.low is not None
        assert gain.per_decision.low > 0
    assert 0 < wary.changed < eager.changed < 1


def test_the_gains_of_a_round_add_up(tmp_path: Path) -> None:
    match, path = Match(), tmp_path / "policy.safetensors"
    policy_of_noise(match).write(path)
    names = (str(path), "greedy")
    agents = make_agents(names, match, 1)
    in_round = [d.decisions for d in draw_decisions(agents, match, 30, 2, 1, np.random.default_rng(1))]
    assert min(in_round) > 10
    (gain,) = measure(names, match, positions=30, worlds=8, candidates=2, gates=(0.0,), seed=1)
    assert gain.per_round.value is not None
    assert gain.per_decision.value is not None
    assert min(in_round) <= gain.per_round.value / gain.per_decision.value <= max(in_round)


def test_the_same_seed_gives_the_same_figures(senseless: str) -> None:
    assert gains(senseless) == gains(senseless)
    assert gains(senseless) != gains(senseless, seed=2)


def test_the_policys_own_turn_comes_first(senseless: str) -> None:
    agents = make_agents((senseless, "greedy"), MATCH, 1)
    decisions = draw_decisions(agents, MATCH, 30, 3, 1, np.random.default_rng(1))
    assert {decision.seat for decision in decisions} == {0, 1}
    for decision in decisions:
        assert int(decision.state["mover"][0]) == decision.seat
        assert 1 <= len(decision.turns) <= 3
        assert len(set(decision.turns)) == len(decision.turns)


def test_a_turn_is_taken_for_its_mean_if_it_passes_the_gate() -> None:
    own, surely_better, perhaps_better = [0.0] * 4, [1.0, 1.0, 1.0, 1.1], [12.0, -6.0, 12.0, -6.0]
    margins = np.array([own, surely_better, perhaps_better])
    assert _choose(margins, [0.0, 1.0, 99.0]).tolist() == [2, 1, 0]
    assert _choose(margins[[1, 0]], [0.0]).tolist() == [0]
    assert _choose(np.array([own, [0.5] * 4]), [1e9]).tolist() == [1], "no doubt, so no gate keeps it out"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["quick", "nobody"], "no agent 'nobody'"),
        (["greedy", "quick"], "what is searched with is a learned policy, and 'greedy' is none"),
        (["quick", "quick", "--positions", "1"], "--positions 1: at least 2"),
        (["quick", "quick", "--gates", "0", "-1"], "--gates -1: at least 0"),
    ],
)
def test_wrong_arguments(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert message in capsys.readouterr().err


def test_prints_a_row_a_gate(senseless: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(
        [
            senseless,
            "greedy",
            "--variant",
            "mini1",
            "--positions",
            "4",
            "--worlds",
            "2",
            "--gates",
            "0",
            "1.5",
        ]
    )
    rows = capsys.readouterr().out.splitlines()[2:]
    assert [row.split(" | ")[0] for row in rows] == ["| 0", "| 1.5"]
