"""Results of the benchmark in words: made-up ones, so that every number is known."""

import copy
from textwrap import dedent
from typing import Any

import pytest

from lostcities_env.evaluation.benchmark import BenchmarkError
from lostcities_env.evaluation.benchmark_report import benchmark_report, benchmark_tables, check_result
from lostcities_env.rules.match import Match


def estimate(value: float | None, reach: float = 1.0) -> dict[str, float | None]:
    ends = (None, None) if value is None else (value - reach, value + reach)
    return dict(zip(("value", "low", "high"), (value, *ends), strict=True))


def contest(opponent: str, margin: float | None, won: float, forfeits: int = 0) -> dict[str, Any]:
    figures = {"score": 20.0, "expeditions": 3.0, "wagers": 2.0, "bonuses": 0.5, "pile_draw_share": 0.25}
    return {
        "opponent": opponent,
        "margin": estimate(margin),
        "matches": {"win_rate": estimate(won, 0.125)},
        "figures": [{name: estimate(value) for name, value in figures.items()}],
        "turns_per_round": estimate(44.0),
        "piles_closed_share": estimate(0.001),
        "forfeits": [{"games": forfeits}, {"games": 0}],
    }


def result(agent: str, margin: float | None, forfeits: int = 0) -> dict[str, Any]:
    standard = {
        "name": "standard",
        "match": Match().to_dict(),
        "pairs": 2000,
        "opponents": ["random", "greedy"],
        "sha256": {},
        "left_out": None,
        "forfeits": forfeits,
        "mean_margin": estimate(margin, 0.5),
        "mean_win_rate": estimate(0.75, 0.01),
        "contests": [contest("random", 150.0, 1.0), contest("greedy", margin, 0.75, forfeits)],
    }
    match = standard | {"name": "match", "match": Match(rounds=3).to_dict(), "left_out": "it is too long"}
    none = {"forfeits": 0, "mean_margin": estimate(None), "mean_win_rate": estimate(None), "contests": []}
    return {
        "schema": "lostcities.benchmark/1",
        "protocol": "lostcities-benchmark v1",
        "smoke": False,
        "agent": agent,
        "deals": "development",
        "seed": 7,
        "confidence": 0.95,
        "headline": standard["mean_margin"],
        "settings": [standard, match | none],
    }


def test_a_report_has_the_headline_and_a_row_an_opponent() -> None:
    assert benchmark_report(result("runs/owl.safetensors", 12.25)) == dedent("""\
        lostcities-benchmark v1: owl
        development deals (seed 7), 95% intervals

        headline: mean margin per round  12.25 [11.75, 12.75]
        least margin per round           12.25 [11.25, 13.25] against greedy

        standard (standard, 1 round a game, 2000 pairs each):
        opponent                    margin per round              games won  forfeits  points  expeditions  wagers  from piles  turns  piles closed
        random               150.00 [149.00, 151.00]  100.0 % [87.5, 112.5]         0   20.00         3.00    2.00      25.0 %  44.00         0.1 %
        greedy                  12.25 [11.25, 13.25]    75.0 % [62.5, 87.5]         0   20.00         3.00    2.00      25.0 %  44.00         0.1 %
        mean without random     12.25 [11.75, 12.75]    75.0 % [74.0, 76.0]

        match (standard, 3 rounds a game, 2000 pairs each):
        left out: it is too long""")  # noqa: E501


def test_a_report_says_what_is_no_result() -> None:
    text = benchmark_report(result("owl", 1.0) | {"smoke": True})
    assert "These numbers are no benchmark result." in text
    text = benchmark_report(result("owl", None, forfeits=3))
    assert "headline: mean margin per round  -\n" in text
    assert "least margin" not in text
    assert "There is no headline for an agent that forfeits games" in text


def test_tables_have_a_row_an_agent_best_first() -> None:
    results = [result("a/wren.py:f", 3.0), result("owl", 12.25), result("b/wren.py:f", None, forfeits=2)]
    assert benchmark_tables(results) == dedent("""\
        lostcities-benchmark v1, development deals. Margin per round in the standard setting; the mean is the headline:

        | agent | mean without `random` | `random` | `greedy` |
        | --- | ---: | ---: | ---: |
        | `owl` | +12.2 ± 0.5 | +150.0 ± 1.0 | +12.2 ± 1.0 |
        | `a/wren.py:f` | +3.0 ± 0.5 | +150.0 ± 1.0 | +3.0 ± 1.0 |
        | `b/wren.py:f` | - | +150.0 ± 1.0 | - |

        Games won in the standard setting, with half of those drawn, in percent:

        | agent | mean without `random` | `random` | `greedy` |
        | --- | ---: | ---: | ---: |
        | `owl` | 75.0 ± 1.0 | 100.0 ± 12.5 | 75.0 ± 12.5 |
        | `a/wren.py:f` | 75.0 ± 1.0 | 100.0 ± 12.5 | 75.0 ± 12.5 |
        | `b/wren.py:f` | 75.0 ± 1.0 | 100.0 ± 12.5 | 75.0 ± 12.5 |

        The other settings, mean without `random`: margin per round, and games (or matches) won:

        | agent | match, margin | match, won, % |
        | --- | ---: | ---: |
        | `owl` | - | - |
        | `a/wren.py:f` | - | - |
        | `b/wren.py:f` | - | - |

        Style per round in the standard setting, mean without `random`; forfeits are of all settings:

        | agent | expeditions | wagers | bonuses | from piles, % | turns | piles closed, % | forfeits |
        | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
        | `owl` | 3.00 | 2.00 | 0.50 | 25.0 | 44.00 | 0.1 | 0 |
        | `a/wren.py:f` | 3.00 | 2.00 | 0.50 | 25.0 | 44.00 | 0.1 | 0 |
        | `b/wren.py:f` | 3.00 | 2.00 | 0.50 | 25.0 | 44.00 | 0.1 | 2 |""")  # noqa: E501


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"smoke": True}, "wren: a smoke run is no result"),
        ({"deals": "held-out"}, "one kind of deals, got development and held-out"),
        ({"agent": "owl"}, "every agent once, got 'owl' twice"),
    ],
)
def test_results_that_do_not_compare(change: dict[str, Any], message: str) -> None:
    with pytest.raises(BenchmarkError, match=message):
        benchmark_tables([result("owl", 1.0), result("wren", 1.0) | change])


def test_results_against_other_opponents_do_not_compare() -> None:
    other = result("wren", 1.0)
    other["settings"][0]["sha256"] = {"quick": "1234"}
    with pytest.raises(BenchmarkError, match="owl and wren were not measured alike"):
        benchmark_tables([result("owl", 1.0), other])


def test_what_is_no_result_is_refused() -> None:
    whole = result("owl", 1.0)
    assert check_result(whole) is whole
    broken = copy.deepcopy(whole)
    del broken["settings"][0]["contests"][1]["margin"]
    for content, message in (
        ([], "its schema is not 'lostcities.benchmark/1'"),
        (whole | {"schema": "lostcities.evaluation/3"}, "its schema is not"),
        (whole | {"protocol": "lostcities-benchmark v0"}, "a result of 'lostcities-benchmark v0', not of"),
        (broken, r"no whole result of a benchmark \(KeyError\('margin'\)\)"),
        (whole | {"settings": []}, "no whole result"),
    ):
        with pytest.raises(BenchmarkError, match=message):
            check_result(content)
