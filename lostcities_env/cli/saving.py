"""What a command writes beside what it prints, numbers as JSON and games as records: arguments and files."""

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lostcities_env.cli.arguments import positive
from lostcities_env.cli.files import replacing
from lostcities_env.records import Record, format_records

RECORDS_OF = 10
"""Pairs of games that are saved, if not said otherwise."""


def add_json_argument(parser: argparse.ArgumentParser) -> None:
    """Adds where to."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every number to FILE")


@contextmanager
def saving_json(path: Path | None) -> Iterator[dict[str, Any]]:
    """A dictionary that is written to a file if all goes well; None for no file.

    Raises:
        UsageError: if no file can be written there.
    """
    content: dict[str, Any] = {}
    if path is None:
        yield content
        return
    with replacing(path) as temporary:
        yield content
        write_json(temporary, content)


def write_json(path: Path, content: dict[str, Any], *, indent: int = 2) -> None:
    """Writes numbers to a file; one that is not finite is a `ValueError`."""
    path.write_text(json.dumps(content, indent=indent, allow_nan=False) + "\n", encoding="utf-8")


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
def saving_records(path: Path | None) -> Iterator[list[Record]]:
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
