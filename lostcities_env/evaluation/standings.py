"""What a tournament says about its agents: tables, ratings, style. Needs SciPy (the ``report`` extra)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from lostcities_env.evaluation.evaluation import Evaluation, Figures, figures_of, summarise
from lostcities_env.evaluation.forfeits import Forfeits
from lostcities_env.evaluation.nash import nash_average
from lostcities_env.evaluation.pair_results import QUARTERS, PairResults
from lostcities_env.evaluation.pairs import PlayedPairs
from lostcities_env.evaluation.ratings import EloRatings, MarginRatings, elo_ratings, margin_ratings
from lostcities_env.evaluation.statistics import CONFIDENCE, Estimate, ratio
from lostcities_env.evaluation.tournament import Protocol

RESAMPLES = 200
"""Resamples of the deals behind the intervals of Nash averaging."""
_NONE = Estimate(None, None, None)
_Found = TypeVar("_Found")
_TWO_SIDED = (50 * (1 - CONFIDENCE), 50 * (1 + CONFIDENCE))


@dataclass(frozen=True)
class NashStanding:
    """An agent under Nash averaging.

    Attributes:
        mass: its share of the best mixture of agents.
        skill: what it scores against that mixture; 0 if it is in it.
    """

    mass: Estimate
    skill: Estimate


@dataclass(frozen=True)
class Style:
    """How an agent played, over all its opponents.

    Attributes:
        figures: see `Figures`.
        turns: per round, of both players together.
    """

    figures: Figures
    turns: Estimate


@dataclass(frozen=True)
class Standings:
    """The results of a tournament; `docs/evaluation.md` defines every number.

    Attributes:
        protocol: what was played.
        evaluations: of every two agents, in the order of `protocol.pairings`.
        elo: Bradley-Terry on the results of games.
        points: least squares on the margins.
        nash_margins: Nash averaging over the margins, an agent each.
        nash_win_rates: over the win rates of games, less one half.
        styles: an agent each.
        rated: indices of the agents that are rated by margins: see `with_all_margins`. The others have
            ratings, residuals and Nash averages over margins without a value.
    """

    protocol: Protocol
    evaluations: tuple[Evaluation, ...]
    elo: EloRatings
    points: MarginRatings
    nash_margins: tuple[NashStanding, ...]
    nash_win_rates: tuple[NashStanding, ...]
    styles: tuple[Style, ...]
    rated: tuple[int, ...]

    @property
    def order(self) -> list[int]:
        """Indices of the agents, the best first: by margins, or by Elo if a game was forfeited.

        Margins leave such a game out, which favours an agent that fails when it is losing.
        """
        by = self.elo if self.any_forfeits else self.points
        return sorted(range(len(self.styles)), key=lambda k: -(by.ratings[k].value or 0.0))

    @property
    def any_forfeits(self) -> bool:
        """Whether a game was forfeited."""
        return any(evaluation.games_without_margin for evaluation in self.evaluations)

    def evaluation(self, row: int, column: int) -> tuple[Evaluation, bool]:
        """The evaluation of two agents, and whether the row's is its B."""
        mirrored = row > column
        pairing = (column, row) if mirrored else (row, column)
        return self.evaluations[self.protocol.pairings.index(pairing)], mirrored

    def margin(self, row: int, column: int) -> Estimate:
        """Points per round of the row's agent over the column's."""
        evaluation, mirrored = self.evaluation(row, column)
        return negated(evaluation.margin) if mirrored else evaluation.margin

    def win_rate(self, row: int, column: int) -> Estimate:
        """Won games and half the drawn ones of the row's agent against the column's."""
        evaluation, mirrored = self.evaluation(row, column)
        rate = evaluation.matches.win_rate
        return _shifted(negated(rate), 1.0) if mirrored else rate

    def residual(self, row: int, column: int) -> Estimate:
        """The margin less the difference of the ratings in points."""
        found = self.points.residuals.get((min(row, column), max(row, column)), _NONE)
        return negated(found) if row > column else found

    def forfeits(self, agent: int) -> dict[int, Forfeits]:
        """The games that an agent lost by failing, by opponent; those against whom there are any."""
        found = {}
        for pairing, evaluation in zip(self.protocol.pairings, self.evaluations, strict=True):
            if agent in pairing and (own := evaluation.forfeits[pairing.index(agent)]).games:
                found[pairing[1 - pairing.index(agent)]] = own
        return found


