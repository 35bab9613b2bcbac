"""Ratings of a round robin: Bradley-Terry on results, least squares on margins, Nash averaging on either.

All agents met each other on the same deals, so the *deal* is the statistical unit: what one deal (a pair of
games of every two agents) adds to a number is its influence, and the standard error of the number is that
of the mean of the influences. An agent's luck with a deal falls on all of its results at once, and the
intervals allow for that (the sandwich estimator, clustered by deal).

Agents are rows and columns of square arrays (n, n), in the order of the tournament.

Source: Bradley and Terry, *Rank analysis of incomplete block designs* (1952); Jiang, Lim, Yao and Ye,
*Statistical ranking and combinatorial Hodge theory* (2011), for margins that do not add up; White, *Maximum
likelihood estimation of misspecified models* (1982), for the intervals.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from lostcities_env.evaluation.statistics import Estimate, from_influences

ELO = 400 / math.log(10)
"""Elo of one unit of log odds."""
PRIOR_GAMES = 1.0
"""Drawn games that Bradley-Terry adds to those of every two agents, so that no rating is infinite."""


@dataclass(frozen=True)
class EloRatings:
    """Bradley-Terry strengths in Elo; their mean is 0.

    Attributes:
        ratings: of each agent.
        win_rates: float64 (n, n), the score that the ratings expect of the row against the column.
    """

    ratings: tuple[Estimate, ...]
    win_rates: np.ndarray


@dataclass(frozen=True)
class MarginRatings:
    """Least-squares strengths in points per round: their differences fit the margins best; their mean is 0.

    Attributes:
        ratings: of each agent.
        residuals: of the row against the column: the margin less the difference of the ratings, by agents'
            indices (i, j), i < j.
        unexplained: share of the sum of the squared margins that the residuals hold, 0 to 1; None if all
            margins are 0. Near 0: margins add up, so one number an agent says it all.
        noise: the share that the residuals would hold on average if the true margins added up.
    """

    ratings: tuple[Estimate, ...]
    residuals: dict[tuple[int, int], Estimate]
    unexplained: float | None
    noise: float | None


def elo_ratings(quarters: np.ndarray) -> EloRatings:
    """Bradley-Terry strengths from the results of games; a draw is half a win of each.

    Args:
        quarters: int64 (n, n, deals), four times the row's mean score of the two games against the column:
            0..4; those of (j, i) are 4 minus those of (i, j), the diagonal is not used.
    """
    n, _, deals = quarters.shape
    off = ~np.eye(n, dtype=bool)
    score = np.where(off[..., None], quarters / 2, 0.0)  # games of two that the row won
    games = 2.0 * deals + PRIOR_GAMES
    won = np.where(off, score.sum(axis=2) + PRIOR_GAMES / 2, 0.0)

    def loss(strengths: np.ndarray) -> float:
        return float(-(won * log_expit(_differences(strengths))).sum()) / games

    def gradient(strengths: np.ndarray) -> np.ndarray:
        expected = np.where(off, expit(_differences(strengths)), 0.0)
        return (games * expected - won).sum(axis=1) / games

    def hessian(strengths: np.ndarray) -> np.ndarray:
        chance = np.where(off, expit(_differences(strengths)), 0.0)
        weights = chance * (1 - chance)
        return np.diag(weights.sum(axis=1)) - weights

    # The strengths are known up to a constant; 1 / n on all pairs of them pins it without moving the rest.
    found = minimize(
        lambda x: loss(x) + x.sum() ** 2 / (2 * n),
        np.zeros(n),
        jac=lambda x: gradient(x) + x.sum() / n,
        hess=lambda x: hessian(x) + 1 / n,
        method="trust-exact",
        options={"gtol": 1e-12},
    )
    strengths = found.x - found.x.mean()
    chances = np.where(off, expit(_differences(strengths)), 0.5)
    surprises = np.where(off[..., None], score - 2 * chances[..., None], 0.0).sum(axis=1)  # (n, deals)
    bread = np.linalg.inv(hessian(strengths) + 1 / n)
    influences = bread @ surprises / games * deals
    return EloRatings(_estimates(ELO * strengths, ELO * influences), chances)


def margin_ratings(margins: np.ndarray, influences: np.ndarray) -> MarginRatings:
    """Least-squares strengths from mean margins.

    Args:
        margins: float64 (n, n), points per round of the row against the column; antisymmetric.
        influences: float64 (n, n, deals), what each deal adds to each margin; antisymmetric, mean 0.
    """
    n, _, deals = influences.shape
    ratings = margins.mean(axis=1)
    rating_influences = influences.mean(axis=1)
    residuals = {}
    for i, j in zip(*np.triu_indices(n, 1), strict=True):
        rest = margins[i, j] - (ratings[i] - ratings[j])
        parts = influences[i, j] - (rating_influences[i] - rating_influences[j])
        residuals[int(i), int(j)] = from_influences(float(rest), parts)
    total = float((margins**2).sum()) / 2
    left = sum((residual.value or 0.0) ** 2 for residual in residuals.values())
    rest_influences = influences - rating_influences[:, None] + rating_influences[None, :]
    variances = (rest_influences**2).sum() / 2 / (deals * max(deals - 1, 1))
    return MarginRatings(
        ratings=_estimates(ratings, rating_influences),
        residuals=residuals,
        unexplained=left / total if total else None,
        noise=float(variances) / total if total and deals > 1 else None,
    )


def _differences(strengths: np.ndarray) -> np.ndarray:
    return strengths[:, None] - strengths[None, :]


def _estimates(values: np.ndarray, influences: np.ndarray) -> tuple[Estimate, ...]:
    return tuple(
        from_influences(float(value), parts) for value, parts in zip(values, influences, strict=True)
    )
