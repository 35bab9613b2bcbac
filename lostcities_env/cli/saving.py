"""Records of the games that a command plays: the arguments that ask for them, and the file."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lostcities_env.cli.arguments import positive
from lostcities_env.cli.files import replacing
from lostcities_env.records import Record, format_records

RECORDS_OF = 10
"""Pairs of games that are saved, if not said otherwise."""


def add_record_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds where to, and how many."""
    parser.add_argument(
        "--save-records", type=Path, metavar="FILE", help="also write games of every two agents to FILE"
    )
    parser.add_argument(
        "--records-of",
        type=positive,
        default=RECORDS_OF,
        metavar="N",
        help="how many pairs --save-records writes, the first ones (default: %(default)s)",
    )


@contextmanager
def saving(path: Path | None) -> Iterator[list[Record]]:
    """A list whose records are written to a file if all goes well; None for no file.

    Raises:
        UsageError: if no file can be written there.
    """
    records: list[Record] = []
    if path is None:
        yield records
        return
    with replacing(path) as temporary:
        yield records
        temporary.write_text(format_records(records), encoding="utf-8", newline="\n")
