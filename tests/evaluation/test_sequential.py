"""Sequential tests of agents: which pairs they play, where they stop, what they say."""

import json
import re
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from lostcities_env.agents.base import Agent
from lostcities_env.evaluation import Hypotheses, SequentialTest, evaluate, sequential_test
from lostcities_env.evaluation.likelihood import normal_llr, pentanomial_llr, score_of_elo
from lostcities_env.evaluation.pair_results import PairResults
from lostcities_env.evaluation.report import sequential_report
from lostcities_env.evaluation.sequential import H0, H1, UNDECIDED, fewest_pairs, llr_of
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import VARIANTS
from tests.evaluation.test_pair_results import two_pairs

NEVER = Hypotheses("margin", -1e-6, 1e-6)
"""Too close to tell apart."""
MINI = Match(VARIANTS["mini1"])


class Tossing(Agent):
    """Takes any legal action, and another one when it sees the same again.

    The agent "random" follows from its seed and what it sees: in the smallest games, where few things are
    to be seen, two of them are two different players.
    """

    def reset(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        return (action_masks * self.rng.random(action_masks.shape)).argmax(axis=1)


def test_likelihood_ratios_are_those_of_the_pairs() -> None:
    results = PairResults()
    results.append(two_pairs())
    # Margins per round 3 and -1: mean 1, variance 8.
    assert llr_of(results, Hypotheses("margin", 0, 4)) == pytest.approx(float(normal_llr(2, 1.0, 8.0, 0, 4)))
    elo = float(pentanomial_llr(np.array([0, 1, 0, 0, 1]), score_of_elo(-10), score_of_elo(30)))
    assert llr_of(results, Hypotheses("elo", -10, 30)) == pytest.approx(elo)


def test_a_test_stops_at_the_first_look_outside_the_bounds() -> None:
    looks: list[tuple[int, float]] = []
    test = sequential_test(
        "random",
        "random",
        Hypotheses("margin", 0, 0.25),
        variant="mini3",
        seed=2,
        batch=20,
        progress=lambda pairs, llr: looks.append((pairs, llr)),
    )
    low, high = test.hypotheses.bounds
    assert [pairs for pairs, _ in looks] == list(range(20, test.pairs + 1, 20))
    assert all(low < llr < high for pairs, llr in looks[:-1] if pairs >= 100)
    assert looks[-1] == (test.pairs, test.llr)
    assert test.pairs > 100
    assert test.verdict == H0
    assert test.llr <= low


def test_the_pairs_are_those_of_an_evaluation_whatever_the_batch() -> None:
    expected = evaluate("random", "random", variant="mini3", rounds=2, pairs=230, seed=4)
    for batch in (7, 100, 115):
        test = sequential_test(
            "random", "random", NEVER, variant="mini3", rounds=2, max_pairs=230, batch=batch, seed=4
        )
        assert (test.verdict, test.pairs) == (UNDECIDED, 230)
        assert test.margin == expected.margin
        assert test.win_rate == expected.matches.win_rate
        assert sum(test.counts) == 230


@pytest.mark.parametrize("hypotheses", [Hypotheses(), Hypotheses("elo", 0, 10)], ids=["margin", "elo"])
def test_a_clear_difference_is_found_at_the_first_verdict(hypotheses: Hypotheses) -> None:
    better = sequential_test("discard", "random", hypotheses, seed=1)
    worse = sequential_test("random", "discard", hypotheses, seed=1)
    assert (better.verdict, worse.verdict) == (H1, H0)
    assert better.pairs == worse.pairs == 200


def test_a_deterministic_agent_is_not_better_than_its_copy() -> None:
    test = sequential_test("projection", "projection", variant="mini3", seed=1)
    assert test.verdict == H0


def test_identical_agents_are_seldom_found_different() -> None:
    hypotheses = Hypotheses("margin", 0, 0.4)
    tests = [
        sequential_test(Tossing(MINI), Tossing(MINI), hypotheses, variant="mini1", batch=20, seed=seed)
        for seed in range(200)
    ]
    verdicts = [test.verdict for test in tests]
    # Of 200 tests at alpha = 5 %, more than 20 wrong ones have a chance of 0.1 %.
    assert 0 < verdicts.count(H1) <= 20
    assert verdicts.count(H0) == 200 - verdicts.count(H1)


def test_no_verdict_comes_before_the_spread_is_known() -> None:
    assert fewest_pairs(batch=1, max_pairs=1000) == 100
    assert fewest_pairs(batch=60, max_pairs=1000) == 120
    assert sequential_test("discard", "random", batch=150, seed=1).pairs == 300
    with pytest.raises(ValueError, match="max_pairs=199 leaves no verdict: the first comes after 200 pairs"):
        sequential_test("discard", "random", max_pairs=199)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"measure": "wins"}, "no measure 'wins'; there are margin, elo"),
        ({"value0": 1, "value1": 1}, "margin1=1 is not above margin0=1"),
        ({"measure": "elo", "value0": 5, "value1": 2}, "elo1=2 is not above elo0=5"),
        ({"value1": inf}, "margin1=inf is not a finite number"),
        ({"value0": nan}, "margin0=nan is not a finite number"),
        ({"alpha": 0.5}, "alpha=0.5 is not between 0 and 0.5"),
        ({"alpha": 0.0}, "alpha=0.0 is not between 0 and 0.5"),
        ({"beta": nan}, "beta=nan is not between 0 and 0.5"),
        ({"beta": -0.1}, "beta=-0.1 is not between 0 and 0.5"),
    ],
)
def test_hypotheses_that_make_no_test_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Hypotheses(**arguments)


