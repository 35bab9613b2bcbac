"""Ratings: known strengths come back, intervals hold what they promise, and what does not add up shows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lostcities_env.evaluation.likelihood import score_of_elo
from lostcities_env.evaluation.ratings import elo_ratings, margin_ratings

ELO = np.array([150.0, 40.0, -30.0, -160.0])


def simulated_games(elo: np.ndarray, deals: int, seed: int, shared_luck: float = 0.0) -> np.ndarray:
    """What `elo_ratings` takes. An agent's luck with a deal, in Elo, counts in all of its games of it."""
    generator = np.random.default_rng(seed)
    luck = shared_luck * generator.standard_normal((len(elo), deals))
    quarters = np.zeros((len(elo), len(elo), deals), dtype=np.int64)
    for a in range(len(elo)):
        for b in range(a + 1, len(elo)):
            differences = elo[a] - elo[b] + luck[a] - luck[b]
            chances = [score_of_elo(difference) for difference in differences]
            quarters[a, b] = 2 * generator.binomial(2, chances)
            quarters[b, a] = 4 - quarters[a, b]
    return quarters


def ends(estimates: object) -> np.ndarray:
    return np.array([(each.value, each.low, each.high) for each in estimates])  # type: ignore[attr-defined]


# Bradley-Terry


def test_known_strengths_are_recovered() -> None:
    found = ends(elo_ratings(simulated_games(ELO, 20_000, seed=1)).ratings)
    assert found[:, 0] == pytest.approx(ELO, abs=5)


@pytest.mark.parametrize("shared_luck", [0.0, 200.0])
def test_intervals_hold_the_truth_19_times_in_20(shared_luck: float) -> None:
    # Luck pulls the measured differences together, so the truth is what very many deals say.
    truth = ends(elo_ratings(simulated_games(ELO, 40_000, 0, shared_luck)).ratings)[:, 0]
    inside = []
    for seed in range(1, 101):
        found = ends(elo_ratings(simulated_games(ELO, 100, seed, shared_luck)).ratings)
        inside += list((found[:, 1] <= truth) & (truth <= found[:, 2]))
    assert 0.91 <= np.mean(inside) <= 0.98  # 400 intervals, of which those of a tournament go together


def test_expected_and_real_wins_of_an_agent_agree() -> None:
    quarters = simulated_games(ELO, 500, seed=2)
    chances = elo_ratings(quarters).win_rates
    off = ~np.eye(4, dtype=bool)
    real = (quarters.mean(axis=2) / 4 * off).sum(axis=1)
    assert (chances * off).sum(axis=1) == pytest.approx(real, abs=0.005)
    assert chances + chances.T == pytest.approx(np.ones((4, 4)))


def test_an_agent_that_always_wins_has_a_finite_rating() -> None:
    quarters = np.zeros((2, 2, 100), dtype=np.int64)
    quarters[0, 1] = 4
    first, second = elo_ratings(quarters).ratings
    # 200 wins and one draw: odds of 200.5 to 0.5.
    assert first.value == pytest.approx(200 * np.log10(401), rel=1e-6)
    assert second.value == pytest.approx(-(first.value or 0))


def test_a_single_deal_has_no_interval() -> None:
    (first, _) = elo_ratings(np.array([[[0], [3]], [[1], [0]]])).ratings
    assert first.value is not None
    assert (first.low, first.high) == (None, None)


# Least squares


def antisymmetric(upper: np.ndarray) -> np.ndarray:
    return np.triu(upper, 1) - np.triu(upper, 1).T


@given(st.lists(st.integers(-100, 100), min_size=2, max_size=6))
def test_least_squares_are_exact_where_margins_add_up(strengths: list[int]) -> None:
    values = np.array(strengths, dtype=float)
    margins = values[:, None] - values[None, :]
    ratings = margin_ratings(margins, np.zeros((*margins.shape, 10)))
    assert [each.value for each in ratings.ratings] == pytest.approx(values - values.mean())
    assert all(abs(residual.value or 0) < 1e-9 for residual in ratings.residuals.values())
    if margins.any():
        assert ratings.unexplained == pytest.approx(0)
        assert ratings.noise == 0
    else:
        assert (ratings.unexplained, ratings.noise) == (None, None)


def test_a_cycle_is_all_residual() -> None:
    margins = np.array([[0.0, 5.0, -5.0], [-5.0, 0.0, 5.0], [5.0, -5.0, 0.0]])
    ratings = margin_ratings(margins, np.zeros((3, 3, 10)))
    assert [each.value for each in ratings.ratings] == [0, 0, 0]
    assert {pairing: each.value for pairing, each in ratings.residuals.items()} == {
        (0, 1): 5,
        (0, 2): -5,
        (1, 2): 5,
    }
    assert ratings.unexplained == 1


def test_intervals_of_ratings_and_residuals_cover_and_luck_alone_leaves_the_share_it_is_said_to() -> None:
    strengths = np.array([12.0, 3.0, -2.0, -13.0])
    truth = strengths[:, None] - strengths[None, :]
    generator = np.random.default_rng(3)
    inside, residual_inside, unexplained, noise = [], [], [], []
    for _ in range(200):
        # Luck that an agent has with a deal against everyone, and luck of each pairing.
        own = 15 * generator.standard_normal((4, 50))
        single = np.stack([antisymmetric(part) for part in 20 * generator.standard_normal((50, 4, 4))], -1)
        deals = truth[..., None] + own[:, None] - own[None, :] + single
        margins = deals.mean(axis=2)
        ratings = margin_ratings(margins, deals - margins[..., None])
        found = ends(ratings.ratings)
        inside += list((found[:, 1] <= strengths) & (strengths <= found[:, 2]))
        rest = ends(ratings.residuals.values())
        residual_inside += list((rest[:, 1] <= 0) & (rest[:, 2] >= 0))
        unexplained.append(ratings.unexplained or 0.0)
        noise.append(ratings.noise or 0.0)
    assert 0.93 <= np.mean(inside) <= 0.97
    assert 0.93 <= np.mean(residual_inside) <= 0.97
    assert np.mean(unexplained) == pytest.approx(np.mean(noise), rel=0.1)
