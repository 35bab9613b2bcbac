"""Files of records."""

import os
from collections.abc import Sequence
from pathlib import Path

from lostcities_env.files import replace_file
from lostcities_env.records.format import format_records
from lostcities_env.records.lines import RecordError
from lostcities_env.records.parse import parse_records
from lostcities_env.records.record import Record

MAX_BYTES = 64 * 2**20
"""The largest file that is read: some 40,000 rounds."""


def read_records(path: str | os.PathLike[str]) -> list[Record]:
    """The records of a file.

    Raises:
        RecordError: if it is no file of records; says which line is wrong and why.
        OSError: if it cannot be read.
    """
    path = Path(path)
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        line = content.count(b"\n") + 1
        raise RecordError(
            line, f"more than {MAX_BYTES >> 20} MiB up to here; split the file between two records"
        )
    try:
        return parse_records(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise RecordError(
            line, f"byte 0x{content[error.start]:02x} is not UTF-8; save the file as UTF-8"
        ) from None


def write_records(path: str | os.PathLike[str], records: Sequence[Record]) -> None:
    """Writes records to a file, whole or not at all; what was there is replaced.

    Raises:
        ValueError: if there is no record.
        OSError: if it cannot be written.
    """
    if not records:
        raise ValueError("a file of records has at least one record")
    replace_file(path, format_records(records).encode())