@pytest.mark.parametrize("name", ["batch", "max_pairs"])
def test_counts_are_positive_integers(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}=0 is not a positive integer"):
        sequential_test("random", "random", **{name: 0})  # type: ignore[arg-type]


# As JSON and as text


@pytest.fixture(scope="module")
def decided() -> SequentialTest:
    return sequential_test("discard", "random", Hypotheses("elo", 0, 10), seed=1)


@pytest.fixture(scope="module")
def undecided() -> SequentialTest:
    return sequential_test("random", "random", NEVER, variant="mini3", rounds=3, max_pairs=200, seed=1)


def test_the_json_has_the_documented_shape(decided: SequentialTest, undecided: SequentialTest) -> None:
    data = decided.to_dict()
    assert list(data) == [
        "schema",
        "versions",
        "agents",
        "match",
        "seed",
        "hypotheses",
        "batch",
        "max_pairs",
        "pairs",
        "verdict",
        "llr",
        "confidence",
        "estimates_biased_outwards",
        "margin",
        "win_rate",
        "elo",
        "counts",
        "forfeits",
    ]
    assert data["schema"] == "lostcities.sequential/3"
    assert list(data["hypotheses"]) == ["measure", "value0", "value1", "alpha", "beta"]
    assert list(data["llr"]) == ["value", "low", "high"]
    assert (data["verdict"], data["estimates_biased_outwards"]) == ("H1", True)
    assert data["elo"] == {"value": None, "low": None, "high": None}  # all games were won
    other = undecided.to_dict()
    assert (other["verdict"], other["estimates_biased_outwards"]) == ("undecided", False)
    assert json.loads(json.dumps([data, other], allow_nan=False)) == [data, other]


def test_the_elo_of_the_estimate_is_that_of_its_win_rate(undecided: SequentialTest) -> None:
    for name in ("value", "low", "high"):
        assert score_of_elo(getattr(undecided.elo, name)) == pytest.approx(getattr(undecided.win_rate, name))


def test_the_report_says_what_was_decided_and_warns_of_the_bias(
    decided: SequentialTest, undecided: SequentialTest
) -> None:
    text = sequential_report(decided)
    assert "H0: the Elo of A minus B is 0; wrongly rejected with a chance of about 0.05\n" in text
    assert "\nH1 accepted: the Elo of A minus B is above 0.\n" in text
    assert "200 of at most 50000, a look every 100\n" in text
    assert "further out than\nthe truth on average" in text
    text = sequential_report(undecided)
    assert "\nUndecided after 200 pairs.\n" in text
    assert "match win rate of A" in text
    assert "further out" not in text
