"""Files that are written whole or not at all, and their names."""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_MAX_NAME = 60


def name_beside(path: Path) -> Path:
    """What this process calls a file until it takes the place of `path`."""
    return path.with_name(f".{path.name}.{os.getpid()}.tmp")


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """The name of a new file beside `path`: it takes its place if all goes well, and is removed if not.

    Raises:
        OSError: if it cannot take that place.
    """
    path = Path(path)
    temporary = name_beside(path)
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def replace_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Writes a file by way of a temporary one, so that a reader never meets half of it."""
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def in_file_name(text: str) -> str:
    """Text, such as the path of an agent, as a part of the name of a file.

    Of a long one the end is kept, behind a digest of the whole: those that end alike keep different names.

    >>> in_file_name("runs/quick/policy.safetensors")
    'runs_quick_policy.safetensors'
    """
    name = re.sub(r"[^\w.-]+", "_", text)
    if len(name) <= _MAX_NAME:
        return name
    digest = hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:8]
    return f"{digest}_{name[len(digest) + 1 - _MAX_NAME :]}"
