"""The benchmark: one agent against fixed opponents on fixed deals, so that results from anywhere compare.

`NAME` carries the version of the protocol: which opponents, settings, deals and numbers of pairs, and what is
reported. Whatever changes one of them makes another version. `docs/benchmark.md` says it in words.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lostcities_env.agents import shipped
from lostcities_env.agents.policy import Policy
from lostcities_env.agents.registry import make
from lostcities_env.evaluation.contests import PAIRS_A_CHUNK, Contest, digest_of, play_contests
from lostcities_env.evaluation.evaluation import Evaluation, summarise, versions
from lostcities_env.evaluation.naming import short_names
from lostcities_env.evaluation.origin import commit
from lostcities_env.evaluation.pair_results import QUARTERS, PairResults
from lostcities_env.evaluation.pairs import PlayedPairs, check_count
from lostcities_env.evaluation.statistics import CONFIDENCE, Estimate, mean_of_ratios
from lostcities_env.evaluation.table import Progress
from lostcities_env.evaluation.terms import DEFAULT_TERMS, Terms
from lostcities_env.evaluation.workers import usable_cores
from lostcities_env.files import in_file_name
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import VARIANTS

NAME = "lostcities-benchmark v1"
SCHEMA = "lostcities.benchmark/1"
"""Changes whenever the file of a result changes its shape or the meaning of a number."""

DEVELOPMENT, HELD_OUT = DEALS = ("development", "held-out")
OPPONENTS = ("random", "greedy", "threshold", "projection", "quick", "champion")
NOT_A_MEASURE = "random"
"""The opponent that no mean counts: how far it is beaten says little about strength."""
SMOKE_PAIRS = 4
"""Pairs of a smoke run, which is no result."""


@dataclass(frozen=True)
class Setting:
    """A part of the benchmark.

    Attributes:
        name: what results call it.
        match: what is played in each game.
        pairs: pairs of games against each opponent.
        weights: the opponents that are read from weights, and the `weights_digest` of these.
        opponents: all of them.
    """

    name: str
    match: Match
    pairs: int
    weights: dict[str, str]
    opponents: tuple[str, ...] = OPPONENTS

    def to_dict(self) -> dict[str, Any]:
        """As JSON types."""
        return {
            "name": self.name,
            "match": self.match.to_dict(),
            "pairs": self.pairs,
            "opponents": list(self.opponents),
            "sha256": self.weights,
        }


_QUICK = "1e803521a3c36308e7729e15f937e437143da996d40cd98db9dd891973922b89"
_QUICK_SIX = "5d6bb7e5b5f562218ed19be7592f8854ad7a6338a3806ac594d9ff3393ed5e10"
_CHAMPION = "0052542a9931481b5229417148a933b4616830cc7cc17df13e4b659b2c468f6f"
STANDARD, SIX, MATCH = SETTINGS = (
    Setting("standard", Match(), 2000, {"quick": _QUICK, "champion": _CHAMPION}),
    Setting("six", Match(VARIANTS["six"]), 1000, {"quick": _QUICK_SIX}, OPPONENTS[:-1]),
    Setting("match", Match(rounds=3), 1000, {"quick": _QUICK, "champion": _CHAMPION}),
)


class BenchmarkError(ValueError):
    """What cannot be benchmarked, or is no result of one; the message says why."""


@dataclass(frozen=True)
class Benchmark:
    """A run of the benchmark.

    Attributes:
        agent: a name, a path of weights, or a guest.
        deals: `DEVELOPMENT`, to work with, or `HELD_OUT`, for the end.
        smoke: whether to play a few pairs only, to see that it works.
        terms: how the agent is treated.

    Raises:
        BenchmarkError: if there are no such deals.
    """

    agent: str
    deals: str = DEVELOPMENT
    smoke: bool = False
    terms: Terms = DEFAULT_TERMS

    def __post_init__(self) -> None:
        if self.deals not in DEALS:
            raise BenchmarkError(f"no deals {self.deals!r}; there are {', '.join(DEALS)}")

    @property
    def seed(self) -> int:
        """Of the deals and the agents; see `deals_seed`."""
        return deals_seed(self.deals)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """What is played."""
        return tuple(replace(setting, pairs=SMOKE_PAIRS) for setting in SETTINGS) if self.smoke else SETTINGS

    @property
    def file_name(self) -> str:
        """What the file of its result is called, without a suffix."""
        agent = in_file_name(short_names([self.agent])[0])
        return f"{agent}-{self.deals}{'-smoke' if self.smoke else ''}"


def deals_seed(deals: str) -> int:
    """The seed of the deals of that name: the first 64 bits of a SHA-256, the highest first."""
    return int.from_bytes(hashlib.sha256(f"{NAME}, {deals} deals".encode()).digest()[:8], "big")


def weights_digest(opponent: str, match: Match) -> str:
    """The SHA-256 of the tensors with which a learned agent plays, whatever else its file says.

    Of each tensor, in the order of the names: the name, and the values as they lie in the file.
    """
    digest = hashlib.sha256()
    for name, tensor in sorted(Policy.read(shipped.file_for(opponent, match)).tensors.items()):
        digest.update(name.encode())
        digest.update(tensor.tobytes())
    return digest.hexdigest()


def run_benchmark(
    benchmark: Benchmark, folder: Path, *, workers: int | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Plays what has not been played yet, and sums it up.

    Args:
        benchmark: what is played.
        folder: for its rounds (``FILE_NAME.jsonl``); made if missing.
        workers: processes that play, at most one a core by default; see `play_contests`.
        progress: called with the share of what was left to play.

    Returns:
        The result as JSON types; `docs/benchmark.md` says what it holds.

    Raises:
        BenchmarkError: if an opponent is not that of the protocol.
        OtherResultsError, ResultsError, OSError: see `play_contests`.
        UnknownAgentError, GuestError, WeightsError, ValueError: see `Pairing`.
        IllegalActionError, TypeError, AgentFailedError: see `Pairing`.
    """
    workers = usable_cores() if workers is None else workers
    check_count("workers", workers)
    left_out = check_settings(benchmark)
    header = _header(benchmark, left_out)
    played = [setting for setting in benchmark.settings if setting.name not in left_out]
    contests = [
        Contest(benchmark.agent, opponent, setting.match, setting.pairs, setting.name)
        for setting in played
        for opponent in setting.opponents
    ]
    pairs = play_contests(
        contests,
        benchmark.seed,
        folder / f"{benchmark.file_name}.jsonl",
        header,
        terms=benchmark.terms,
        workers=workers,
        progress=progress,
    )
    parts = {
        setting.name: [
            (contest, result)
            for contest, result in zip(contests, pairs, strict=True)
            if contest.setting == setting.name
        ]
        for setting in played
    }
    settings = [
        {**setting, **_summary(parts.get(setting["name"], []), benchmark.seed)}
        for setting in header["settings"]
    ]
    return {
        **{key: value for key, value in header.items() if key != "settings"},
        "confidence": CONFIDENCE,
        "headline": settings[0]["mean_margin"],
        "settings": settings,
    }


