"""Where played games are kept: one file of records a game."""

from pathlib import Path

from lostcities_env.files import in_file_name
from lostcities_env.play.session import Session
from lostcities_env.records import write_records

SUFFIX = ".txt"


def file_name(session: Session) -> str:
    """What to call the file of a game: the agent, the variant and the seed tell games apart."""
    settings = session.settings
    return f"{in_file_name(f'{settings.agent}-{settings.match.variant.name}-{session.seed}')}{SUFFIX}"


def save(session: Session, folder: Path) -> Path:
    """Writes the game so far to a file of its own in a folder, which is made if it is not there.

    Raises:
        OSError: if that cannot be done.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = _free(folder / file_name(session))
    write_records(path, [session.record()])
    return path


def _free(path: Path) -> Path:
    """The path, or with a number if there is a file already."""
    number = 2
    free = path
    while free.exists():
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
        number += 1
    return free
