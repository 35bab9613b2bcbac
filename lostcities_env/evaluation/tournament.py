"""Plays a tournament: every two of several agents on the same paired deals, on all cores, resumable.

The work is cut into chunks: some pairs of one pairing. Each chunk is played by agents made and seeded anew,
so its results depend on the protocol alone: not on the number of workers, the order of the chunks or an
interruption.
"""

import hashlib
import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from lostcities_env.agents import guests, shipped
from lostcities_env.agents.registry import is_guest, names
from lostcities_env.evaluation.evaluation import versions
from lostcities_env.evaluation.pairs import Pairing, PlayedPairs, check_count
from lostcities_env.evaluation.results_file import ResultsError, ResultsFile, decode_pairs, encode_pairs
from lostcities_env.evaluation.table import Progress
from lostcities_env.evaluation.terms import DEFAULT_TERMS, Terms
from lostcities_env.rules.generator import check_seed
from lostcities_env.rules.match import Match

SCHEMA = "lostcities.tournament/2"
"""Changes whenever a file of a tournament changes its shape or the meaning of a number."""
PAIRS_A_CHUNK = 100
RESULTS = "results.jsonl"
"""The file of the chunks in the folder of a tournament."""
FAILURES = "failures"
"""The folder in it for positions in which games were forfeited: the first of each reason of a chunk."""
_THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


