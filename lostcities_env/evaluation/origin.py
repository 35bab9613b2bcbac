"""Which code a result comes from."""

import subprocess
from pathlib import Path

UNKNOWN = "unknown"


def commit() -> str:
    """The commit of this package's files, with ``-dirty`` if they have changed since.

    `UNKNOWN` if they are no part of a Git repository, such as those of an installed package.
    """
    file = Path(__file__)
    try:
        # An installed package may lie in the repository of someone else, who does not track it.
        _git("ls-files", "--error-unmatch", file.name)
        return _git("describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN


def _git(*arguments: str) -> str:
    folder = Path(__file__).parent
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()
