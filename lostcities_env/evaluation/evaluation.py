"""`evaluate`: how two agents compare, as numbers with intervals; the figures that an `Evaluation` holds."""

import platform
from dataclasses import dataclass, field, fields
from importlib.metadata import version
from typing import Any

import numba
import numpy as np

from lostcities_env.agents.base import Agent
from lostcities_env.evaluation.forfeits import Forfeits
from lostcities_env.evaluation.pairs import PlayedPairs, agent_name, play_pairs
from lostcities_env.evaluation.statistics import CONFIDENCE, Estimate, ratio, share
from lostcities_env.evaluation.table import Progress
from lostcities_env.evaluation.terms import DEFAULT_TERMS, Terms
from lostcities_env.evaluation.transcript import Transcript
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import Variant

SCHEMA = "lostcities.evaluation/3"
"""Changes whenever `Evaluation.to_dict` changes its shape or the meaning of a number."""


@dataclass(frozen=True)
class Outcomes:
    """How often A won.

    Attributes:
        wins, draws, losses: counts, of A.
        win_rate: wins and half the draws, as a share of all.
    """

    wins: int
    draws: int
    losses: int
    win_rate: Estimate

    def to_dict(self) -> dict[str, Any]:
        """As JSON types."""
        counts = {"wins": self.wins, "draws": self.draws, "losses": self.losses}
        return counts | {"win_rate": self.win_rate.to_dict()}


@dataclass(frozen=True)
class Figures:
    """How one of the agents played.

    Attributes:
        score: points per round.
        expeditions: expeditions opened per round.
        points_per_expedition: points per opened expedition.
        negative_expeditions: expeditions per round that cost points.
        bonuses: expeditions per round long enough for the bonus (eight cards in the standard game).
        wagers: wagers played per round.
        pile_draw_share: share of the agent's draws that came from a discard pile.
    """

    score: Estimate
    expeditions: Estimate
    points_per_expedition: Estimate
    negative_expeditions: Estimate
    bonuses: Estimate
    wagers: Estimate
    pile_draw_share: Estimate

    def to_dict(self) -> dict[str, Any]:
        """As JSON types."""
        return {field.name: getattr(self, field.name).to_dict() for field in fields(self)}


@dataclass(frozen=True)
class Evaluation:
    """How agent A did against agent B over pairs of games; `docs/evaluation.md` defines every number.

    Attributes:
        agents: what A and B are called.
        match: what was played in each game.
        pairs: pairs of games.
        seed: of the deals and the agents.
        margin: points of A minus points of B, per round.
        rounds, matches: how often A won a round, and a match under its tie rule.
        figures: how A and how B played.
        turns_per_round: of both players together.
        piles_closed_share: share of rounds that reached the variant's `piles_close_at`.
        first_player_win_rate: wins and half the draws of whoever moved first, in the first round of each
            match (later rounds are started by the winner of the one before).
        forfeits: games that A and that B lost by failing. Each counts as lost in `matches`, and in `rounds`
            as all rounds of a match; in all other numbers it does not count.
    """

    agents: tuple[str, str]
    match: Match
    pairs: int
    seed: int
    margin: Estimate
    rounds: Outcomes
    matches: Outcomes
    figures: tuple[Figures, Figures]
    turns_per_round: Estimate
    piles_closed_share: Estimate
    first_player_win_rate: Estimate
    forfeits: tuple[Forfeits, Forfeits] = field(default=(Forfeits(), Forfeits()))

    @property
    def games_without_margin(self) -> int:
        """Games that were forfeited."""
        return sum(side.games for side in self.forfeits)

    def to_dict(self) -> dict[str, Any]:
        """As JSON types, in a fixed order; the same seeds and versions give the same bytes."""
        return {
            "schema": SCHEMA,
            "versions": versions(),
            "agents": list(self.agents),
            "match": self.match.to_dict(),
            "pairs": self.pairs,
            "seed": self.seed,
            "confidence": CONFIDENCE,
            "margin": self.margin.to_dict(),
            "rounds": self.rounds.to_dict(),
            "matches": self.matches.to_dict(),
            "figures": [figures.to_dict() for figures in self.figures],
            "turns_per_round": self.turns_per_round.to_dict(),
            "piles_closed_share": self.piles_closed_share.to_dict(),
            "first_player_win_rate": self.first_player_win_rate.to_dict(),
            "games_without_margin": self.games_without_margin,
            "forfeits": [side.to_dict() for side in self.forfeits],
        }


def versions() -> dict[str, str]:
    """What a result depends on besides its arguments."""
    return {
        "lostcities-env": version("lostcities-env"),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "python": platform.python_version(),
    }


