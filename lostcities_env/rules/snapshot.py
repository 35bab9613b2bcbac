"""Snapshots, what `get_state` gives and `set_state` takes: whether one fits whoever is to go back to it."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from lostcities_env.rules.state import HEADER, STATE


def check_snapshot(snapshot: Any, parts: Iterable[str]) -> None:
    """Checks that something is a snapshot with all of its parts.

    Raises:
        ValueError: naming what is missing.
    """
    if not isinstance(snapshot, dict):
        raise ValueError(f"a snapshot is what get_state gave, a dict; got {type(snapshot).__name__}")
    missing = [name for name in parts if name not in snapshot]
    if missing:
        raise ValueError(
            f"a snapshot is what get_state gave; this one has no {', '.join(map(repr, missing))}"
        )


def check_same_match(states: Any, own: np.ndarray) -> None:
    """Checks that a snapshot's `STATE` array fits the `own` one.

    Raises:
        ValueError: if it is none, holds another number of games, or is of another match.
    """
    header = list(HEADER)
    if not isinstance(states, np.ndarray) or states.dtype != STATE:
        raise ValueError("the snapshot holds no games of this version")
    if states.shape != own.shape:
        raise ValueError(f"the snapshot is of {states.size} game(s), not {own.size}")
    if (states[header] != own[header]).any():
        raise ValueError("the snapshot is of another variant, number of rounds or tie rule")
