"""``lostcities replay``: a recorded game, turn by turn."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from lostcities_env.cli.arguments import Commands, UsageError, positive
from lostcities_env.cli.narration import (
    Names,
    board_text,
    end_text,
    narrate,
    scores_text,
    turn_line,
)
from lostcities_env.cli.replay_page import NO_JUDGE, write_page
from lostcities_env.records.files import read_records
from lostcities_env.records.lines import RecordError
from lostcities_env.records.record import Record
from lostcities_env.render.moments import Moment, is_round_over, moments

CLEAR = "\x1b[2J\x1b[H"
"""Clears a terminal."""
HELP = """\
Enter, space, n  the next turn
p, b             the turn before
a number         after that turn of this round; 0 is the deal
r                the next round
q                the end
?                this list"""


def add_parser(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "replay",
        help="step through a recorded game",
        description="Steps through a game of a file of records, on a terminal; prints all of it elsewhere. "
        "With --html writes a web page that shows the games.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="a file of records")
    parser.add_argument(
        "--game",
        type=positive,
        metavar="N",
        help="which record of the file (default: the first, and with --html all of them)",
    )
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument(
        "--moves", action="store_true", help="print all turns and scores at once, without boards"
    )
    ways.add_argument(
        "--html", type=Path, metavar="OUT", help="write a web page that needs nothing else to OUT"
    )
    parser.add_argument(
        "--judge",
        metavar="AGENT",
        help=f"with --html: the agent that judges the turns, or {NO_JUDGE!r} (default: 'quick', if it "
        "plays the variant)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Steps through the game, prints it, or writes the page."""
    if arguments.judge is not None and arguments.html is None:
        raise UsageError("--judge needs --html: it judges the turns that the page shows")
    records = _read(arguments.file, arguments.game)
    if arguments.html is not None:
        if arguments.html.exists() and arguments.html.samefile(arguments.file):
            raise UsageError(f"--html {arguments.html}: the page would take the place of the records")
        chosen = records if arguments.game is None else [records[arguments.game - 1]]
        write_page(arguments.html, chosen, arguments.judge)
        return
    number = arguments.game or 1
    record, title = records[number - 1], _title(records, number)
    actions = iter([action for one in record.rounds for action in one.actions])
    seen = moments(record.deal(), lambda game: next(actions, None))
    if sys.stdin.isatty() and sys.stdout.isatty() and not arguments.moves:
        _Stepper(record, list(seen), title).run()
        return
    print("\n".join([title, *_headers(record)]))
    narrate(seen, record.players, boards=not arguments.moves)
    print(f"\n{end_text(record.final(), record.players)}")


def _read(path: Path, number: int | None) -> list[Record]:
    """The records of a file.

    Raises:
        UsageError: if they cannot be read, or none has that number.
    """
    try:
        records = read_records(path)
    except RecordError as error:
        raise UsageError(f"{path}, {error}") from error
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    if number is not None and number > len(records):
        raise UsageError(f"--game {number}: {path} has {len(records)} record(s)")
    return records


def _title(records: Sequence[Record], number: int) -> str:
    record = records[number - 1]
    which = f", game {number} of {len(records)}" if len(records) > 1 else ""
    first, second = record.players
    return f"{first} (0) against {second} (1): {record.match.variant.name}{which}"


def _headers(record: Record) -> list[str]:
    return [f"{name}: {value}" for name, value in record.headers.items()]


class _Stepper:
    """Steps through a game as the user wants."""

    def __init__(self, record: Record, seen: Sequence[Moment], title: str) -> None:
        self._names: Names = record.players
        self._end = end_text(record.final(), record.players)
        self._seen = seen
        self._title = title
        self._beginning = "\n".join(_headers(record))
        self._place = 0

    def run(self) -> None:
        """Shows moments until the user quits."""
        note = self._beginning
        while True:
            print(CLEAR if os.environ.get("TERM") != "dumb" else "", end="")
            print(self._picture(note))
            try:
                answer = input("\n[Enter] next, p back, r next round, a number, q quit, ? help: ")
            except EOFError:
                print()
                return
            if answer.strip().lower() == "q":
                return
            note = self._go(answer.strip().lower())

    def _picture(self, note: str) -> str:
        moment = self._seen[self._place]
        parts = [f"{self._title}\n{note}".rstrip(), board_text(moment.table)]
        if moment.action is None:
            parts.append(f"Round {moment.round + 1} is dealt")
        else:
            parts.append(turn_line(moment, self._names))
        if is_round_over(moment.table):
            parts.append(scores_text(moment, self._names))
        if self._place == len(self._seen) - 1:
            parts.append(self._end)
        return "\n\n".join(parts)

    def _go(self, answer: str) -> str:
        """Goes where the user wants; returns what there is to say about it."""
        if answer in ("", "n"):
            return self._go_to(self._place + 1, "This was the last turn.")
        if answer in ("p", "b"):
            return self._go_to(self._place - 1, "This is the beginning.")
        here = self._seen[self._place].round
        if answer == "r":
            return self._go_to(self._find(here + 1, 0), "There is no other round.")
        if answer.isdecimal():
            return self._go_to(self._find(here, int(answer)), f"Round {here + 1} has no turn {answer}.")
        return HELP if answer == "?" else f"{answer!r} is none of these:\n{HELP}"

    def _go_to(self, place: int, otherwise: str) -> str:
        if not 0 <= place < len(self._seen):
            return otherwise
        self._place = place
        return ""

    def _find(self, number: int, turn: int) -> int:
        """The place after a turn of a round; -1 if there is none."""
        places = (k for k, moment in enumerate(self._seen) if (moment.round, moment.turn) == (number, turn))
        return next(places, -1)
