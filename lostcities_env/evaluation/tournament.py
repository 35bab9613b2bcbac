"""Plays a tournament: every two of several agents on the same paired deals."""

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from lostcities_env.evaluation.contests import PAIRS_A_CHUNK, Contest, digest_of, play_contests
from lostcities_env.evaluation.evaluation import versions
from lostcities_env.evaluation.pairs import PlayedPairs, check_count
from lostcities_env.evaluation.table import Progress
from lostcities_env.evaluation.terms import DEFAULT_TERMS, Terms
from lostcities_env.evaluation.workers import usable_cores
from lostcities_env.rules.generator import check_seed
from lostcities_env.rules.match import Match

SCHEMA = "lostcities.tournament/2"
"""Changes whenever a file of a tournament changes its shape or the meaning of a number."""
RESULTS = "results.jsonl"
"""The file of the chunks in the folder of a tournament."""


@dataclass(frozen=True)
class Protocol:
    """All that the results of a tournament depend on, besides the versions.

    Attributes:
        agents: names, paths of weights, or guests; each once.
        match: what is played in each game; its rounds must end by themselves.
        pairs: pairs of games of every two agents.
        seed: 0..2**64-1; of the deals and of the agents.
        terms: how agents are treated.

    Raises:
        ValueError: if there are fewer than two agents, one is there twice, or a number is off.
    """

    agents: tuple[str, ...]
    match: Match
    pairs: int
    seed: int = 0
    terms: Terms = DEFAULT_TERMS

    def __post_init__(self) -> None:
        if len(self.agents) < 2:
            raise ValueError(f"a tournament takes at least two agents, got {len(self.agents)}")
        twice = [agent for k, agent in enumerate(self.agents) if agent in self.agents[:k]]
        if twice:
            raise ValueError(f"a tournament takes every agent once, got {twice[0]!r} twice")
        check_count("pairs", self.pairs)
        check_seed(self.seed)

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """Indices of every two agents, A first."""
        return list(combinations(range(len(self.agents)), 2))

    @property
    def contests(self) -> list[Contest]:
        """Every two agents, in the order of `pairings`."""
        agents = self.agents
        return [Contest(agents[a], agents[b], self.match, self.pairs) for a, b in self.pairings]

    def to_dict(self) -> dict[str, Any]:
        """As JSON types, with versions and a digest of the file of every agent that is read from one."""
        digests = {agent: digest_of(agent, self.match) for agent in self.agents}
        return {
            "schema": SCHEMA,
            "versions": versions(),
            "agents": list(self.agents),
            "sha256": {agent: digest for agent, digest in digests.items() if digest is not None},
            "match": self.match.to_dict(),
            "pairs": int(self.pairs),
            "seed": int(self.seed),
            "strict": self.terms.strict,
            "move_seconds": self.terms.move_seconds,
            "pairs_a_chunk": PAIRS_A_CHUNK,
        }


def play_tournament(
    protocol: Protocol, folder: Path, *, workers: int | None = None, progress: Progress | None = None
) -> list[PlayedPairs]:
    """Plays what is not in the folder yet, and returns all of it.

    Args:
        protocol: what is played.
        folder: of `RESULTS`, to which every chunk is appended when it is played; made if missing.
        workers: processes that play, at most one a core by default; see `play_contests`.
        progress: called with the share of what was left to play.

    Returns:
        A list as long as `protocol.pairings`, in that order.

    Raises:
        OtherResultsError: if the folder holds a tournament of another protocol; says what differs.
        ResultsError: if its file is damaged.
        OSError: if the folder cannot be written.
        UnknownAgentError, GuestError, ValueError, IllegalActionError, TypeError, AgentFailedError: see
            `Pairing`.
    """
    workers = usable_cores() if workers is None else workers
    check_count("workers", workers)
    return play_contests(
        protocol.contests,
        protocol.seed,
        folder / RESULTS,
        protocol.to_dict(),
        terms=protocol.terms,
        workers=workers,
        progress=progress,
    )
