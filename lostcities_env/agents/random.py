"""`random`: every legal action is equally likely."""

import numpy as np

from lostcities_env.agents.base import Agent, observation_key
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.masks import count_legal, nth_legal


class RandomAgent(Agent):
    """Chooses uniformly among the legal actions."""

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """See `Agent.act`."""
        self.check_batch(observations, action_masks)
        actions = np.empty(len(observations), dtype=np.int64)
        _act(observations, action_masks, np.uint64(self.seed), actions)
        return actions


@kernel
def _act(observations: np.ndarray, masks: np.ndarray, seed: np.uint64, actions: np.ndarray) -> None:
    for i in range(observations.shape[0]):
        key = observation_key(observations[i], seed)
        # The key's high half, scaled: a bias of at most 2**-22 for up to a thousand actions.
        n = ((key >> np.uint64(32)) * np.uint64(count_legal(masks[i]))) >> np.uint64(32)
        actions[i] = nth_legal(masks[i], int(n))
