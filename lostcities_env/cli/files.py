"""Files that a command writes: whole, or not at all."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lostcities_env import files
from lostcities_env.cli.arguments import UsageError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """The name of a new file beside `path`, which takes its place if all goes well, and is removed if not.

    Raises:
        UsageError: if no file can be written there.
    """
    check_writable(path)
    with files.replacing(path) as temporary:
        yield temporary


def check_writable(path: Path) -> None:
    """Checks that `replacing` can begin; what lies there stays.

    Raises:
        UsageError: if no file can be written there.
    """
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"cannot write {path}: it is not a file")
        temporary = files.name_beside(path)
        temporary.touch()
        temporary.unlink()
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
