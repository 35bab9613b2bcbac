"""Likelihood ratios: against direct maximisation, symmetries, and the error rates of the tests they drive."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lostcities_env.evaluation.likelihood import (
    PENTANOMIAL,
    elo_of_score,
    normal_llr,
    pentanomial_llr,
    score_of_elo,
    wald_bounds,
)

TESTS = 4000
BATCH = 40
FEWEST = 100
"""Pairs before a verdict."""


def test_bounds_by_hand() -> None:
    assert wald_bounds(0.05, 0.1) == pytest.approx((math.log(0.1 / 0.95), math.log(0.9 / 0.05)))


def test_normal_ratio_by_hand() -> None:
    # Densities of N(0, 5) and N(1, 5) at -1, 1, 3, 5: squares around 0 are 36, around 1 they are 24.
    assert normal_llr(4, 2.0, 5.0, 0.0, 1.0) == pytest.approx((36 - 24) / (2 * 5))
    assert normal_llr(4, 2.0, 5.0, 0.0, 4.0) == 0.0


def test_results_that_are_all_equal_give_a_finite_ratio() -> None:
    assert -math.inf < normal_llr(200, 0.0, 0.0, 0.0, 1.0) < wald_bounds(0.05, 0.05)[0]
    assert -math.inf < pentanomial_llr(np.array([0, 0, 900, 0, 0]), 0.5, score_of_elo(5)) < 0
    assert 0 < pentanomial_llr(np.array([0, 0, 0, 0, 200]), 0.5, 0.6) < math.inf


counts_of_pairs = st.lists(st.integers(0, 500), min_size=5, max_size=5).filter(any).map(np.array)
scores = st.floats(0.02, 0.98)


@given(counts_of_pairs, scores, scores)
def test_swapping_hypotheses_or_players_mirrors_the_ratio(
    counts: np.ndarray, score0: float, score1: float
) -> None:
    ratio = pentanomial_llr(counts, score0, score1)
    assert pentanomial_llr(counts, score1, score0) == -ratio
    assert pentanomial_llr(counts[::-1], 1 - score0, 1 - score1) == pytest.approx(ratio, abs=1e-6)


@given(counts_of_pairs, scores)
def test_no_mean_fits_better_than_that_of_the_results(counts: np.ndarray, score: float) -> None:
    counts = counts + 1
    mean = float(counts @ PENTANOMIAL / counts.sum())
    assert pentanomial_llr(counts, score, mean) >= -1e-9


def test_pairs_that_are_won_or_lost_whole_are_tosses_of_a_coin() -> None:
    won, lost, score0, score1 = 70, 30, 0.5, 0.6
    coin = won * math.log(score1 / score0) + lost * math.log((1 - score1) / (1 - score0))
    assert pentanomial_llr(np.array([lost, 0, 0, 0, won]), score0, score1) == pytest.approx(coin, abs=0.01)


@given(counts_of_pairs, st.lists(st.floats(0.01, 1), min_size=5, max_size=5))
def test_no_distribution_of_a_mean_is_likelier_than_the_one_that_stands_for_it(
    counts: np.ndarray, weights: list[float]
) -> None:
    counts = counts + 1
    best = counts / counts.sum()  # of all distributions, whatever their mean
    other = np.array(weights) / sum(weights)
    gap = counts @ np.log(best / other)
    assert pentanomial_llr(counts, float(other @ PENTANOMIAL), float(best @ PENTANOMIAL)) <= gap + 1e-9


@given(st.floats(-800, 800))
def test_elo_and_score_are_inverse(elo: float) -> None:
    assert elo_of_score(score_of_elo(elo)) == pytest.approx(elo, abs=1e-6)


def test_a_score_of_none_or_all_is_infinitely_far() -> None:
    assert (elo_of_score(0.0), elo_of_score(1.0)) == (-math.inf, math.inf)


# The error rates: thousands of tests on made-up pairs, whose results are those of real agents in
# kind. Of 4000 tests, the share of wrong verdicts has a standard error of at most 0.35 %.

Draw = Callable[[np.random.Generator, int], np.ndarray]
Ratio = Callable[[np.ndarray, int], np.ndarray]


def margins(mean: float, skew: float = 0.5) -> Draw:
    """Margins with standard deviation 30."""

    def draw(rng: np.random.Generator, tests: int) -> np.ndarray:
        shape = (2 / skew) ** 2
        x = mean + 30 * math.copysign(1, skew) * (rng.gamma(shape, 1.0, (tests, BATCH)) - shape) / shape**0.5
        return np.stack([x.sum(axis=1), (x * x).sum(axis=1)], axis=1)

    return draw


def margin_ratio(sums: np.ndarray, pairs: int) -> np.ndarray:
    mean = sums[:, 0] / pairs
    return normal_llr(pairs, mean, (sums[:, 1] - pairs * mean**2) / (pairs - 1), 0.0, 3.0)


def outcomes(score: float) -> Draw:
    """Pairs with that mean score; about half of them are shared evenly."""
    grid = np.linspace(-1, 1, 10_001)[:, np.newaxis]
    weights = np.array([0.1, 0.15, 0.5, 0.15, 0.1]) * np.exp(grid * (PENTANOMIAL - 0.5))
    weights /= weights.sum(axis=1, keepdims=True)
    chances = weights[np.abs(weights @ PENTANOMIAL - score).argmin()]
    return lambda rng, tests: rng.multinomial(BATCH, chances, tests)


def outcome_ratio(counts: np.ndarray, pairs: int) -> np.ndarray:
    return pentanomial_llr(counts, score_of_elo(0), score_of_elo(20))


def run_tests(draw: Draw, ratio: Ratio, alpha: float, beta: float) -> tuple[float, float]:
    """The share of tests that accept H1, and the mean number of pairs."""
    rng = np.random.default_rng(1)
    low, high = wald_bounds(alpha, beta)
    sums = np.zeros((TESTS, draw(rng, 1).shape[1]))
    accepted, total, pairs = 0, 0, 0
    while len(sums):
        sums = sums + draw(rng, len(sums))
        pairs += BATCH
        total += BATCH * len(sums)
        if pairs >= FEWEST:
            llr = ratio(sums, pairs)
            accepted += int((llr >= high).sum())
            sums = sums[(low < llr) & (llr < high)]
    return accepted / TESTS, total / TESTS


KINDS = pytest.mark.parametrize(
    ("results", "ratio", "mean0", "mean1"),
    [
        pytest.param(margins, margin_ratio, 0.0, 3.0, id="margin"),
        pytest.param(partial(margins, skew=-0.5), margin_ratio, 0.0, 3.0, id="margin-skewed-down"),
        pytest.param(outcomes, outcome_ratio, score_of_elo(0), score_of_elo(20), id="elo"),
    ],
)


@KINDS
@pytest.mark.parametrize(("alpha", "beta"), [(0.05, 0.05), (0.1, 0.02)])
def test_verdicts_are_wrong_as_seldom_as_promised(
    results: Callable[[float], Draw], ratio: Ratio, mean0: float, mean1: float, alpha: float, beta: float
) -> None:
    false_h1, _ = run_tests(results(mean0), ratio, alpha, beta)
    true_h1, _ = run_tests(results(mean1), ratio, alpha, beta)
    assert alpha / 2 < false_h1 < alpha + 3 * math.sqrt(alpha / TESTS)
    assert beta / 2 < 1 - true_h1 < beta + 3 * math.sqrt(beta / TESTS)


@KINDS
def test_means_beyond_the_hypotheses_are_decided_sooner_and_better(
    results: Callable[[float], Draw], ratio: Ratio, mean0: float, mean1: float
) -> None:
    step = mean1 - mean0
    runs = [run_tests(results(mean0 + k * step), ratio, 0.05, 0.05) for k in (-1, 0, 0.5, 1, 2)]
    accepted, pairs = zip(*runs, strict=True)
    assert list(accepted) == sorted(accepted)
    assert accepted[0] < 0.01
    assert accepted[2] == pytest.approx(0.5, abs=0.05)
    assert accepted[4] > 0.99
    assert pairs[0] < pairs[1] < pairs[2] > pairs[3] > pairs[4]
