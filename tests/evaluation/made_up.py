"""Results that no one played, for sums that can be done by hand."""

from collections.abc import Sequence

import numpy as np

from lostcities_env.evaluation.pairs import PlayedPairs
from lostcities_env.evaluation.standings import Standings, standings
from lostcities_env.evaluation.table import ROUND
from lostcities_env.evaluation.tournament import Protocol
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import VARIANTS


def pairs_with(margins: Sequence[tuple[int, int]]) -> PlayedPairs:
    """Single rounds: each pair has the margins of A in its two games."""
    points = np.array(margins)
    rounds = np.zeros((len(points), 2, 1), dtype=ROUND)
    rounds["score"][:, :, 0, 0] = points
    rounds["turns"] = (20, 24)
    rounds["wagers"] = (3, 1)
    rounds["expeditions"] = (4, 2)
    rounds["pile_draws"] = (5, 0)
    winners = np.select([points > 0, points < 0], [0, 1], -1).astype(np.int8)
    return PlayedPairs(rounds, np.ones((len(points), 2), dtype=np.int8), winners)


def standings_of(
    agents: Sequence[str], margins: dict[tuple[int, int], Sequence[tuple[int, int]]]
) -> Standings:
    """The standings of agents with the margins of every two of them."""
    pairs = len(next(iter(margins.values())))
    protocol = Protocol(tuple(agents), Match(VARIANTS["mini3"]), pairs, seed=5)
    return standings(protocol, [pairs_with(margins[pairing]) for pairing in protocol.pairings])


def rock_paper_scissors(agents: Sequence[str] = ("rock", "paper", "scissors")) -> Standings:
    """Each beats the one before it by 10 points, in every one of 50 pairs, give or take some luck."""
    luck = [(2 * (k % 5) - 4, 2 * (k // 5 % 5) - 4) for k in range(50)]
    loses = [(first - 10, second - 10) for first, second in luck]
    wins = [(10 - first, 10 - second) for first, second in luck]
    return standings_of(agents, {(0, 1): loses, (0, 2): wins, (1, 2): loses})
