"""Estimates and their intervals, against numbers worked out by hand and against simulation."""

from dataclasses import astuple
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lostcities_env.evaluation.statistics import Estimate, mean_of_ratios, ratio, share, t_quantile


def ends(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def test_ratio_with_equal_denominators_is_the_mean_with_students_interval() -> None:
    # Pair means 2, 3, 4: mean 3, standard deviation 1, standard error 1/sqrt(3), t(2) = 4.302653.
    estimate = ratio(np.array([4, 6, 8]), np.array([2, 2, 2]))
    assert estimate.value == 3.0
    assert ends(estimate) == pytest.approx((3 - 4.302653 / sqrt(3), 3 + 4.302653 / sqrt(3)))


def test_ratio_with_unequal_denominators_uses_the_linearised_error() -> None:
    # 9/6 = 1.5; residuals 1 - 1.5, 2 - 3, 6 - 4.5 = -0.5, -1, 1.5; sum of squares 3.5.
    estimate = ratio(np.array([1, 2, 6]), np.array([1, 2, 3]))
    error = sqrt(3 / 2 * 3.5) / 6
    assert estimate.value == 1.5
    assert ends(estimate) == pytest.approx((1.5 - 4.302653 * error, 1.5 + 4.302653 * error))


def test_share_is_wilsons_interval_when_pairs_are_tosses_of_a_coin() -> None:
    wins = np.array([1] * 30 + [0] * 70)
    estimate = share(wins, np.ones(100, dtype=int))
    p, n, z = 0.3, 99, t_quantile(99)  # the sample variance divides by n - 1
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    assert estimate.value == p
    assert ends(estimate) == pytest.approx((centre - reach, centre + reach))


def test_share_narrows_when_the_games_of_a_pair_balance() -> None:
    games = np.full(100, 2)
    unpaired = share(np.array([2] * 50 + [0] * 50), games)
    balanced = share(np.array([1] * 90 + [2] * 5 + [0] * 5), games)
    level = share(np.ones(100, dtype=int), games)
    assert unpaired.value == balanced.value == level.value == 0.5
    assert ends(level) == (0.5, 0.5)
    assert ends(unpaired)[0] < ends(balanced)[0] < 0.5


def test_a_share_of_none_or_all_keeps_an_interval() -> None:
    # Wilson for 0 of 20, with t(19) = 2.093 for z: 2.093^2 / (20 + 2.093^2) = 0.1797.
    games = np.full(20, 2)
    assert ends(share(0 * games, games)) == pytest.approx((0.0, 0.1797), abs=1e-4)
    assert ends(share(games, games)) == pytest.approx((0.8203, 1.0), abs=1e-4)


def test_one_pair_has_a_value_and_no_interval() -> None:
    assert ratio(np.array([3]), np.array([2])) == Estimate(1.5, None, None)
    assert share(np.array([1]), np.array([2])) == Estimate(0.5, None, None)


def test_nothing_to_divide_by_gives_no_value() -> None:
    nothing = np.zeros(5, dtype=int)
    assert ratio(nothing, nothing) == share(nothing, nothing) == Estimate(None, None, None)


@given(st.lists(st.tuples(st.integers(-1000, 1000), st.integers(1, 9)), min_size=2, max_size=40))
def test_a_negated_ratio_has_the_negated_interval_whatever_the_order(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs).T
    estimate, mirror = ratio(x, y), ratio(-x[::-1], y[::-1])
    assert estimate.value is not None
    assert (mirror.value, *ends(mirror)) == (-estimate.value, -ends(estimate)[1], -ends(estimate)[0])


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(1, 8)), min_size=2, max_size=40))
def test_a_share_and_its_interval_stay_between_0_and_1(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs).T
    estimate = share(np.minimum(x, y), y)
    low, high = ends(estimate)
    assert estimate.value is not None
    assert 0.0 <= low <= high <= 1.0
    assert low - 1e-9 <= estimate.value <= high + 1e-9


def test_large_totals_stay_exact() -> None:
    x = np.full(1_000_000, 700, dtype=np.int16)
    assert ratio(x, np.full(1_000_000, 2, dtype=np.int8)) == Estimate(350.0, 350.0, 350.0)


@pytest.mark.parametrize(
    ("freedom", "quantile", "error"),
    [
        (1, 12.7062, 1e-4),
        (2, 4.3027, 1e-4),
        (3, 3.1824, 4e-3),
        (4, 2.7764, 1e-3),
        (5, 2.5706, 4e-4),
        (10, 2.2281, 1e-4),
        (30, 2.0423, 1e-4),
        (100, 1.9840, 1e-4),
        (10**6, 1.9600, 1e-4),
    ],
)
def test_quantiles_of_students_t_agree_with_tables(freedom: int, quantile: float, error: float) -> None:
    assert t_quantile(freedom) == pytest.approx(quantile, abs=error)


# How often the interval holds the truth: 95 % of 2000 runs, give or take three standard errors (1.5 %).


def coverage(intervals: list[Estimate], truth: float) -> float:
    return float(np.mean([ends(e)[0] <= truth <= ends(e)[1] for e in intervals]))


@pytest.mark.parametrize("pairs", [5, 30])
def test_the_interval_of_a_margin_covers_95_percent(pairs: int) -> None:
    rng = np.random.default_rng(1)
    margins = np.round(rng.normal(7.0, 40.0, (2000, pairs))).astype(int)
    two = np.full(pairs, 2)
    assert coverage([ratio(row, two) for row in margins], 3.5) == pytest.approx(0.95, abs=0.015)


def test_the_interval_of_a_ratio_covers_95_percent() -> None:
    rng = np.random.default_rng(2)
    opened = 1 + rng.binomial(9, 0.5, (2000, 60))
    points = np.round(4.0 * opened + rng.normal(0.0, 30.0, opened.shape)).astype(int)
    pairs = zip(points, opened, strict=True)
    assert coverage([ratio(x, y) for x, y in pairs], 4.0) == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize("chance", [0.5, 0.9])
def test_the_interval_of_a_win_rate_covers_95_percent(chance: float) -> None:
    rng = np.random.default_rng(3)
    shared_luck = rng.random((2000, 100, 1)) < 0.3  # such pairs have one result twice
    games = rng.random((2000, 100, 2)) < chance
    games = np.where(shared_luck, games[..., :1], games)
    wins, two = games.sum(axis=2), np.full(100, 2)
    assert coverage([share(row, two) for row in wins], chance) == pytest.approx(0.95, abs=0.02)


def test_a_mean_of_ratios_has_the_interval_of_their_mean_per_pair() -> None:
    """With as many rounds in every pair, it is the mean of the pairs' means."""
    generator = np.random.default_rng(1)
    first, second = generator.integers(-50, 50, (2, 30))
    four = np.full(30, 4)
    expected = ratio(first + second, 2 * four)
    found = mean_of_ratios([(first, four), (second, four)])
    assert astuple(found) == pytest.approx(astuple(expected))


def test_a_mean_of_ratios_is_none_if_one_of_them_is() -> None:
    nothing = np.zeros(3, dtype=np.int64)
    assert mean_of_ratios([(nothing + 1, nothing + 1), (nothing, nothing)]) == Estimate(None, None, None)
    assert mean_of_ratios([(np.array([3]), np.array([2]))]) == Estimate(1.5, None, None)
