"""Progress bars on a terminal, for what takes longer than two seconds."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lostcities_env.evaluation.sequential import SequentialProgress
from lostcities_env.evaluation.table import Progress

PATIENCE = 2.0
"""Seconds before a bar appears."""
_STEPS = 1000
_SHARE = "{desc} {percentage:3.0f}% |{bar}| {elapsed}<{remaining}"
_PAIRS = "{desc} {n_fmt} of at most {total_fmt} pairs{postfix}, {elapsed}"


@contextmanager
def progress_bar(description: str) -> Iterator[Progress | None]:
    """What to call with the share of the work that is done; None where no bar can be shown.

    The bar goes to stderr, if that is a terminal and tqdm is installed (the ``cli`` extra).
    """
    with _bar(description, _STEPS, _SHARE) as bar:
        yield None if bar is None else lambda share: bar.update(int(share * _STEPS) - bar.n)


@contextmanager
def sequential_bar(
    description: str, most: int, bounds: tuple[float, float]
) -> Iterator[SequentialProgress | None]:
    """The same for a sequential test of `most` pairs: shows its ratio between the bounds."""
    with _bar(description, most, _PAIRS) as bar:

        def show(pairs: int, llr: float) -> None:
            bar.set_postfix_str(f"LLR {llr:.2f} ({bounds[0]:.2f}, {bounds[1]:.2f})", refresh=False)
            bar.update(pairs - bar.n)

        yield None if bar is None else show


@contextmanager
def _bar(description: str, total: int, bar_format: str) -> Iterator[Any]:
    try:
        from tqdm import tqdm
    except ImportError:
        yield None
        return
    if not sys.stderr.isatty():
        yield None
        return
    with tqdm(total=total, desc=description, delay=PATIENCE, leave=False, bar_format=bar_format) as bar:
        yield bar
