"""The gain of one step of search."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import one_step, worlds
from benchmarks.one_step import Gain, _choose, draw_decisions, main, make_agents, measure
from lostcities_env import BatchGames
from lostcities_env.agents import Agent
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
        assert gain.points.low is not None
        assert gain.points.low > 0
    assert eager.other_turns.value is not None
    assert wary.other_turns.value is not None
    assert 0 < wary.other_turns.value < eager.other_turns.value


def test_what_a_decision_brings_counts_for_all_of_its_round(
    senseless: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agents = make_agents((senseless, "greedy"), MATCH, 1)
    in_round = [d.decisions for d in draw_decisions(agents, MATCH, 150, 4, np.random.default_rng(1))]
    assert len(set(in_round)) > 1

    def search_and_judge(*arguments: Any) -> tuple[np.ndarray, np.ndarray]:
        decisions = arguments[3]
        gained = np.array([[7.0 - d.decisions] for d in decisions])
        return gained, gained != 5.0

    monkeypatch.setattr(one_step, "_search_and_judge", search_and_judge)
    (gain,) = gains(senseless, gates=(0.0,))
    assert gain.points.value == pytest.approx(np.mean([n * (7 - n) for n in in_round]))
    assert gain.other_turns.value == pytest.approx(np.mean([n * (n != 2) for n in in_round]))


def test_the_same_seed_gives_the_same_figures(senseless: str) -> None:
    assert gains(senseless) == gains(senseless)
    assert gains(senseless) != gains(senseless, seed=2)


def test_every_decision_of_a_round_is_as_likely(senseless: str) -> None:
    agents = make_agents((senseless, "greedy"), MATCH, 1)
    decisions = draw_decisions(agents, MATCH, 2000, 1, np.random.default_rng(1))
    of_two = [int(d.state["turn"][0]) // 2 for d in decisions if d.decisions == 2]
    assert len(of_two) > 100
    assert np.mean(of_two) == pytest.approx(0.5, abs=2.6 / len(of_two) ** 0.5)


def test_the_policys_own_turn_comes_first(senseless: str) -> None:
    agents = make_agents((senseless, "greedy"), MATCH, 1)
    decisions = draw_decisions(agents, MATCH, 30, 3, np.random.default_rng(1))
    assert {decision.seat for decision in decisions} == {0, 1}
    batch = BatchGames(1, MINI_1, seed=1)
    for decision in decisions:
        batch.set_state(batch.get_state() | {"states": decision.state})
        assert batch.movers[0] == decision.seat
        assert agents[0].act(batch.observations, batch.action_masks)[0] == decision.turns[0]
        assert batch.action_masks[0, decision.turns].all()
        assert len(set(decision.turns)) == len(decision.turns) == min(3, batch.action_masks.sum())


def test_the_search_is_judged_with_other_random_choices(
    senseless: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds = []

    def play_out(agents: tuple[Agent, Agent], *arguments: Any) -> np.ndarray:
        seeds.append(agents[1].seed)
        return worlds.play_out(agents, *arguments)

    monkeypatch.setattr(one_step, "play_out", play_out)
    gains(senseless)
    assert set(seeds[::2]).isdisjoint(seeds[1::2])


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
