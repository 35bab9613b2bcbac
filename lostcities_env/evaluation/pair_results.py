"""`PairResults`: what each pair of games brought, for whoever sums pairs up one batch after the other."""

from dataclasses import dataclass, field

import numpy as np

from lostcities_env.evaluation.likelihood import PENTANOMIAL
from lostcities_env.evaluation.pairs import PlayedPairs

QUARTERS = len(PENTANOMIAL) - 1
"""Quarters of A's highest mean score of a pair, which is 1."""
_GAME_POINTS = np.array([2, 0, 1])
"""Half points of A in a game, by its winner: A, B, and -1 for a draw."""


@dataclass
class PairResults:
    """The pairs so far.

    Attributes:
        margins: int64 (pairs,), points of A minus points of B in both games of a pair.
        rounds: int64 (pairs,), rounds of both games.
        quarters: int64 (pairs,), four times A's mean score of the two games: 0..4.
    """

    margins: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    rounds: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    quarters: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.margins)

    def append(self, played: PlayedPairs) -> None:
        """Adds pairs."""
        scores = played.rounds["score"].astype(np.int64)
        margins = (scores[..., 0] - scores[..., 1]).sum(axis=(1, 2))
        rounds = played.played.sum(axis=1, dtype=np.int64)
        quarters = _GAME_POINTS[played.winners].sum(axis=1)
        self.margins = np.concatenate([self.margins, margins])
        self.rounds = np.concatenate([self.rounds, rounds])
        self.quarters = np.concatenate([self.quarters, quarters])

    @property
    def counts(self) -> np.ndarray:
        """Pairs with each result of `PENTANOMIAL`, int64 (5,)."""
        return np.bincount(self.quarters, minlength=len(PENTANOMIAL))
