"""Files that a command writes: whole, or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lostcities_env.cli.arguments import UsageError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A new file beside `path` that takes its place if all goes well, and is removed if not.

    Raises:
        UsageError: if no file can be written there.
    """
    temporary = _new_file_beside(path)
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Checks that `replacing` can begin; what lies there stays.

    Raises:
        UsageError: if no file can be written there.
    """
    _new_file_beside(path).unlink()


def _new_file_beside(path: Path) -> Path:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"cannot write {path}: it is not a file")
        temporary.touch()
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    return temporary
