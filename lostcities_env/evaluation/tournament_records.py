"""Games of a tournament as records: its first pairs are played again, which gives the same games."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lostcities_env.agents.attempts import AgentFailedError
from lostcities_env.evaluation.pairs import PlayedPairs, play_pairs
from lostcities_env.evaluation.tournament import Protocol
from lostcities_env.evaluation.transcript import Transcript
from lostcities_env.records.record import Record


def tournament_records(protocol: Protocol, played: Sequence[PlayedPairs], pairs: int) -> list[Record]:
    """The games of the first pairs of every two agents.

    Args:
        protocol: what was played.
        played: the results, in the order of `Protocol.pairings`.
        pairs: how many pairs of every two agents; there are no more than were played.

    Raises:
        AgentFailedError: if the games are not those of the results, as when an agent's choices do not follow
            from its seed and what it sees.
        UnknownAgentError, GuestError, ValueError, IllegalActionError, TypeError: see `Pairing`.
    """
    records: list[Record] = []
    count = min(pairs, protocol.pairs)
    for (a, b), results in zip(protocol.pairings, played, strict=True):
        names = (protocol.agents[a], protocol.agents[b])
        transcript = Transcript(count)
        again = play_pairs(
            *names,
            protocol.match,
            pairs=count,
            seed=protocol.seed,
            terms=replace(protocol.terms, save_failures=None),
            transcript=transcript,
        )
        if not np.array_equal(again.rounds, results.rounds[:count]):
            raise AgentFailedError(
                f"no records of {names[0]} against {names[1]}: played again, their games are others, so one "
                "of them does not choose by its seed and what it sees alone (lostcities evaluate "
                "--save-records writes games down while they are played)"
            )
        records += transcript.records()
    return records