@dataclass(frozen=True)
class Protocol:
    """All that the results of a tournament depend on, besides the versions.

    Attributes:
        agents: names, paths of weights, or guests; each once.
        match: what is played in each game; its rounds must end by themselves.
        pairs: pairs of games of every two agents.
        seed: 0..2**64-1; of the deals and of the agents.
        terms: how agents are treated. Positions of forfeits go to `FAILURES` if it names no other folder.

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

    def chunks(self) -> "list[Chunk]":
        """The work, a slice of all pairings after the other, so that any part of it is balanced."""
        return [
            Chunk(a, b, first, min(PAIRS_A_CHUNK, self.pairs - first))
            for first in range(0, self.pairs, PAIRS_A_CHUNK)
            for a, b in self.pairings
        ]

    def to_dict(self) -> dict[str, Any]:
        """As JSON types, with versions and a digest of the file of every agent that is read from one."""
        return {
            "schema": SCHEMA,
            "versions": versions(),
            "agents": list(self.agents),
            "sha256": {
                agent: hashlib.sha256(path.read_bytes()).hexdigest()
                for agent in self.agents
                if (path := _file_of(agent, self.match)) is not None
            },
            "match": self.match.to_dict(),
            "pairs": int(self.pairs),
            "seed": int(self.seed),
            "strict": self.terms.strict,
            "move_seconds": self.terms.move_seconds,
            "pairs_a_chunk": PAIRS_A_CHUNK,
        }


@dataclass(frozen=True)
class Chunk:
    """Pairs `first`, `first` + 1, ..., `pairs` of them, of agents `a` and `b` (indices)."""

    a: int
    b: int
    first: int
    pairs: int


def play_tournament(
    protocol: Protocol, folder: Path, *, workers: int | None = None, progress: Progress | None = None
) -> list[PlayedPairs]:
    """Plays what is not in the folder yet, and returns all of it.

    Args:
        protocol: what is played.
        folder: of `RESULTS`, to which every chunk is appended when it is played; made if missing.
        workers: processes that play, at most one a core by default. One plays in this process; more are new
            processes, which know only agents that are installed or files.
        progress: called with the share of what was left to play.

    Returns:
        A list as long as `protocol.pairings`, in that order.

    Raises:
        OtherTournamentError: if the folder holds a tournament of another protocol; says what differs.
        ResultsError: if its file is damaged.
        OSError: if the folder cannot be written.
        UnknownAgentError, GuestError, ValueError, IllegalActionError, TypeError, AgentFailedError: see
            `Pairing`.
    """
    workers = usable_cores() if workers is None else workers
    check_count("workers", workers)
    folder.mkdir(parents=True, exist_ok=True)
    if protocol.terms.save_failures is None:
        protocol = replace(protocol, terms=replace(protocol.terms, save_failures=folder / FAILURES))
    with ResultsFile(folder / RESULTS, protocol.to_dict()) as results:
        chunks = protocol.chunks()
        done = dict(_read(protocol, results))
        todo = [chunk for chunk in chunks if chunk not in done]
        with closing(_play_chunks(protocol, todo, workers)) as fresh:
            for count, (chunk, played) in enumerate(fresh, start=1):
                results.append(_record_of(protocol, chunk, played))
                done[chunk] = played
                if progress is not None:
                    progress(count / len(todo))
    return [
        _joined([done[chunk] for chunk in chunks if (chunk.a, chunk.b) == pairing])
        for pairing in protocol.pairings
    ]


def usable_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _play_chunks(
    protocol: Protocol, chunks: Sequence[Chunk], workers: int
) -> Generator[tuple[Chunk, PlayedPairs], None, None]:
    """Chunks as they are finished."""
    workers = min(workers, len(chunks))
    if workers <= 1:
        yield from ((chunk, _play(protocol, chunk)) for chunk in chunks)
        return
    others = set(multiprocessing.active_children())
    with _one_thread_each():
        executor = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _prepare_worker)
        futures = {executor.submit(_play, protocol, chunk): chunk for chunk in chunks}
    try:
        for future in as_completed(futures):
            yield futures[future], future.result()
    except BaseException:
        # Whoever interrupts does not want to wait for the chunks in hand.
        executor.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    executor.shutdown()


def _play(protocol: Protocol, chunk: Chunk) -> PlayedPairs:
    a, b = protocol.agents[chunk.a], protocol.agents[chunk.b]
    terms = replace(protocol.terms, most_saved=0)  # which of many are the first is not known to a chunk
    pairing = Pairing(a, b, protocol.match, protocol.seed, chunk.pairs, terms)
    return pairing.play(chunk.first, chunk.pairs)


def _record_of(protocol: Protocol, chunk: Chunk, played: PlayedPairs) -> dict[str, Any]:
    a, b = protocol.agents[chunk.a], protocol.agents[chunk.b]
    return {"a": a, "b": b, "first_pair": chunk.first, "pairs": chunk.pairs, **encode_pairs(played)}


def _read(protocol: Protocol, results: ResultsFile) -> Iterator[tuple[Chunk, PlayedPairs]]:
    chunks = set(protocol.chunks())
    for where, record in results.records():
        try:
            a, b = (protocol.agents.index(record[side]) for side in "ab")
            chunk = Chunk(a, b, record["first_pair"], record["pairs"])
            played = decode_pairs(record)
        except (KeyError, TypeError, ValueError) as error:
            raise ResultsError(f"{where}: not a chunk of results ({error!r})") from None
        lengths = {len(played.rounds), len(played.played), len(played.winners)}
        if chunk not in chunks or lengths != {chunk.pairs}:
            raise ResultsError(f"{where}: not a chunk of this tournament")
        yield chunk, played


def _joined(parts: Sequence[PlayedPairs]) -> PlayedPairs:
    return PlayedPairs(
        rounds=np.concatenate([part.rounds for part in parts]),
        played=np.concatenate([part.played for part in parts]),
        winners=np.concatenate([part.winners for part in parts]),
        forfeits=tuple(forfeit for part in parts for forfeit in part.forfeits),
    )


def _file_of(agent: str, match: Match) -> Path | None:
    """The file that an agent is read from, if any."""
    if agent in shipped.names():
        return shipped.file_for(agent, match)
    if is_guest(agent):
        return guests.file_of(agent)
    return Path(agent) if agent not in names() and Path(agent).is_file() else None


def _prepare_worker() -> None:
    """An interrupt reaches the first process too, which ends its workers; they also end when it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore", guests.TrustWarning)  # for the first process to say
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Processes started within have one thread for matrix products: a core each is taken already."""
    before = {name: os.environ.get(name) for name in _THREAD_LIMITS}
    os.environ.update(dict.fromkeys(_THREAD_LIMITS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
