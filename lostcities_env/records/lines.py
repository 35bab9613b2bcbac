"""The lines of a text of records, taken one by one, and the error that names a line."""

from typing import NoReturn

MAX_LINE = 1000
"""Characters of a line, at most."""
_MAX_SHOWN = 60


class RecordError(ValueError):
    """Text that is no record; the message begins with the line and says what is wrong and what is wanted.

    Attributes:
        line: its number, from 1.
        reason: the message without the line.
    """

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


class Lines:
    """The lines of a text that are not blank, in order.

    Attributes:
        number: of the line that was taken last, from 1.

    Raises:
        RecordError: if a character cannot be printed, or a line is too long.
    """

    def __init__(self, text: str) -> None:
        if text.startswith("\ufeff"):
            raise RecordError(1, "the text begins with a byte order mark; save it as UTF-8 without one")
        lines = text.removesuffix("\n").split("\n")
        self._lines = [(k, _checked(k, line.removesuffix("\r"))) for k, line in enumerate(lines, start=1)]
        self._last = len(lines)
        self._lines = [(k, line) for k, line in self._lines if line]
        self._next = 0
        self.number = 0

    @property
    def done(self) -> bool:
        """Whether all lines were taken."""
        return self._next == len(self._lines)

    @property
    def next(self) -> str:
        """The line that is taken next; empty at the end of the text."""
        return "" if self.done else self._lines[self._next][1]

    def take(self) -> str:
        """The next line; call it when `next` is not empty."""
        self.number, line = self._lines[self._next]
        self._next += 1
        return line

    def expect(self, name: str) -> str:
        """Takes the line ``name: value`` and returns the value.

        Raises:
            RecordError: if another line comes.
        """
        if not self.next.startswith(f"{name}:"):
            self.refuse(f"'{name}: ...'")
        return self.take()[len(name) + 1 :].strip()

    def refuse(self, wanted: str) -> NoReturn:
        """Says what is wanted instead of the next line.

        Raises:
            RecordError: always.
        """
        if self.done:
            raise RecordError(self._last, f"the text ends where {wanted} is wanted")
        line = self.take()
        raise RecordError(self.number, f"{wanted} is wanted, got {shown(line)}")

    def fail(self, reason: str) -> NoReturn:
        """Says what is wrong with the line that was taken last.

        Raises:
            RecordError: always.
        """
        raise RecordError(self.number, reason)


def shown(text: str) -> str:
    """Text as an error quotes it."""
    return repr(text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "...")


def _checked(number: int, line: str) -> str:
    if len(line) > MAX_LINE:
        raise RecordError(number, f"{len(line)} characters, a line has at most {MAX_LINE}")
    if not line.isprintable():
        place, bad = next((k, c) for k, c in enumerate(line, start=1) if not c.isprintable())
        raise RecordError(number, f"character {place} is U+{ord(bad):04X}, which does not print; use spaces")
    return line.rstrip()
