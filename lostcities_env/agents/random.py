"""`random`: every legal action is equally likely."""

import numpy as np

from lostcities_env.agents.base import KernelAgent, observation_key
from lostcities_env.rules.compiled import kernel


@kernel
def nth_legal(mask: np.ndarray, n: int) -> int:
    """The n-th (from 0) legal action of a mask int8 (n_actions,)."""
    for action in range(mask.shape[0]):
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


@kernel
def _choose_all(
    observations: np.ndarray, masks: np.ndarray, seed: np.uint64, blank: np.ndarray, actions: np.ndarray
) -> None:
    for i in range(observations.shape[0]):
        key = observation_key(observations[i], seed)
        # The key's high half, scaled: a bias of at most 2**-22 for up to a thousand actions.
        n = ((key >> np.uint64(32)) * np.uint64(count_legal(masks[i]))) >> np.uint64(32)
        actions[i] = nth_legal(masks[i], int(n))


class RandomAgent(KernelAgent):
    """Chooses uniformly among the legal actions; see the module."""

    choose_all = staticmethod(_choose_all)
