"""Plays pairs of games: the same deal twice, with the seats swapped.

The unit of everything here is the *pair*. Pair k of seed s is one seed for the generator of both of its
games, so every deck of both is the same; contestant A sits at seat 0 in the first game and at seat 1 in
the second. The seed of a pair depends on s and k alone: not on how many pairs are played, not on who
plays. Luck of the deal falls on both contestants and cancels within the pair.

All games of a chunk of pairs are stepped as one batch. Agents of this package draw their random choices
from a seed and the observation, so the chunk's size does not change any result; an agent that keeps a
random generator of its own between calls of `act` loses that.
"""

import copy
from dataclasses import dataclass

import numpy as np

from lostcities_env.agents.base import Agent
from lostcities_env.agents.registry import resolve
from lostcities_env.evaluation.table import ROUND, Progress, Table, contestant_seed
from lostcities_env.rules.match import Match

PAIRS_AT_ONCE = 1024
"""Pairs in a batch: about 6 MB of games, observations and masks in the standard game."""


@dataclass(frozen=True)
class PlayedPairs:
    """What happened in every game of every pair.

    Attributes:
        rounds: `ROUND` (pairs, 2, most rounds of a match); axis 1 is the seat of contestant A. Rounds
            that were not played are all zeros.
        played: int8 (pairs, 2), rounds that were played.
        winners: int8 (pairs, 2), who won each match: 0 for A, 1 for B, -1 for a draw.
    """

    rounds: np.ndarray
    played: np.ndarray
    winners: np.ndarray


class Pairing:
    """Two contestants at a table, seeded once, who play the pairs of a seed chunk by chunk.

    Args:
        a, b: names for `lostcities_env.agents.make`, or agents made for `match`. They are seeded anew
            with `contestant_seed`.
        match: what is played in each game; its rounds must end by themselves.
        seed: 0..2**64-1; of the deals and of the agents.
        pairs_at_once: pairs in a batch; bounds the memory and changes no result.

    Raises:
        UnknownAgentError: if there is no agent of a name.
        ValueError: if an agent was made for another match, the piles never close, or a number is off.
    """

    def __init__(
        self, a: str | Agent, b: str | Agent, match: Match, seed: int, pairs_at_once: int = PAIRS_AT_ONCE
    ) -> None:
        if match.variant.piles_close_at is None:
            raise ValueError(
                f"variant {match.variant.name!r} never closes its piles (piles_close_at=None), so a round "
                "may never end: evaluate with a variant that closes them"
            )
        self._seed = seed
        self._most_rounds = match.rounds + (match.tie == "extra_round")
        self._pairs_at_once = pairs_at_once
        self._table = Table(_contestants(a, b, match, seed), match, pairs_at_once)

    def play(self, first: int, pairs: int, progress: Progress | None = None) -> PlayedPairs:
        """Plays pairs `first`, `first` + 1, ..., `pairs` of them.

        Raises:
            IllegalActionError: if an agent chooses an illegal action; names the agent, the game and why.
            TypeError: if an agent's actions are not an integer array.
        """
        result = PlayedPairs(
            rounds=np.zeros((pairs, 2, self._most_rounds), dtype=ROUND),
            played=np.zeros((pairs, 2), dtype=np.int8),
            winners=np.zeros((pairs, 2), dtype=np.int8),
        )
        for start in range(0, pairs, self._pairs_at_once):
            chunk = slice(start, min(start + self._pairs_at_once, pairs))
            report = None if progress is None else _chunk_progress(progress, chunk, pairs)
            rounds = result.rounds[chunk].reshape(-1, self._most_rounds)
            self._table.play(self._seed, first + start, rounds, report)
            states = self._table.states[: len(rounds)]
            result.played[chunk] = (states["round"] + 1).reshape(-1, 2)
            result.winners[chunk] = _winning_contestants(states["winner"]).reshape(-1, 2)
        return result


def play_pairs(
    a: str | Agent,
    b: str | Agent,
    match: Match,
    *,
    pairs: int,
    seed: int = 0,
    pairs_at_once: int = PAIRS_AT_ONCE,
    progress: Progress | None = None,
) -> PlayedPairs:
    """Plays the first `pairs` pairs of a seed between two contestants; see `Pairing`.

    Args:
        a, b, match, seed, pairs_at_once: see `Pairing`.
        pairs: how many, at least 1.
        progress: see `Progress`.

    Raises:
        UnknownAgentError, ValueError, IllegalActionError, TypeError: see `Pairing`.
    """
    for name, count in (("pairs", pairs), ("pairs_at_once", pairs_at_once)):
        check_count(name, count)
    return Pairing(a, b, match, seed, min(pairs, pairs_at_once)).play(0, pairs, progress)


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


def _contestants(a: str | Agent, b: str | Agent, match: Match, seed: int) -> list[tuple[str, Agent]]:
    if a is b and isinstance(a, Agent):
        b = copy.deepcopy(a)  # seeded apart from a
    contestants = []
    for k, agent in enumerate((a, b)):
        own_seed = contestant_seed(seed, k)
        contestant = resolve(agent, match)
        contestant.reset(own_seed)
        contestants.append((agent_name(agent), contestant))
    return contestants


def _chunk_progress(progress: Progress, chunk: slice, pairs: int) -> Progress:
    size = chunk.stop - chunk.start
    return lambda share: progress((chunk.start + share * size) / pairs)


def _winning_contestants(seats: np.ndarray) -> np.ndarray:
    seat_of_a = np.arange(seats.size) & 1
    return np.where(seats < 0, seats, seats ^ seat_of_a)
