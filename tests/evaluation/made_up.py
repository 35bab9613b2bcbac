"""Results that no one played, for sums that can be done by hand."""

from collections.abc import Mapping, Sequence

import numpy as np

from lostcities_env.evaluation.forfeits import Forfeit
from lostcities_env.evaluation.pairs import PlayedPairs
from lostcities_env.evaluation.standings import Standings, standings
from lostcities_env.evaluation.table import ROUND
from lostcities_env.evaluation.tournament import Protocol
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import VARIANTS

Result = int | str
"""The margin of A, or the reason for which B forfeited."""


def pairs_with(margins: Sequence[tuple[Result, Result]]) -> PlayedPairs:
    """Single rounds: each pair has the results of its two games."""
    forfeits = tuple(
        Forfeit(1, pair, 1 - game, 1, 7, result, f"{result} in pair {pair}", f"pair{pair}.json")
        for pair, results in enumerate(margins)
        for game, result in enumerate(results)
        if isinstance(result, str)
    )
    points = np.array([[0 if isinstance(r, str) else r for r in results] for results in margins])
    rounds = np.zeros((len(points), 2, 1), dtype=ROUND)
    rounds["score"][:, :, 0, 0] = points
    rounds["turns"] = (20, 24)
    rounds["wagers"] = (3, 1)
    rounds["expeditions"] = (4, 2)
    rounds["pile_draws"] = (5, 0)
    winners = np.select([points > 0, points < 0], [0, 1], -1).astype(np.int8)
    played = np.ones((len(points), 2), dtype=np.int8)
    for forfeit in forfeits:
        game = forfeit.pair, 1 - forfeit.seat
        rounds[game], played[game], winners[game] = np.zeros((), dtype=ROUND), 0, 0
    return PlayedPairs(rounds, played, winners, forfeits)


def standings_of(
    agents: Sequence[str], margins: Mapping[tuple[int, int], Sequence[tuple[Result, Result]]]
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


def with_a_guest_that_fails() -> Standings:
    """owl beats wren by 10; bot fails in half of its games against owl and in all of those against wren."""
    luck = [(k % 5 - 2, 2 - k % 5) for k in range(20)]
    half: list[tuple[Result, Result]] = [("crash", 6 + two) for _, two in luck]
    all_of_them: list[tuple[Result, Result]] = [("time", "illegal")] * 20
    return standings_of(
        ("owl", "wren", "bot"),
        {(0, 1): [(10 + one, 10 + two) for one, two in luck], (0, 2): half, (1, 2): all_of_them},
    )
