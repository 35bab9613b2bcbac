"""Players are numbered 0 and 1, by their seats."""

import numpy as np


def is_player(value: object) -> bool:
    """Whether a value is the number of a player: the integer 0 or 1."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value in (0, 1)
