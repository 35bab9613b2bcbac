"""What an agent is, and where its randomness comes from."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np

from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.game import IllegalActionError
from lostcities_env.rules.generator import MAX_SEED, check_seed, mix
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import observation_size

DEFAULT_SAMPLES = 32
"""Seeds that `Agent.probabilities` tries."""


class NoValuesError(ValueError):
    """An agent that has no values was asked for them."""


class Agent(ABC):
    """Chooses actions for a batch of games, from *recall* observations alone.

    Args:
        match: what is played; observations and masks have its shapes.
        seed: see `reset`.

    Subclasses implement `act`.
    """

    def __init__(self, match: Match, seed: int = 0) -> None:
        self.match = match
        self.observation_size = observation_size(match, "recall")
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Seeds every random choice to come.

        An agent of this package draws its random choices from the seed and the observation
        (`observation_key`), so a choice does not depend on which other games are in the batch.
        """
        self.seed = check_seed(seed)

    @abstractmethod
    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """A legal action for each row.

        Args:
            observations: float32 (batch, observation_size), *recall*, of the player to move.
            action_masks: int8 (batch, n_actions), 1 where legal; each row has at least one.

        Returns:
            int64 (batch,).
        """

    def probabilities(
        self, observations: np.ndarray, action_masks: np.ndarray, *, samples: int = DEFAULT_SAMPLES
    ) -> np.ndarray:
        """How likely the agent is to choose each action: float64 (batch, n_actions), rows that sum to 1.

        What `act` chooses with each of so many seeds, counting up from the agent's own. An agent that knows
        its probabilities says them instead.

        Args:
            observations: as for `act`.
            action_masks: as for `act`.
            samples: seeds to try.

        Raises:
            IllegalActionError: if `act` returns what is no action, legal or not.
        """
        batch, n_actions = action_masks.shape
        counts = np.zeros((batch, n_actions))
        seed = self.seed
        for k in range(samples):
            self.reset((seed + k) % (MAX_SEED + 1))
            actions = np.asarray(self.act(observations, action_masks))
            if actions.shape != (batch,) or not ((actions >= 0) & (actions < n_actions)).all():
                raise IllegalActionError(
                    f"{type(self).__name__}.act must return {batch} actions from 0 to {n_actions - 1}, "
                    f"got {actions!r}"
                )
            counts[np.arange(batch), actions] += 1
        self.reset(seed)
        return counts / samples

    def values(self, observations: np.ndarray) -> np.ndarray:
        """What the agent expects of the round: own minus the opponent's points at its end.

        Args:
            observations: float32 (batch, observation_size), *recall*, of the player to move.

        Returns:
            float64 (batch,), points, for the player to move.

        Raises:
            NoValuesError: if the agent has no values. Learned policies have them.
        """
        from lostcities_env.agents import shipped

        raise NoValuesError(
            f"{type(self).__name__} has no values: it plays without judging positions; "
            f"learned policies judge them: {', '.join(shipped.names())}, or the file of one"
        )

    def check_batch(self, observations: np.ndarray, action_masks: np.ndarray) -> None:
        """Checks what `act` was given.

        Raises:
            ValueError: if a shape or dtype is not as `act` says.
        """
        self.check_observations(observations)
        shape = (len(observations), self.match.variant.n_actions)
        self._check_array("action_masks", action_masks, shape, np.dtype(np.int8))

    def check_observations(self, observations: np.ndarray) -> None:
        """Checks what `values` was given.

        Raises:
            ValueError: if a shape or dtype is not as `values` says.
        """
        shape = (len(observations), self.observation_size)
        self._check_array("observations", observations, shape, np.dtype(np.float32))

    def _check_array(self, name: str, array: np.ndarray, shape: tuple[int, int], dtype: np.dtype) -> None:
        if not isinstance(array, np.ndarray) or array.dtype != dtype:
            got = getattr(array, "dtype", type(array).__name__)
            raise ValueError(f"{name} must be a NumPy array of {dtype.name}, got {got}")
        if array.shape != shape:
            raise ValueError(
                f"{name} must have shape {shape} for variant {self.match.variant.name!r}, got {array.shape}"
            )


class KernelAgent(Agent):
    """An agent whose choices are made by one compiled kernel.

    Attributes:
        choose_all: called with float32 (batch, observation_size), int8 (batch, n_actions), the seed,
            one game record of the match with nothing dealt (`STATE` (1,), to be copied) and int64
            (batch,), which it fills with actions.
    """

    choose_all: ClassVar[Callable[..., None]]

    def __init__(self, match: Match, seed: int = 0) -> None:
        super().__init__(match, seed)
        self._blank = match.new_states(1)

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """See `Agent.act`."""
        self.check_batch(observations, action_masks)
        actions = np.empty(len(observations), dtype=np.int64)
        # Views such as the first columns of a *full* observation are welcome; kernels want one layout.
        rows, masks = np.ascontiguousarray(observations), np.ascontiguousarray(action_masks)
        type(self).choose_all(rows, masks, np.uint64(self.seed), self._blank, actions)
        return actions


@kernel
def observation_key(row: np.ndarray, seed: np.uint64) -> np.uint64:
    """A 64-bit hash of a seed and an observation (float32, contiguous): seeds one random choice."""
    words = row.view(np.uint32)
    key = mix(np.uint64(seed))
    for k in range(words.shape[0]):
        if words[k] != 0:  # most values are zero; the place goes into the hash with the value
            key = mix(key ^ (np.uint64(words[k]) | (np.uint64(k + 1) << np.uint64(32))))
    return key
