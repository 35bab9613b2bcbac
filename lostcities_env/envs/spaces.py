"""The spaces of the faces.

Most actions are illegal at any time, so the Gymnasium faces have action spaces that sample legal ones: the
usual loop ``env.step(env.action_space.sample())`` plays the game. Otherwise they are plain ``Discrete`` and
``MultiDiscrete`` spaces; copied or pickled they forget the environment and sample as those do.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces

from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import observation_range

Masks = Callable[[], np.ndarray]
"""Gives the legal actions now: int8 (n_actions,), or (num_envs, n_actions)."""


def observation_box(match: Match, level: str) -> spaces.Box:
    """The space of the observations of a level: float32 (n,)."""
    low, high = observation_range(match, level)
    return spaces.Box(low, high, dtype=np.float32)


class _Legal:
    """Remembers where the masks come from, in this process and this object only."""

    masks: Masks | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "masks"}


class LegalDiscrete(_Legal, spaces.Discrete[np.int64]):
    """``Discrete(n)`` that samples among the legal actions, uniformly."""

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """As for ``Discrete``; with neither argument, one of the legal actions."""
        if mask is None and probability is None and self.masks is not None:
            mask = self.masks()
        return super().sample(mask, probability)


class LegalMultiDiscrete(_Legal, spaces.MultiDiscrete[np.int64]):
    """``MultiDiscrete([n] * num_envs)`` that samples a legal action for each game, uniformly."""

    def sample(self, mask: Any = None, probability: Any = None) -> np.ndarray:
        """As for ``MultiDiscrete``; with neither argument, legal actions int64 (num_envs,)."""
        if mask is None and probability is None and self.masks is not None:
            masks = self.masks()
            return (masks * (1.0 - self.np_random.random(masks.shape))).argmax(axis=1)
        return super().sample(mask, probability)
