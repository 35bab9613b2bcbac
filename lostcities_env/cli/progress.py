"""A progress bar on a terminal, for what takes longer than two seconds."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from lostcities_env.evaluation.table import Progress

PATIENCE = 2.0
"""Seconds before a bar appears."""
_STEPS = 1000
_FORMAT = "{desc} {percentage:3.0f}% |{bar}| {elapsed}<{remaining}"


@contextmanager
def progress_bar(description: str) -> Iterator[Progress | None]:
    """What to call with the share of the work that is done; None where no bar can be shown.

    The bar goes to stderr, if that is a terminal and tqdm is installed (the ``cli`` extra).
    """
    try:
        from tqdm import tqdm
    except ImportError:
        yield None
        return
    if not sys.stderr.isatty():
        yield None
        return
    with tqdm(total=_STEPS, desc=description, delay=PATIENCE, leave=False, bar_format=_FORMAT) as bar:

        def advance(share: float) -> None:
            bar.update(int(share * _STEPS) - bar.n)

        yield advance
