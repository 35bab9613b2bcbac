"""`Transcript`: games of an evaluation, written down as they are played.

Only the actions are noted while playing. The seed of a pair deals it again, so the rest follows from them.
"""

from datetime import UTC, datetime
from importlib.metadata import version

import numpy as np

from lostcities_env.evaluation.forfeits import Forfeit
from lostcities_env.evaluation.table import deal_seed
from lostcities_env.records.record import Record, printable
from lostcities_env.records.recorder import Recorder
from lostcities_env.rules.game import Game
from lostcities_env.rules.match import Match


def headers_of(seed: int) -> dict[str, str]:
    """The headers of every record that this package writes: where it comes from."""
    return {
        "Date": datetime.now(UTC).date().isoformat(),
        "Software": f"lostcities-env {version('lostcities-env')}",
        "Seed": str(seed),
    }


class Transcript:
    """The games of the first pairs of two contestants.

    Args:
        pairs: how many pairs; both games of each.
        names: what A and B are called in the records; None for what the evaluation calls them.

    Attributes:
        actions: what was done in each game, by the pair and the seat of A.
        ends: the forfeits that ended games, likewise.
        match, seed: what was played, and the seed of the evaluation; known once it has begun.
    """

    match: Match
    seed: int

    def __init__(self, pairs: int, names: tuple[str, str] | None = None) -> None:
        self.pairs = pairs
        self._names = names
        self.actions: dict[tuple[int, int], list[int]] = {}
        self.ends: dict[tuple[int, int], Forfeit] = {}

    def begin(self, names: tuple[str, str], match: Match, seed: int) -> None:
        """Says who plays what; called once, before they play."""
        self._players = tuple(printable(name) for name in self._names or names)
        self.match = match
        self.seed = seed

    def note(self, first_pair: int, rows: np.ndarray, actions: np.ndarray) -> None:
        """Notes a turn in each of some games.

        Args:
            first_pair: the pair of games 0 and 1.
            rows: int64 (count,), the games, ascending; game ``2k + s`` is the one with A at seat s.
            actions: int64 (count,).
        """
        count = int(np.searchsorted(rows, 2 * (self.pairs - first_pair)))
        for row, action in zip(rows[:count].tolist(), actions[:count].tolist(), strict=True):
            self.actions.setdefault((first_pair + row // 2, row % 2), []).append(action)

    def note_forfeit(self, forfeit: Forfeit) -> None:
        """Notes that a game ended with a forfeit."""
        if forfeit.pair < self.pairs:
            game = (forfeit.pair, forfeit.seat ^ forfeit.contestant)
            self.actions.setdefault(game, [])
            self.ends[game] = forfeit

    def records(self, pairs: int | None = None) -> list[Record]:
        """The games of the first `pairs` pairs (default: all), by pair and then by the seat of A.

        Besides `headers_of`, each says its ``Pair``, the ``Deal seed`` that `Game` takes, the ``Seat of A``,
        and the ``Forfeit`` if one ended it.
        """
        return [
            self._record(pair, seat) for pair, seat in sorted(self.actions) if pairs is None or pair < pairs
        ]

    def _record(self, pair: int, seat: int) -> Record:
        match, deal = self.match, deal_seed(self.seed, pair)
        headers = headers_of(self.seed) | {
            "Pair": str(pair),
            "Deal seed": str(deal),
            "Seat of A": str(seat),
        }
        if (end := self.ends.get((pair, seat))) is not None:
            headers["Forfeit"] = printable(f"player {end.seat}, {end.reason}: {end.message}")
        players = self._players if seat == 0 else self._players[::-1]
        game = Game(match.variant, rounds=match.rounds, tie=match.tie, seed=deal)
        recorder = Recorder(game, players, headers)
        for action in self.actions[pair, seat]:
            recorder.add(action)
            game.step(action)
        return recorder.record