def check_settings(benchmark: Benchmark) -> dict[str, str]:
    """Settings that the agent does not play, by name, with the reason.

    Raises:
        BenchmarkError: if an opponent's weights are not those of the protocol.
        ValueError: if the agent does not play the standard game.
    """
    left_out = {}
    for setting in benchmark.settings:
        for opponent, digest in setting.weights.items():
            if weights_digest(opponent, setting.match) != digest:
                raise BenchmarkError(
                    f"{opponent} is not the one of {NAME} in the setting {setting.name}: the SHA-256 of its "
                    f"tensors should be {digest}; another version of lostcities-env has another benchmark"
                )
        try:
            make(
                benchmark.agent,
                setting.match,
                trust=benchmark.terms.trust,
                move_seconds=benchmark.terms.move_seconds,
            )
        except ValueError as error:
            if setting.name == STANDARD.name:
                raise
            left_out[setting.name] = str(error)
    return left_out


def _header(benchmark: Benchmark, left_out: dict[str, str]) -> dict[str, Any]:
    """All that the results depend on, as JSON types."""
    return {
        "schema": SCHEMA,
        "protocol": NAME,
        "smoke": benchmark.smoke,
        "agent": benchmark.agent,
        "sha256": {
            setting.name: digest_of(benchmark.agent, setting.match)
            for setting in benchmark.settings
            if setting.name not in left_out
        },
        "deals": benchmark.deals,
        "seed": benchmark.seed,
        "versions": versions(),
        "commit": commit(),
        "strict": benchmark.terms.strict,
        "move_seconds": benchmark.terms.move_seconds,
        "pairs_a_chunk": PAIRS_A_CHUNK,
        "settings": [
            setting.to_dict() | {"left_out": left_out.get(setting.name)} for setting in benchmark.settings
        ],
    }


def _summary(parts: Sequence[tuple[Contest, PlayedPairs]], seed: int) -> dict[str, Any]:
    """What came of a setting: its means over opponents, and each opponent."""
    evaluations = [
        summarise(played, (contest.a, contest.b), contest.match, seed) for contest, played in parts
    ]
    margins, games = [], []
    for contest, played in parts:
        result = PairResults()
        result.append(played)
        if contest.b != NOT_A_MEASURE:
            margins.append((result.margins, result.rounds))
            games.append((result.quarters, np.full(len(result), QUARTERS)))
    none = Estimate(None, None, None)
    forfeits = sum(evaluation.forfeits[0].games for evaluation in evaluations)
    # Games left out would favour an agent that fails when it is losing.
    margin = mean_of_ratios(margins) if margins and not forfeits else none
    return {
        "forfeits": forfeits,
        "mean_margin": margin.to_dict(),
        "mean_win_rate": (_within_one(mean_of_ratios(games)) if games else none).to_dict(),
        "contests": [_contest(evaluation) for evaluation in evaluations],
    }


def _within_one(share: Estimate) -> Estimate:
    """A share whose interval does not leave the range from 0 to 1."""
    low, high = (None if end is None else min(max(end, 0.0), 1.0) for end in (share.low, share.high))
    return Estimate(share.value, low, high)


def _contest(evaluation: Evaluation) -> dict[str, Any]:
    """An evaluation without what the result says for all of them."""
    everywhere = ("schema", "versions", "agents", "match", "pairs", "seed", "confidence")
    content = evaluation.to_dict()
    return {"opponent": evaluation.agents[1]} | {k: v for k, v in content.items() if k not in everywhere}
