"""`sequential_test`: plays pairs until it is decided which of two hypotheses about A and B holds.

A test with a fixed number of pairs plays them all even when the answer is plain after a tenth of them.
A sequential test looks after every batch, and stops as soon as the log-likelihood ratio of its hypotheses
leaves the bounds that keep the chances of an error; see `likelihood` for both.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from lostcities_env.agents.attempts import AgentFailedError
from lostcities_env.agents.base import Agent
from lostcities_env.evaluation.evaluation import versions
from lostcities_env.evaluation.forfeits import Forfeit, Forfeits
from lostcities_env.evaluation.likelihood import (
    elo_of_score,
    normal_llr,
    pentanomial_llr,
    score_of_elo,
    wald_bounds,
)
from lostcities_env.evaluation.pair_results import QUARTERS, PairResults
from lostcities_env.evaluation.pairs import PAIRS_AT_ONCE, Pairing, agent_name, check_count
from lostcities_env.evaluation.statistics import CONFIDENCE, Estimate, ratio, ratio_and_error, share
from lostcities_env.evaluation.terms import DEFAULT_TERMS, Terms
from lostcities_env.rules.game import IllegalActionError
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import Variant

SCHEMA = "lostcities.sequential/3"
"""Changes whenever `SequentialTest.to_dict` changes its shape or the meaning of a number."""

MAX_ELO = 2000.0
"""Beyond it a win rate is 0 or 1 as far as any number of games can tell."""

MEASURES = ("margin", "elo")
"""What hypotheses can be about."""
H0, H1, UNDECIDED = "H0", "H1", "undecided"
"""Verdicts."""

FEWEST_PAIRS = 100
FEWEST_BATCHES = 2
"""No verdict before both: the spread of the pairs is estimated from the pairs themselves."""

NO_MARGIN = "a game that is forfeited has no margin; a test of Elo, with --elo0 and --elo1, counts it as lost"
"""Why a test of margins ends at the first failure."""

SequentialProgress = Callable[[int, float], None]
"""Called after each batch with the pairs so far and their log-likelihood ratio."""


@dataclass(frozen=True)
class Hypotheses:
    """Two values of what a pair of games is worth to A, and how often the wrong one may be accepted.

    Args:
        measure: ``"margin"``, A's points minus B's per round, or ``"elo"``, the logistic Elo difference
            that A's mean score stands for (a game won counts 1, drawn 1/2).
        value0: the measure under H0.
        value1: the measure under H1, above `value0`.
        alpha: the chance of accepting H1 when H0 holds, between 0 and 0.5.
        beta: the chance of accepting H0 when H1 holds, between 0 and 0.5.

    Raises:
        ValueError: naming the argument that was wrong.
    """

    measure: str = "margin"
    value0: float = 0.0
    value1: float = 1.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            raise ValueError(f"no measure {self.measure!r}; there are {', '.join(MEASURES)}")
        for name, chance in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < chance < 0.5:
                raise ValueError(f"{name}={chance} is not between 0 and 0.5")
        for name, value in (("0", self.value0), ("1", self.value1)):
            if not np.isfinite(value):
                raise ValueError(f"{self.measure}{name}={value} is not a finite number")
        if not self.value0 < self.value1:
            raise ValueError(f"{self.measure}1={self.value1} is not above {self.measure}0={self.value0}")
        if self.measure == "elo" and max(abs(self.value0), abs(self.value1)) > MAX_ELO:
            raise ValueError(f"elo0={self.value0} and elo1={self.value1} are not within ±{MAX_ELO:g}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted."""
        return wald_bounds(self.alpha, self.beta)

    def verdict(self, llr: float) -> str:
        """What a log-likelihood ratio decides."""
        low, high = self.bounds
        return H0 if llr <= low else H1 if llr >= high else UNDECIDED


@dataclass(frozen=True)
class SequentialTest:
    """How a test of A against B came out; `docs/evaluation.md` defines every number.

    Attributes:
        agents: what A and B are called.
        match: what was played in each game.
        seed: of the deals and the agents.
        hypotheses: what was tested.
        batch: pairs between two looks at the results.
        max_pairs: pairs after which the test would end undecided.
        pairs: pairs that were played.
        verdict: `H0`, `H1` or `UNDECIDED`.
        llr: the log-likelihood ratio of H1 against H0.
        margin: points of A minus points of B, per round.
        win_rate: A's wins and half its draws, as a share of the games.
        elo: the Elo difference of `win_rate`; no value if that is 0 or 1.
        counts: pairs in which A scored 0, 1/2, 1, 3/2 and 2 points.
        forfeits: games that A and that B lost by failing; they count as lost, and have no margin.
    """

    agents: tuple[str, str]
    match: Match
    seed: int
    hypotheses: Hypotheses
    batch: int
    max_pairs: int
    pairs: int
    verdict: str
    llr: float
    margin: Estimate
    win_rate: Estimate
    elo: Estimate
    counts: tuple[int, ...]
    forfeits: tuple[Forfeits, Forfeits] = (Forfeits(), Forfeits())

    @property
    def stopped_early(self) -> bool:
        """Whether the results ended the test, which biases the estimates outwards."""
        return self.verdict != UNDECIDED

    def to_dict(self) -> dict[str, Any]:
        """As JSON types, in a fixed order; the same seeds and versions give the same bytes."""
        low, high = self.hypotheses.bounds
        return {
            "schema": SCHEMA,
            "versions": versions(),
            "agents": list(self.agents),
            "match": self.match.to_dict(),
            "seed": self.seed,
            "hypotheses": asdict(self.hypotheses),
            "batch": self.batch,
            "max_pairs": self.max_pairs,
            "pairs": self.pairs,
            "verdict": self.verdict,
            "llr": {"value": self.llr, "low": low, "high": high},
            "confidence": CONFIDENCE,
            "estimates_biased_outwards": self.stopped_early,
            "margin": self.margin.to_dict(),
            "win_rate": self.win_rate.to_dict(),
            "elo": self.elo.to_dict(),
            "counts": list(self.counts),
            "forfeits": [side.to_dict() for side in self.forfeits],
        }


