"""Asking an agent that may fail: what went wrong is a result, one for each game that it concerns."""

import operator
import traceback
from abc import abstractmethod
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lostcities_env.agents.base import Agent

CRASH, ILLEGAL, ANSWER, TIME = REASONS = ("crash", "illegal", "answer", "time")
"""An exception, or the end of its process; an action that the rules do not allow; an answer that is not one
integer a game; no answer in time."""

LONGEST_MESSAGE = 300
"""Characters of a message from outside."""


class Failure(NamedTuple):
    """Why there is no action.

    Attributes:
        reason: one of `REASONS`.
        message: one line for the user.
        error: what the agent raised, if that is known.
    """

    reason: str
    message: str
    error: BaseException | None = None


class Attempt(NamedTuple):
    """What came of asking for a batch of actions.

    Attributes:
        actions: int64 (batch,); 0 in the rows that failed.
        failures: by row.
    """

    actions: np.ndarray
    failures: dict[int, Failure]


class AgentFailedError(RuntimeError):
    """An agent from outside gave no action; the message says why.

    Attributes:
        row: of the batch, for which it failed first.
    """

    def __init__(self, message: str, row: int = 0) -> None:
        super().__init__(message)
        self.row = row


class AnswerError(TypeError):
    """An answer that is not one integer a game."""


class Guest(Agent):
    """An agent that may fail. Subclasses implement `attempt`, which never raises what the agent raised."""

    @abstractmethod
    def attempt(self, observations: np.ndarray, action_masks: np.ndarray) -> Attempt:
        """What `act` would return, with the rows for which there is no action.

        An action may still be illegal: only the game can say why.
        """

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """See `Agent.act`.

        Raises:
            AgentFailedError: if there is no action for a row.
        """
        actions, failures = self.attempt(observations, action_masks)
        for row, failure in failures.items():
            raise AgentFailedError(f"{failure.reason}: {failure.message}", row) from failure.error
        return actions


def whole_numbers(answer: object, count: int) -> np.ndarray:
    """The answer of a batch as int64 (count,).

    Raises:
        AnswerError: if it is anything but an integer array of that shape.
    """
    array = np.asarray(answer)
    if array.shape != (count,) or not np.issubdtype(array.dtype, np.integer):
        raise AnswerError(
            f"{count} integer actions of shape ({count},) are wanted, "
            f"got {array.dtype} of shape {array.shape}"
        )
    return array.astype(np.int64)


def whole_number(answer: object) -> int:
    """The answer for a single game: a Python or NumPy integer, or an array of one without dimensions.

    Raises:
        AnswerError: if it is anything else, or needs more than 64 bits.
    """
    try:
        if isinstance(answer, (bool, np.bool_)):
            raise TypeError
        number = operator.index(answer)  # type: ignore[arg-type]
    except TypeError:
        raise AnswerError(f"an integer is wanted, got {_shown(answer)}") from None
    if not -(2**63) <= number < 2**63:
        raise AnswerError(f"an action has at most 64 bits, got an integer of {number.bit_length()}")
    return number


def failure_of(error: BaseException, source: str | None) -> Failure:
    """What an exception means, with the last line of the file `source` that it came through."""
    if isinstance(error, AnswerError):
        return Failure(ANSWER, str(error), error)
    return Failure(CRASH, describe_error(error, source), error)


def describe_error(error: BaseException, source: str | None) -> str:
    """An exception in one line of bounded length, such as ``KeyError: 'R2' (bot.py, line 7)``.

    Args:
        error: what was raised.
        source: a file; the line named is the last one in it that the exception came through, or if there
            is none, the line that raised it.
    """
    name = type(error).__name__
    if isinstance(error, SyntaxError):
        file, line, text = error.filename, error.lineno, error.msg
    else:
        (file, line), text = _place(error, source), _text(error)
    where = f" ({Path(file).name}, line {line})" if file else ""
    return (f"{name}: {one_line(text)}" if text else name) + where


def one_line(text: str) -> str:
    """A text from outside on one line, cut to `LONGEST_MESSAGE`."""
    text = " ".join(text[: 2 * LONGEST_MESSAGE].split())
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 3] + "..."


def _place(error: BaseException, source: str | None) -> tuple[str | None, int]:
    nowhere = (None, 0)
    places = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    within = [place for place in places if place[0] == source]
    return [nowhere, *places, *within][-1]


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return "(its message cannot be shown)"


def _shown(answer: object) -> str:
    try:
        text = one_line(repr(answer))
    except Exception:
        text = "something that cannot be shown"
    return f"{text} of type {type(answer).__name__}"
