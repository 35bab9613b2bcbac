"""Legal actions in a few places: a turn has at most a hundred of them, out of several hundred actions."""

import numpy as np

from lostcities_env.rules.compiled import kernel

NO_ACTION = -1
"""Fills the places of `pack_legal` beyond a row's legal actions."""

MAX_LEGAL = 128
"""Places for legal actions: a hand of eight has at most 8 x (6 + 5), or 8 x (7 + 6) with six colours."""


@kernel
def pack_legal(action_masks: np.ndarray, legal: np.ndarray, counts: np.ndarray) -> None:
    """Writes the legal actions of each row of int8 (batch, n_actions) into int16 (batch, places).

    The places left over hold `NO_ACTION`. Into the integers (batch,) `counts` goes how many legal actions
    each row has, which may be more than there are places: then the row is cut, and the caller must give more.
    """
    for i in range(action_masks.shape[0]):
        count = 0
        for action in range(action_masks.shape[1]):
            if action_masks[i, action]:
                if count < legal.shape[1]:
                    legal[i, count] = action
                count += 1
        legal[i, min(count, legal.shape[1]) :] = NO_ACTION
        counts[i] = count
