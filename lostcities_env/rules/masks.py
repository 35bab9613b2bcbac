"""Choosing from an action mask."""

import numpy as np

from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.words import WORD_BYTES, load_word

_EACH_BYTE = np.uint64(0x0101010101010101)
"""Times a word of zeros and ones: their sum in the highest byte."""


@kernel
def nth_legal(mask: np.ndarray, n: int) -> int:
    """The n-th (from 0) legal action of a mask int8 (n_actions,)."""
    start = 0
    while start + WORD_BYTES <= mask.shape[0]:
        legal = int((load_word(mask, start) * _EACH_BYTE) >> np.uint64(56))
        if n < legal:
            break
        n -= legal
        start += WORD_BYTES
    for action in range(start, mask.shape[0]):
        if mask[action]:
            if n == 0:
                return action
            n -= 1
    return -1


@kernel
def count_legal(mask: np.ndarray) -> int:
    """How many actions of a mask int8 (n_actions,) are legal."""
    count = 0
    for action in range(mask.shape[0]):
        count += mask[action]
    return count
