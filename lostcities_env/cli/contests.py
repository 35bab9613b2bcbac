"""What the commands that play many contests into a folder share."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lostcities_env.cli.arguments import UsageError
from lostcities_env.cli.progress import progress_bar
from lostcities_env.evaluation.results_file import ResultsError
from lostcities_env.evaluation.table import Progress


def add_out(parser: argparse.ArgumentParser, default: str) -> None:
    """Adds the folder."""
    parser.add_argument(
        "--out",
        type=Path,
        default=Path(default),
        metavar="DIR",
        help="folder of the results (default: %(default)s)",
    )


@contextmanager
def playing_into(folder: Path, title: str) -> Iterator[Progress | None]:
    """Shows the progress of contests whose results go into a folder.

    Raises:
        UsageError: if the folder holds other results or damaged ones, or cannot be written to.
    """
    try:
        with progress_bar(title) as progress:
            yield progress
    except ResultsError as error:
        raise UsageError(f"{error} (choose another folder with --out)") from error
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}") from error
