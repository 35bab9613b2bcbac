"""Plays pairs of games: the same deal twice, with the seats swapped.

The unit of everything here is the *pair*. Pair k of seed s is one seed for the generator of both of its
games, so every deck of both is the same; contestant A sits at seat 0 in the first game and at seat 1 in
the second. The seed of a pair depends on s and k alone: not on how many pairs are played, not on who
plays. Luck of the deal falls on both contestants and cancels within the pair.

All games of a chunk of pairs are stepped as one batch. Agents of this package draw their random choices
from a seed and the observation, so the chunk's size does not change any result; an agent that keeps a
random generator of its own between calls of `act` loses that.

An agent from outside that fails (crashes, takes an illegal action, ...) forfeits the game that it fails in;
`Terms` says how agents are treated, `forfeits` what is kept of it.
"""

import copy
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lostcities_env.agents.attempts import Guest
from lostcities_env.agents.base import Agent
from lostcities_env.agents.local_guest import guarded
from lostcities_env.agents.registry import resolve
from lostcities_env.evaluation.forfeits import FailureFolder, Forfeit
from lostcities_env.evaluation.table import ROUND, Contestant, Progress, Table, contestant_seed
from lostcities_env.evaluation.terms import DEFAULT_TERMS, Terms
from lostcities_env.evaluation.transcript import Transcript
from lostcities_env.rules.match import Match

PAIRS_AT_ONCE = 1024
"""Pairs in a batch: about 6 MB of games, observations and masks in the standard game."""


@dataclass(frozen=True)
class PlayedPairs:
    """What happened in every game of every pair.

    Attributes:
        rounds: `ROUND` (pairs, 2, most rounds of a match); axis 1 is the seat of contestant A. Rounds
            that were not played are all zeros.
        played: int8 (pairs, 2), rounds that were played; 0 for a forfeited game, however far it went.
        winners: int8 (pairs, 2), who won each match: 0 for A, 1 for B, -1 for a draw.
        forfeits: the games that were forfeited, in the order of their failures.
    """

    rounds: np.ndarray
    played: np.ndarray
    winners: np.ndarray
    forfeits: tuple[Forfeit, ...] = ()


class Pairing:
    """Two contestants at a table, seeded once, who play the pairs of a seed chunk by chunk.

    Args:
        a, b: names for `lostcities_env.agents.make`, or agents made for `match`. They are seeded anew
            with `contestant_seed`.
        match: what is played in each game; its rounds must end by themselves.
        seed: 0..2**64-1; of the deals and of the agents.
        pairs_at_once: pairs in a batch; bounds the memory and changes no result.
        terms: how agents are treated.
        transcript: notes the games of the first pairs; None notes none.

    Raises:
        UnknownAgentError: if there is no agent of a name.
        GuestError: if a guest cannot be loaded.
        ValueError: if an agent was made for another match, the piles never close, or a number is off.
    """

    def __init__(
        self,
        a: str | Agent,
        b: str | Agent,
        match: Match,
        seed: int,
        pairs_at_once: int = PAIRS_AT_ONCE,
        terms: Terms = DEFAULT_TERMS,
        transcript: Transcript | None = None,
    ) -> None:
        if match.variant.piles_close_at is None:
            raise ValueError(
                f"variant {match.variant.name!r} never closes its piles (piles_close_at=None), so a round "
                "may never end: evaluate with a variant that closes them"
            )
        self._seed = seed
        self._most_rounds = match.rounds + (match.tie == "extra_round")
        self._pairs_at_once = pairs_at_once
        contestants = _contestants(a, b, match, seed, terms)
        if transcript is not None:
            transcript.begin((contestants[0].name, contestants[1].name), match, seed)
        folder = None
        if terms.save_failures is not None:
            folder = FailureFolder(
                Path(terms.save_failures),
                (contestants[0].name, contestants[1].name),
                seed,
                terms.most_saved,
            )
        self._table = Table(contestants, match, pairs_at_once, folder, transcript)

    def play(self, first: int, pairs: int, progress: Progress | None = None) -> PlayedPairs:
        """Plays pairs `first`, `first` + 1, ..., `pairs` of them.

        Raises:
            IllegalActionError: if an agent that does not forfeit chooses an illegal action; names the
                agent, the game and why.
            TypeError: if the actions of such an agent are not an integer array.
            OSError: if a position cannot be saved.
            AgentFailedError: if a guest fails that does not forfeit.
        """
        rounds_of_all = np.zeros((pairs, 2, self._most_rounds), dtype=ROUND)
        played = np.zeros((pairs, 2), dtype=np.int8)
        winners = np.zeros((pairs, 2), dtype=np.int8)
        forfeits: list[Forfeit] = []
        for start in range(0, pairs, self._pairs_at_once):
            chunk = slice(start, min(start + self._pairs_at_once, pairs))
            report = None if progress is None else _chunk_progress(progress, chunk, pairs)
            rounds = rounds_of_all[chunk].reshape(-1, self._most_rounds)
            forfeits += self._table.play(self._seed, first + start, rounds, report)
            states = self._table.states[: len(rounds)]
            played[chunk] = (states["round"] + 1).reshape(-1, 2)
            winners[chunk] = _winning_contestants(states["winner"]).reshape(-1, 2)
        for forfeit in forfeits:
            played[forfeit.pair - first, forfeit.seat ^ forfeit.contestant] = 0
        return PlayedPairs(rounds_of_all, played, winners, tuple(forfeits))


