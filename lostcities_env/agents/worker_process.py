"""The process in which a guest plays when its moves are timed; `worker` starts it.

It is told once who plays what, and says when it is ready. Then it gets batches, and answers row by row, so
that whoever waits can time each move. What the guest prints goes to stderr. It ends when its input does, even
if the guest is busy.
"""

import json
import os
import queue
import threading
import warnings
from typing import Any, BinaryIO

import numpy as np

from lostcities_env.agents.attempts import Guest
from lostcities_env.agents.frames import read_frame, write_frame
from lostcities_env.agents.guest_code import GuestError
from lostcities_env.agents.guests import TrustWarning, load
from lostcities_env.rules.match import Match


def main() -> None:
    """Serves until its input ends."""
    # The pipes are for this module alone: the guest's stdin is empty, and its stdout is stderr.
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - a device, not a file
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    frames: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(requests, frames), daemon=True).start()
    try:
        guest = _make(json.loads(frames.get()))
    except GuestError as error:
        _reply(replies, {"error": str(error)})
        return
    _reply(replies, {})
    while True:
        observations = np.frombuffer(frames.get(), dtype=np.float32).reshape(-1, guest.observation_size)
        masks = np.frombuffer(frames.get(), dtype=np.int8).reshape(len(observations), -1)
        for row in range(len(observations)):
            actions, failures = guest.attempt(observations[row : row + 1], masks[row : row + 1])
            if failures:
                reason, message, _ = failures[0]
                _reply(replies, {"reason": reason, "message": message})
            else:
                _reply(replies, {"action": int(actions[0])})


def _make(order: dict[str, Any]) -> Guest:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrustWarning)  # said by the process that ordered it
        return load(order["name"], Match.from_dict(order["match"]), seed=order["seed"], trust=True)


def _read(requests: BinaryIO, frames: "queue.SimpleQueue[bytes]") -> None:
    while (frame := read_frame(requests)) is not None:
        frames.put(frame)
    os._exit(0)


def _reply(replies: BinaryIO, content: dict[str, Any]) -> None:
    write_frame(replies, json.dumps(content).encode())


if __name__ == "__main__":
    main()