def sequential_test(
    a: str | Agent,
    b: str | Agent,
    hypotheses: Hypotheses | None = None,
    *,
    variant: str | Variant = "standard",
    rounds: int = 1,
    tie: str = "draw",
    max_pairs: int = 50_000,
    batch: int = 100,
    seed: int = 0,
    progress: SequentialProgress | None = None,
    terms: Terms = DEFAULT_TERMS,
) -> SequentialTest:
    """Plays pairs of games (same deals, seats swapped) until one of the hypotheses is accepted.

    The pairs are those of `evaluate` with the same seed, in order; the batch decides only where to look.

    Args:
        a: a name for `lostcities_env.agents.make` (a path of weights or a guest too), or an agent made for
            this match.
        b: the same for its opponent.
        hypotheses: what is tested; by default a margin of 0 against a margin of 1, with errors of 5 %.
        variant: what is played in each game, with `rounds` and `tie`; see `Match`.
        rounds: see `Match`.
        tie: see `Match`.
        max_pairs: pairs after which the test ends undecided; enough for a verdict to be possible.
        batch: pairs between two looks at the results.
        seed: 0..2**64-1, of the deals and of the agents.
        progress: see `SequentialProgress`.
        terms: how agents are treated, above all guests. A test about margins is strict whatever they say: a
            forfeited game has no margin, and leaving it out would favour an agent that fails when it is
            losing.

    Raises:
        UnknownAgentError: if there is no agent of a name.
        GuestError: if a guest cannot be loaded.
        AgentFailedError: if a guest fails in a test about margins, or under strict terms.
        InvalidVariantError, TypeError, ValueError: naming the argument that was wrong.
        IllegalActionError: if an agent chooses an illegal action; names the agent, the game and why.

    >>> sequential_test("random", "random", Hypotheses("margin", 0, 20), variant="mini3").verdict
    'H0'
    """
    hypotheses = hypotheses or Hypotheses()
    match = Match(variant, rounds, tie)  # type: ignore[arg-type]
    fewest = fewest_pairs(batch, max_pairs)
    said_strict = terms.strict is True
    if hypotheses.measure == "margin":
        terms = replace(terms, strict=True)
    pairing = Pairing(a, b, match, seed, min(batch, PAIRS_AT_ONCE), terms)
    results = PairResults()
    forfeits: list[Forfeit] = []
    verdict, llr = UNDECIDED, 0.0
    while verdict == UNDECIDED and len(results) < max_pairs:
        try:
            played = pairing.play(len(results), min(batch, max_pairs - len(results)))
        except (AgentFailedError, IllegalActionError) as error:
            if hypotheses.measure == "margin" and not said_strict:
                raise type(error)(f"{error} ({NO_MARGIN})") from error
            raise
        forfeits += played.forfeits
        results.append(played)
        llr = llr_of(results, hypotheses)
        if len(results) >= fewest:
            verdict = hypotheses.verdict(llr)
        if progress is not None:
            progress(len(results), llr)
    win_rate = share(results.quarters, np.full(len(results), QUARTERS))
    return SequentialTest(
        agents=(agent_name(a), agent_name(b)),
        match=match,
        seed=int(seed),
        hypotheses=hypotheses,
        batch=int(batch),
        max_pairs=int(max_pairs),
        pairs=len(results),
        verdict=verdict,
        llr=llr,
        margin=ratio(results.margins, results.rounds),
        win_rate=win_rate,
        elo=_elo(win_rate),
        counts=tuple(results.counts.tolist()),
        forfeits=(Forfeits.of(forfeits, 0), Forfeits.of(forfeits, 1)),
    )


def llr_of(results: PairResults, hypotheses: Hypotheses) -> float:
    """The log-likelihood ratio of H1 against H0."""
    value0, value1 = hypotheses.value0, hypotheses.value1
    if hypotheses.measure == "elo":
        return float(pentanomial_llr(results.counts, score_of_elo(value0), score_of_elo(value1)))
    mean, error = ratio_and_error(results.margins, results.rounds)
    variance = len(results) * (error or 0.0) ** 2
    return float(normal_llr(len(results), mean or 0.0, variance, value0, value1))


def fewest_pairs(batch: int, max_pairs: int) -> int:
    """The pairs before the first verdict.

    Raises:
        ValueError: if a number is not positive, or `max_pairs` is too small for a verdict.
    """
    check_count("batch", batch)
    check_count("max_pairs", max_pairs)
    fewest = max(FEWEST_PAIRS, FEWEST_BATCHES * batch)
    if max_pairs < fewest:
        raise ValueError(
            f"max_pairs={max_pairs} leaves no verdict: the first comes after {fewest} pairs "
            f"(at least {FEWEST_PAIRS}, and {FEWEST_BATCHES} batches of {batch})"
        )
    return fewest


def _elo(win_rate: Estimate) -> Estimate:
    ends = (win_rate.value, win_rate.low, win_rate.high)
    if any(score is None or not 0 < score < 1 for score in ends):
        return Estimate(None, None, None)  # infinitely far
    return Estimate(*(elo_of_score(score) for score in ends if score is not None))