def play_pairs(
    a: str | Agent,
    b: str | Agent,
    match: Match,
    *,
    pairs: int,
    seed: int = 0,
    pairs_at_once: int = PAIRS_AT_ONCE,
    progress: Progress | None = None,
    terms: Terms = DEFAULT_TERMS,
    transcript: Transcript | None = None,
) -> PlayedPairs:
    """Plays the first `pairs` pairs of a seed between two contestants; see `Pairing`.

    Args:
        a, b, match, seed, pairs_at_once, terms, transcript: see `Pairing`.
        pairs: how many, at least 1.
        progress: see `Progress`.

    Raises:
        UnknownAgentError, GuestError, OSError, ValueError, IllegalActionError, TypeError,
        AgentFailedError: see `Pairing`.
    """
    for name, count in (("pairs", pairs), ("pairs_at_once", pairs_at_once)):
        check_count(name, count)
    pairing = Pairing(a, b, match, seed, min(pairs, pairs_at_once), terms, transcript)
    return pairing.play(0, pairs, progress)


def check_count(name: str, count: int) -> None:
    """Refuses what is not a positive integer.

    Raises:
        ValueError: naming the argument.
    """
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        raise ValueError(f"{name}={count!r} is not a positive integer")


def agent_name(agent: str | Agent) -> str:
    """What a report calls an agent: its name, or the class of an `Agent`."""
    return agent if isinstance(agent, str) else type(agent).__name__


def _contestants(
    a: str | Agent, b: str | Agent, match: Match, seed: int, terms: Terms
) -> tuple[Contestant, Contestant]:
    if a is b and isinstance(a, Agent):
        b = copy.deepcopy(a)  # seeded apart from a
    return _contestant(a, 0, match, seed, terms), _contestant(b, 1, match, seed, terms)


def _contestant(agent: str | Agent, k: int, match: Match, seed: int, terms: Terms) -> Contestant:
    own_seed = contestant_seed(seed, k)
    player = resolve(agent, match, seed=own_seed, trust=terms.trust, move_seconds=terms.move_seconds)
    is_guest = isinstance(player, Guest)
    if not (is_guest and isinstance(agent, str)):  # a new guest has its seed, and another would load it anew
        player.reset(own_seed)
    forfeits = is_guest if terms.strict is None else not terms.strict
    return Contestant(agent_name(agent), guarded(player) if forfeits else player, forfeits)


def _chunk_progress(progress: Progress, chunk: slice, pairs: int) -> Progress:
    size = chunk.stop - chunk.start
    return lambda share: progress((chunk.start + share * size) / pairs)


def _winning_contestants(seats: np.ndarray) -> np.ndarray:
    seat_of_a = np.arange(seats.size) & 1
    return np.where(seats < 0, seats, seats ^ seat_of_a)