def standings(protocol: Protocol, played: Sequence[PlayedPairs]) -> Standings:
    """Works out all numbers of a tournament.

    Args:
        protocol: what was played.
        played: the pairs of every two agents, in the order of `protocol.pairings`.
    """
    agents = protocol.agents
    results = []
    for pairs in played:
        result = PairResults()
        result.append(pairs)
        results.append(result)
    quarters = _square(protocol, [result.quarters for result in results], mirror=QUARTERS)
    rated = with_all_margins(protocol, results)
    nash_margins, nash_win_rates = _nash(protocol, results, rated)
    return Standings(
        protocol=protocol,
        evaluations=tuple(
            summarise(pairs, (agents[a], agents[b]), protocol.match, protocol.seed)
            for pairs, (a, b) in zip(played, protocol.pairings, strict=True)
        ),
        elo=elo_ratings(quarters),
        points=_margin_ratings(protocol, results, rated),
        nash_margins=nash_margins,
        nash_win_rates=nash_win_rates,
        styles=tuple(_style(protocol, played, agent) for agent in range(len(agents))),
        rated=tuple(rated),
    )


def with_all_margins(protocol: Protocol, results: Sequence[PairResults]) -> list[int]:
    """Indices of agents every two of which have a margin: not all of their games were forfeited.

    The agent with the fewest margins is left out, the last one of several, until that holds. None are left
    rather than one.
    """
    known = {
        frozenset(pairing): bool(result.rounds.any())
        for pairing, result in zip(protocol.pairings, results, strict=True)
    }
    left = list(range(len(protocol.agents)))
    while left:
        margins = [sum(known[frozenset((k, other))] for other in left if other != k) for k in left]
        if min(margins) == len(left) - 1 > 0:
            return left
        fewest = min(margins)
        left.pop(max(place for place, count in enumerate(margins) if count == fewest))
    return []


def negated(estimate: Estimate) -> Estimate:
    """The same of the other side."""
    value, low, high = estimate.value, estimate.high, estimate.low
    return Estimate(*(None if end is None else 0.0 - end for end in (value, low, high)))


def _shifted(estimate: Estimate, by: float) -> Estimate:
    ends = (estimate.value, estimate.low, estimate.high)
    return Estimate(*(None if end is None else end + by for end in ends))


def _square(protocol: Protocol, columns: Sequence[Any], mirror: float = 0) -> np.ndarray:
    """A value (or an array of one shape) of every two agents as (n, n, ...): (b, a) has `mirror` less it."""
    n = len(protocol.agents)
    square = np.zeros((n, n, *np.shape(columns[0])))
    for (a, b), column in zip(protocol.pairings, columns, strict=True):
        square[a, b] = column
        square[b, a] = mirror - np.asarray(column)
    return square


def _margin_ratings(
    protocol: Protocol, results: Sequence[PairResults], rated: Sequence[int]
) -> MarginRatings:
    """Ratings of the rated agents, from margins and what each deal adds to them: a linearised ratio."""
    values = [_mean_margin(result) for result in results]
    influences = [
        (result.margins - value * result.rounds) / (result.rounds.mean() or 1.0)
        for result, value in zip(results, values, strict=True)
    ]
    if not rated:
        return MarginRatings((_NONE,) * len(protocol.agents), {}, None, None)
    inner = np.ix_(rated, rated)
    found = margin_ratings(_square(protocol, values)[inner], _square(protocol, influences)[inner])
    return replace(
        found,
        ratings=_spread(found.ratings, rated, protocol, _NONE),
        residuals={(rated[i], rated[j]): residual for (i, j), residual in found.residuals.items()},
    )


