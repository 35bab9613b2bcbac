"""Plays contests of two agents each, on all cores, resumable: what tournaments and benchmarks are made of.

The work is cut into chunks: some pairs of one contest. Each chunk is played by agents made and seeded anew,
so its results depend on the contest and the seed alone: not on the number of workers, the order of the chunks
or an interruption.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lostcities_env.agents import guests, shipped
from lostcities_env.agents.registry import is_guest, names
from lostcities_env.evaluation.pairs import Pairing, PlayedPairs
from lostcities_env.evaluation.results_file import ResultsError, ResultsFile, decode_pairs, encode_pairs
from lostcities_env.evaluation.table import Progress
from lostcities_env.evaluation.terms import Terms
from lostcities_env.evaluation.workers import run_all
from lostcities_env.rules.match import Match

PAIRS_A_CHUNK = 100
FAILURES = "failures"
"""The folder beside a file of results for positions in which games were forfeited: the first of each reason
of a chunk."""


@dataclass(frozen=True)
class Contest:
    """Two agents and what they play.

    Attributes:
        a: its name, path or guest.
        b: the same of its opponent.
        match: what is played in each game; its rounds must end by themselves.
        pairs: pairs of games.
        setting: what tells contests of the same agents apart, if anything.
    """

    a: str
    b: str
    match: Match
    pairs: int
    setting: str = ""

    @property
    def key(self) -> dict[str, str]:
        """What a record of results calls it."""
        return ({"setting": self.setting} if self.setting else {}) | {"a": self.a, "b": self.b}


@dataclass(frozen=True)
class Chunk:
    """Pairs `first`, `first` + 1, ..., `pairs` of them, of a contest."""

    contest: Contest
    first: int
    pairs: int

    @property
    def key(self) -> dict[str, Any]:
        """How its record begins."""
        return {**self.contest.key, "first_pair": self.first, "pairs": self.pairs}


def chunks_of(contests: Sequence[Contest]) -> list[Chunk]:
    """The work, a slice of all contests after the other, so that any part of it is balanced."""
    most = max((contest.pairs for contest in contests), default=0)
    return [
        Chunk(contest, first, min(PAIRS_A_CHUNK, contest.pairs - first))
        for first in range(0, most, PAIRS_A_CHUNK)
        for contest in contests
        if first < contest.pairs
    ]


def play_contests(
    contests: Sequence[Contest],
    seed: int,
    file: Path,
    header: dict[str, Any],
    *,
    terms: Terms,
    workers: int,
    progress: Progress | None = None,
) -> list[PlayedPairs]:
    """Plays what is not in a file of results yet, and returns all of it.

    Args:
        contests: what is played; no two have the same `key`.
        seed: of the deals and of the agents; 0..2**64-1.
        file: every chunk is appended to it when it is played; made if missing, as is its folder.
        header: all that the results depend on.
        terms: how agents are treated. Positions of forfeits go to `FAILURES` if it names no other folder.
        workers: processes that play. One plays in this process; more are new processes, which know only
            agents that are installed or files.
        progress: called with the share of what was left to play.

    Returns:
        A list as long as `contests`, in that order.

    Raises:
        OtherResultsError: if the file has another header; says what differs.
        ResultsError: if it is damaged.
        OSError: if it cannot be written.
        UnknownAgentError, GuestError, ValueError, IllegalActionError, TypeError, AgentFailedError: see
            `Pairing`.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    failures = file.parent / FAILURES if terms.save_failures is None else terms.save_failures
    # Which of many failures are the first is not known to a chunk: it saves one of each kind.
    play = partial(_play, seed, replace(terms, save_failures=failures, most_saved=0))
    chunks = chunks_of(contests)
    with ResultsFile(file, header) as results:
        done = dict(_read(chunks, results))
        todo = [chunk for chunk in chunks if chunk not in done]
        with closing(run_all(play, todo, workers)) as fresh:
            for count, (chunk, played) in enumerate(fresh, start=1):
                results.append(chunk.key | encode_pairs(played))
                done[chunk] = played
                if progress is not None:
                    progress(count / len(todo))
    return [_joined([done[chunk] for chunk in chunks if chunk.contest == contest]) for contest in contests]


def digest_of(agent: str, match: Match) -> str | None:
    """The SHA-256 of the file that an agent is read from; None if it is not read from one."""
    path = _file_of(agent, match)
    return None if path is None else hashlib.sha256(path.read_bytes()).hexdigest()


def _file_of(agent: str, match: Match) -> Path | None:
    if agent in shipped.names():
        return shipped.file_for(agent, match)
    if is_guest(agent):
        return guests.file_of(agent)
    return Path(agent) if agent not in names() and Path(agent).is_file() else None


def _play(seed: int, terms: Terms, chunk: Chunk) -> PlayedPairs:
    contest = chunk.contest
    pairing = Pairing(contest.a, contest.b, contest.match, seed, chunk.pairs, terms)
    return pairing.play(chunk.first, chunk.pairs)


def _read(chunks: Sequence[Chunk], results: ResultsFile) -> Iterator[tuple[Chunk, PlayedPairs]]:
    by_key = {_values(chunk.key): chunk for chunk in chunks}
    for where, record in results.records():
        try:
            played = decode_pairs(record)
            chunk = by_key.get(_values(record))
        except (KeyError, TypeError, ValueError) as error:
            raise ResultsError(f"{where}: not a chunk of results ({error!r})") from None
        lengths = {len(played.rounds), len(played.played), len(played.winners)}
        if chunk is None or lengths != {chunk.pairs}:
            raise ResultsError(f"{where}: not a chunk of these contests")
        yield chunk, played


def _values(key: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(key.get(name) for name in ("setting", "a", "b", "first_pair", "pairs"))


def _joined(parts: Sequence[PlayedPairs]) -> PlayedPairs:
    return PlayedPairs(
        rounds=np.concatenate([part.rounds for part in parts]),
        played=np.concatenate([part.played for part in parts]),
        winners=np.concatenate([part.winners for part in parts]),
        forfeits=tuple(forfeit for part in parts for forfeit in part.forfeits),
    )
