"""Log-likelihood ratios of two means, from the results of pairs: what a sequential test watches.

The distribution of a pair's result is unknown; only its mean is in question. So each hypothesis is given
the distribution that fits the results best among those with its mean, and the ratio compares the two fits
(the generalised likelihood ratio). Positive values speak for the second mean. For the few results of won
and drawn games that is worked out exactly; for margins by the normal approximation, which lets both
hypotheses have the variance of the results.

All functions take arrays as well as numbers, element by element.

Source: Wald, *Sequential Analysis* (1947), chapter 3 (the bounds); Van den Bergh, *A practical introduction
to the GSPRT* (the generalised test for the results of games).
"""

import math

import numpy as np

PENTANOMIAL = np.linspace(0.0, 1.0, 5)
"""What A can score in a pair, float64 (5,): the mean of its two games, each 0, 1/2 or 1."""
UNSEEN = 1e-3
"""Pairs counted for a result that has not come up, so that any mean between 0 and 1 can be fitted."""
_HALVINGS = 60


def wald_bounds(alpha: float, beta: float) -> tuple[float, float]:
    """Where a test stops: H0 is accepted at the first value or below, H1 at the second or above.

    >>> [round(bound, 3) for bound in wald_bounds(0.05, 0.05)]
    [-2.944, 2.944]
    """
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)


def normal_llr(
    pairs: np.ndarray | int,
    mean: np.ndarray | float,
    variance: np.ndarray | float,
    mean0: float,
    mean1: float,
) -> np.ndarray:
    """The log-likelihood ratio of `mean1` against `mean0`, by the normal approximation.

    Args:
        pairs: how many results.
        mean: of the results.
        variance: of the results. One below 1 / `pairs` counts as that, as if a single result were off by
            one: results that are all equal prove no certainty.
        mean0: the mean under H0.
        mean1: the mean under H1.
    """
    floored = np.maximum(variance, 1 / np.asarray(pairs))
    return pairs * (mean1 - mean0) * (mean - (mean0 + mean1) / 2) / floored


def pentanomial_llr(counts: np.ndarray, score0: float, score1: float) -> np.ndarray:
    """The log-likelihood ratio of a mean of `score1` against `score0`, each between 0 and 1.

    Args:
        counts: (..., 5), pairs with each result of `PENTANOMIAL`.
        score0: the mean under H0.
        score1: the mean under H1.

    Returns:
        float64 (...).
    """
    filled = np.where(counts == 0, UNSEEN, counts)
    logs = [np.log1p(_tilt(filled, score) * (PENTANOMIAL - score)) for score in (score0, score1)]
    return (filled * (logs[0] - logs[1])).sum(axis=-1)


def _tilt(counts: np.ndarray, score: float) -> np.ndarray:
    """The t, float64 (..., 1), for which the weights count / (1 + t (result - score)) have mean `score`.

    They are the most likely probabilities with that mean, but for the total. Their mean falls as t rises
    between the two ends at which a weight becomes infinite, so halving finds it.
    """
    off = PENTANOMIAL - score
    low = np.full((*counts.shape[:-1], 1), -1 / off[-1])
    high = np.full_like(low, -1 / off[0])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        too_low = (counts * off / (1 + middle * off)).sum(axis=-1, keepdims=True) > 0
        low, high = np.where(too_low, middle, low), np.where(too_low, high, middle)
    return (low + high) / 2


def score_of_elo(elo: float) -> float:
    """The mean score of a game that a difference of `elo` points stands for, between 0 and 1.

    >>> score_of_elo(0.0)
    0.5
    """
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of_score(score: float) -> float:
    """The inverse of `score_of_elo`; infinite at 0 and 1."""
    if score in (0.0, 1.0):
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))