def _mean_margin(result: PairResults, weights: np.ndarray | int = 1) -> float:
    """Points per round; 0 if there is no round with a margin."""
    rounds = (weights * result.rounds).sum()
    return float((weights * result.margins).sum() / rounds) if rounds else 0.0


def _spread(
    found: Sequence[_Found], rated: Sequence[int], protocol: Protocol, gap: _Found
) -> tuple[_Found, ...]:
    """What was found for the rated agents, at the places of all agents."""
    places = dict(zip(rated, found, strict=True))
    return tuple(places.get(k, gap) for k in range(len(protocol.agents)))


def _nash(
    protocol: Protocol, results: Sequence[PairResults], rated: Sequence[int]
) -> tuple[tuple[NashStanding, ...], tuple[NashStanding, ...]]:
    """Nash averaging over margins and over win rates; intervals by drawing deals with replacement."""
    generator = np.random.default_rng(protocol.seed)
    even = np.full(protocol.pairs, 1 / protocol.pairs)
    resamples = RESAMPLES if protocol.pairs > 1 else 0
    weights: list[np.ndarray] = [np.ones(protocol.pairs)]
    weights += [generator.multinomial(protocol.pairs, even) for _ in range(resamples)]
    margins, win_rates = [], []
    for weight in weights:
        points = [_mean_margin(result, weight) for result in results]
        shares = [(weight @ result.quarters) / (QUARTERS * protocol.pairs) - 0.5 for result in results]
        if rated:
            margins.append(nash_average(_square(protocol, points)[np.ix_(rated, rated)]))
        win_rates.append(nash_average(_square(protocol, shares)))
    by_margins = _nash_standings(margins) if rated else ()
    return (
        _spread(by_margins, rated, protocol, NashStanding(_NONE, _NONE)),
        _nash_standings(win_rates),
    )


def _nash_standings(averages: Sequence[Any]) -> tuple[NashStanding, ...]:
    """From the Nash average of the deals as they are, and those of the resamples."""
    masses = np.array([average.mass for average in averages]).T
    skills = np.array([average.skill for average in averages]).T
    return tuple(
        NashStanding(_percentiles(mass), _percentiles(skill))
        for mass, skill in zip(masses, skills, strict=True)
    )


def _percentiles(values: np.ndarray) -> Estimate:
    if len(values) == 1:
        return Estimate(float(values[0]), None, None)
    low, high = np.percentile(values[1:], _TWO_SIDED)
    return Estimate(float(values[0]), float(low), float(high))


def _style(protocol: Protocol, played: Sequence[PlayedPairs], agent: int) -> Style:
    """The games of each deal against all opponents count as one observation."""
    counts, rounds = [], np.zeros(protocol.pairs, dtype=np.int64)
    for pairs, pairing in zip(played, protocol.pairings, strict=True):
        if agent in pairing:
            side = pairing.index(agent)
            counts.append(_seen_by(pairs.rounds, side))
            rounds += pairs.played.sum(axis=1, dtype=np.int64)
    own = np.concatenate(counts, axis=1)
    turns = own["turns"].reshape(protocol.pairs, -1).sum(axis=1, dtype=np.int64)
    return Style(figures_of(own, rounds, 0), ratio(turns, rounds))


def _seen_by(rounds: np.ndarray, side: int) -> np.ndarray:
    """Rounds with the contestant `side` as the first."""
    if side == 0:
        return rounds
    turned = rounds.copy()
    for name in rounds.dtype.names or ():
        if rounds[name].ndim > rounds.ndim:
            turned[name] = rounds[name][..., ::-1]
    return turned
