"""What each pair of games brought."""

import numpy as np

from lostcities_env.evaluation.pair_results import PairResults
from lostcities_env.evaluation.pairs import PlayedPairs
from lostcities_env.evaluation.table import ROUND


def two_pairs() -> PlayedPairs:
    """Two pairs of matches of two rounds: margins 10 + 0 and -4 + 6, then 0 + 1 and -2 - 3."""
    rounds = np.zeros((2, 2, 2), dtype=ROUND)
    rounds["score"][..., 0] = [[[10, 0], [-4, 6]], [[0, 1], [-2, -3]]]
    return PlayedPairs(
        rounds, played=np.full((2, 2), 2, dtype=np.int8), winners=np.array([[0, 0], [-1, 1]], dtype=np.int8)
    )


def test_results_of_pairs_by_hand() -> None:
    results = PairResults()
    results.append(two_pairs())
    results.append(two_pairs())
    assert results.margins.tolist() == [12, -4, 12, -4]
    assert results.rounds.tolist() == [4, 4, 4, 4]
    assert results.quarters.tolist() == [4, 1, 4, 1]
    assert results.counts.tolist() == [0, 2, 0, 0, 2]
