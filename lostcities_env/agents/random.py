"""`random`: every legal action is equally likely."""

import numpy as np

from lostcities_env.agents.base import DEFAULT_SAMPLES, KernelAgent, observation_key
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.masks import count_legal, nth_legal


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
    """Chooses uniformly among the legal actions."""

    choose_all = staticmethod(_choose_all)

    def probabilities(
        self, observations: np.ndarray, action_masks: np.ndarray, *, samples: int = DEFAULT_SAMPLES
    ) -> np.ndarray:
        """See `Agent.probabilities`."""
        self.check_batch(observations, action_masks)
        return action_masks / action_masks.sum(axis=1, keepdims=True, dtype=np.float64)