def evaluate(
    a: str | Agent,
    b: str | Agent,
    *,
    variant: str | Variant = "standard",
    rounds: int = 1,
    tie: str = "draw",
    pairs: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
    terms: Terms = DEFAULT_TERMS,
    transcript: Transcript | None = None,
) -> Evaluation:
    """Plays `pairs` pairs of games (same deals, seats swapped) between two agents and sums them up.

    Args:
        a: a name for `lostcities_env.agents.make` (a path of weights or a guest too), or an agent made for
            this match.
        b: the same for its opponent.
        variant: what is played in each game, with `rounds` and `tie`; see `Match`.
        rounds: see `Match`.
        tie: see `Match`.
        pairs: how many pairs; the interval of the margin shrinks with their square root.
        seed: 0..2**64-1, of the deals and of the agents.
        progress: called now and then with the share of the work that is done, 0 to 1.
        terms: how agents are treated, above all guests.
        transcript: writes the games of the first pairs down; see `Transcript.records`.

    Raises:
        UnknownAgentError: if there is no agent of a name.
        GuestError: if a guest cannot be loaded.
        InvalidVariantError, TypeError, ValueError: naming the argument that was wrong.
        IllegalActionError: if an agent that does not forfeit chooses an illegal action; names the agent,
            the game and why.
        AgentFailedError: if a guest fails that does not forfeit.

    >>> result = evaluate("random", "random", variant="mini3", pairs=50, seed=1)
    >>> result.rounds.wins + result.rounds.draws + result.rounds.losses
    100
    """
    match = Match(variant, rounds, tie)  # type: ignore[arg-type]
    played = play_pairs(
        a, b, match, pairs=pairs, seed=seed, progress=progress, terms=terms, transcript=transcript
    )
    return summarise(played, (agent_name(a), agent_name(b)), match, seed)


def summarise(played: PlayedPairs, agents: tuple[str, str], match: Match, seed: int) -> Evaluation:
    """The numbers of pairs that have been played."""
    counts = played.rounds
    rounds_of_pair = played.played.sum(axis=1, dtype=np.int64)
    forfeited = played.played == 0
    scores = counts["score"].astype(np.int64)
    margins = scores[..., 0] - scores[..., 1]  # 0 in forfeited games
    first_round_margins = np.where(counts["starter"] == 0, margins, -margins)[..., 0]
    match_signs = np.array([1, -1, 0])[played.winners]  # A, B, and -1 for a draw
    round_signs = np.sign(margins)
    round_signs[..., : match.rounds][forfeited] = match_signs[forfeited][:, np.newaxis]
    round_contests = rounds_of_pair + match.rounds * forfeited.sum(axis=1)
    return Evaluation(
        agents=agents,
        match=match,
        pairs=len(played.rounds),
        seed=int(seed),
        margin=ratio(_per_pair(margins), rounds_of_pair),
        rounds=_outcomes(round_signs, round_contests),
        matches=_outcomes(match_signs, np.full(len(counts), 2)),
        figures=(figures_of(counts, rounds_of_pair, 0), figures_of(counts, rounds_of_pair, 1)),
        turns_per_round=ratio(_per_pair(counts["turns"]), rounds_of_pair),
        piles_closed_share=share(_per_pair(counts["piles_closed"]), rounds_of_pair),
        first_player_win_rate=_outcomes(first_round_margins, (~forfeited).sum(axis=1)).win_rate,
        forfeits=(Forfeits.of(played.forfeits, 0), Forfeits.of(played.forfeits, 1)),
    )


def _per_pair(values: np.ndarray) -> np.ndarray:
    """Sums of all values of each pair, int64 (pairs,)."""
    return values.reshape(len(values), -1).sum(axis=1, dtype=np.int64)


def _outcomes(margins: np.ndarray, contests: np.ndarray) -> Outcomes:
    """By the signs of margins (pairs, ...), of which `contests` (pairs,) were played; the others are 0."""
    wins = _per_pair(margins > 0)
    losses = _per_pair(margins < 0)
    draws = contests - wins - losses
    return Outcomes(
        wins=int(wins.sum()),
        draws=int(draws.sum()),
        losses=int(losses.sum()),
        win_rate=share(2 * wins + draws, 2 * contests),
    )


def figures_of(counts: np.ndarray, rounds_of_pair: np.ndarray, contestant: int) -> Figures:
    """The figures of a contestant.

    Args:
        counts: `ROUND` (pairs, ...), all rounds of each pair; zeros where none was played.
        rounds_of_pair: int64 (pairs,), how many were played.
        contestant: 0 for A, 1 for B.
    """

    def total(name: str) -> np.ndarray:
        return _per_pair(counts[name][..., contestant])

    return Figures(
        score=ratio(total("score"), rounds_of_pair),
        expeditions=ratio(total("expeditions"), rounds_of_pair),
        points_per_expedition=ratio(total("score"), total("expeditions")),
        negative_expeditions=ratio(total("negative"), rounds_of_pair),
        bonuses=ratio(total("bonuses"), rounds_of_pair),
        wagers=ratio(total("wagers"), rounds_of_pair),
        pile_draw_share=share(total("pile_draws"), total("turns")),
    )
