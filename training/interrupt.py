"""Ctrl-C as a wish to stop at the next good moment."""

import signal
import sys
from types import FrameType


class InterruptFlag:
    """True once Ctrl-C was pressed; a second one interrupts as usual."""

    def __init__(self) -> None:
        self._set = False

    def __enter__(self) -> "InterruptFlag":
        self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _note(self, _signal: int, _frame: FrameType | None) -> None:
        self._set = True
        signal.signal(signal.SIGINT, self._before)
        print("\nstopping after this update; Ctrl-C again to stop at once", file=sys.stderr)

    def __bool__(self) -> bool:
        return self._set
