"""A file of results that grows by a line a chunk and survives being interrupted at any moment.

JSON Lines: the first line says what is played, every other is a chunk of pairs. A line is appended with one
write and forced to the disk. What follows the last line end was cut short and is dropped.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from lostcities_env.evaluation.forfeits import Forfeit
from lostcities_env.evaluation.pairs import PlayedPairs
from lostcities_env.evaluation.table import ROUND


class ResultsError(ValueError):
    """A file that holds no results; the message says where and why."""


class OtherResultsError(ResultsError):
    """A file of results that were played otherwise; the message says what differs."""


class ResultsFile:
    """A context in which results can be appended.

    Args:
        path: of the file; made if missing.
        header: what is played, as JSON types; must be what the file says, if there is one.

    Raises:
        OtherResultsError: if the file has another header.
        ResultsError: if its first line is not JSON.
        OSError: if it cannot be read or written.
    """

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        self._path = path
        self._file = path.open("a+b")
        try:
            self._lines = self._whole_lines()
            if self._lines:
                _check_header(path, self._parse(0), header)
            else:
                self.append(header)
        except BaseException:
            self._file.close()
            raise

    def _whole_lines(self) -> list[bytes]:
        """The lines of the file, which ends after the last of them from now on."""
        self._file.seek(0)
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        self._file.truncate(whole)
        return content[:whole].splitlines()

    def records(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The chunks that the file held when it was opened, one at a time, and where each is.

        Raises:
            ResultsError: if a line is not JSON.
        """
        for number in range(1, len(self._lines)):
            yield self._place(number), self._parse(number)

    def _parse(self, number: int) -> dict[str, Any]:
        try:
            record = json.loads(self._lines[number])
        except ValueError as error:
            raise ResultsError(f"{self._place(number)}: not JSON ({error})") from None
        if not isinstance(record, dict):
            raise ResultsError(f"{self._place(number)}: not a JSON object")
        return record

    def _place(self, number: int) -> str:
        return f"{self._path}, line {number + 1}"

    def append(self, record: dict[str, Any]) -> None:
        """Adds a line; it is on the disk when this returns."""
        line = json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n"
        self._file.write(line.encode())
        self._file.flush()
        os.fsync(self._file.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def encode_pairs(played: PlayedPairs) -> dict[str, Any]:
    """All of some pairs as JSON types: `decode_pairs` is the way back."""
    return {
        "played": played.played.tolist(),
        "winners": played.winners.tolist(),
        "forfeits": [forfeit.to_dict() for forfeit in played.forfeits],
        "rounds": {name: played.rounds[name].tolist() for name in _fields()},
    }


def decode_pairs(record: dict[str, Any]) -> PlayedPairs:
    """The pairs that `encode_pairs` wrote into a record.

    Raises:
        KeyError, TypeError, ValueError: if it did not.
    """
    played = np.array(record["played"], dtype=np.int8)
    winners = np.array(record["winners"], dtype=np.int8)
    columns = {name: np.array(record["rounds"][name]) for name in _fields()}
    shape = columns["starter"].shape
    if len(shape) != 3 or shape[:2] != played.shape or played.shape != winners.shape:
        raise ValueError("rounds, played and winners are of different games")
    rounds = np.zeros(shape, dtype=ROUND)
    for name, column in columns.items():
        rounds[name] = column
    forfeits = tuple(Forfeit(**forfeit) for forfeit in record["forfeits"])
    if not np.isin(winners, (0, 1, -1)).all():
        raise ValueError("a game is won by 0 or 1, or drawn: -1")
    if not ((played >= 0) & (played <= shape[2])).all():
        raise ValueError(f"a game has 0 to {shape[2]} rounds")
    if not all(forfeit.contestant in (0, 1) for forfeit in forfeits):
        raise ValueError("a game is forfeited by 0 or 1")
    if len(forfeits) != (played == 0).sum():
        raise ValueError("there must be a forfeit for every game of which no round was played")
    return PlayedPairs(rounds, played, winners, forfeits)


def _fields() -> tuple[str, ...]:
    return ROUND.names or ()


def _check_header(path: Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    there, here = _flat(found), _flat(wanted)
    nothing = "nothing"
    differences = [
        f"{key}: {there.get(key, nothing)} there, {here.get(key, nothing)} now"
        for key in dict.fromkeys([*here, *there])
        if there.get(key, nothing) != here.get(key, nothing)
    ]
    if differences:
        raise OtherResultsError(f"{path} holds results of other arguments: {'; '.join(differences)}")


def _flat(header: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested objects as one, keys joined by dots, so that a difference can be named."""
    flat: dict[str, Any] = {}
    for key, value in header.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat
