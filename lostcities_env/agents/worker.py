"""`WorkerGuest`: a guest in a process of its own, with a deadline for each move."""

import json
import math
import os
import queue
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any

import numpy as np

from lostcities_env.agents.attempts import CRASH, TIME, Attempt, Failure, Guest, one_line
from lostcities_env.agents.frames import read_frame, write_frame
from lostcities_env.agents.guest_code import GuestError
from lostcities_env.rules.generator import check_seed
from lostcities_env.rules.match import Match

START_SECONDS = 120.0
"""Seconds in which a guest must be imported and made: libraries may be slow to load."""

GIVE_UP_AFTER = 10
"""Of a batch no more is asked of a guest whose process has stopped so often without a move in between."""


class _StoppedError(Exception):
    """The process has ended or must be; carries the `Failure` of the move it was asked for."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class WorkerGuest(Guest):
    """A guest that cannot take this process down or hold it up.

    It is asked for one move at a time. If a move takes longer than it may, or the process ends, the process
    is killed and started again for the next move, with the same seed; what the guest remembered is lost.

    Args:
        name: see `guests`.
        match: what is played.
        seed: see `Agent.reset`.
        move_seconds: the longest time for a move, above 0; wall-clock.

    Raises:
        GuestError: if the guest cannot be made.
        ValueError: if `move_seconds` is not a positive number.
    """

    def __init__(self, name: str, match: Match, seed: int, move_seconds: float) -> None:
        self._name = name
        self._seconds = check_move_seconds(move_seconds)
        self._process: _Process | None = None
        super().__init__(match, seed)

    def reset(self, seed: int) -> None:
        """See `Agent.reset`: starts the process anew."""
        self.seed = check_seed(seed)
        self._stops = 0
        self.close()
        try:
            self._start()
        except _StoppedError as stopped:
            raise GuestError(f"agent {self._name!r} cannot be made: {stopped}") from None

    def close(self) -> None:
        """Ends the process; the next move would start it again."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def attempt(self, observations: np.ndarray, action_masks: np.ndarray) -> Attempt:
        """See `Guest.attempt`."""
        self.check_batch(observations, action_masks)
        actions = np.zeros(len(observations), dtype=np.int64)
        failures: dict[int, Failure] = {}
        row = 0
        while row < len(observations):
            for reply in self._replies(observations[row:], action_masks[row:]):
                if isinstance(reply, Failure):
                    failures[row] = reply
                else:
                    actions[row] = reply
                row += 1
        return Attempt(actions, failures)

    def _replies(self, observations: np.ndarray, action_masks: np.ndarray) -> Iterator[int | Failure]:
        """Actions or failures, an iterator of at least one: up to the row in which the process stops."""
        try:
            process = self._start()
            process.send(np.ascontiguousarray(observations).tobytes())
            process.send(np.ascontiguousarray(action_masks).tobytes())
            for _ in range(len(observations)):
                reply = process.receive(self._seconds)
                self._stops = 0
                yield reply["action"] if "action" in reply else Failure(reply["reason"], reply["message"])
        except (_StoppedError, GuestError) as error:
            self.close()
            self._stops += 1
            failure = error.failure if isinstance(error, _StoppedError) else Failure(CRASH, str(error))
            if self._stops < GIVE_UP_AFTER:
                yield failure
                return
            tale = f"{failure.message}; not asked again in this batch after {self._stops} times in a row"
            for _ in range(len(observations)):  # none has been answered, or it would not be in a row
                yield Failure(failure.reason, tale)

    def _start(self) -> "_Process":
        if self._process is None:
            process = _Process()
            order = {"name": self._name, "match": self.match.to_dict(), "seed": self.seed}
            try:
                process.send(json.dumps(order).encode())
                reply = process.receive(START_SECONDS)
            except BaseException:
                process.kill()
                raise
            if "error" in reply:
                process.kill()
                raise GuestError(reply["error"])
            self._process = process
        return self._process


class _Process:
    """The process, its pipes, and a thread that reads what it says."""

    def __init__(self) -> None:
        # What can be imported here can be imported there.
        path = os.pathsep.join(entry for entry in sys.path if entry)
        self._popen = subprocess.Popen(
            [sys.executable, "-P", "-m", "lostcities_env.agents.worker_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": path},
            start_new_session=True,  # Ctrl-C is for this process, which then ends that one
        )
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self._requests: IO[bytes] = self._popen.stdin
        self._frames: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        reader = threading.Thread(target=_read, args=(self._popen.stdout, self._frames), daemon=True)
        reader.start()
        self.kill = weakref.finalize(self, _kill, self._popen, reader)
        """Ends it; called at the latest when nobody holds this object any more."""

    def send(self, content: bytes) -> None:
        try:
            write_frame(self._requests, content)
        except OSError:
            raise self._ended() from None

    def receive(self, seconds: float) -> dict[str, Any]:
        try:
            frame = self._frames.get(timeout=seconds)
        except queue.Empty:
            raise _StoppedError(Failure(TIME, f"no answer within {seconds:g} s")) from None
        if frame is None:
            raise self._ended()
        return json.loads(frame)

    def _ended(self) -> _StoppedError:
        try:
            code = self._popen.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return _StoppedError(Failure(CRASH, "its process closed its pipes"))
        how = f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        return _StoppedError(Failure(CRASH, one_line(f"its process ended {how}")))


def check_move_seconds(seconds: float) -> float:
    """Checks a time limit.

    Raises:
        ValueError: if it is not a positive, finite number.
    """
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds < math.inf:
        raise ValueError(f"move_seconds={seconds!r} is not a positive number of seconds")
    return float(seconds)


def _read(stream: IO[bytes], frames: "queue.SimpleQueue[bytes | None]") -> None:
    with stream:
        while (frame := read_frame(stream)) is not None:
            frames.put(frame)
    frames.put(None)


def _kill(popen: "subprocess.Popen[bytes]", reader: threading.Thread) -> None:
    if os.name == "posix" and popen.returncode is None:
        # Its children too, which may hold its pipes open.
        with suppress(ProcessLookupError):
            os.killpg(popen.pid, signal.SIGKILL)
    else:
        popen.kill()
    popen.wait()
    if popen.stdin is not None:
        with suppress(OSError):  # what was still to be written has no reader
            popen.stdin.close()
    reader.join(timeout=1)
