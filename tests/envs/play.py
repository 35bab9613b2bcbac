"""Random play for the tests of the faces."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lostcities_env.agents.base import Agent
from lostcities_env.envs.aec import LostCitiesEnv
from lostcities_env.rules.variant import VARIANTS, Variant

OPEN_PILES = Variant(name="open piles", piles_close_at=None)
"""The bare rules: a round may never end."""

MODES = [(name, level) for name in VARIANTS for level in ("visible", "recall")]
"""Every variant with every observation mode."""


def choose(mask: np.ndarray, rng: np.random.Generator) -> int:
    """A uniformly random legal action."""
    return int(rng.choice(np.flatnonzero(mask)))


def play(
    env: LostCitiesEnv,
    rng: np.random.Generator,
    turns: int = 10**6,
    watch: Callable[[LostCitiesEnv], Any] = lambda env: None,
) -> int:
    """Takes up to `turns` random turns, calls `watch` after each; returns how many it took."""
    taken = 0
    while taken < turns and not is_over(env):
        agent = env.agent_selection
        env.step(choose(env.observe(agent)["action_mask"], rng))
        taken += 1
        watch(env)
    return taken


def is_over(env: LostCitiesEnv) -> bool:
    return not env.agents or any(env.terminations.values()) or any(env.truncations.values())


def an_illegal_action(mask: np.ndarray) -> int:
    return int(np.flatnonzero(mask == 0)[0])


class FirstLegal(Agent):
    """Takes the legal action with the lowest code: an opponent whose turns can be foretold."""

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        self.check_batch(observations, action_masks)
        return action_masks.argmax(axis=1).astype(np.int64)


class Illegal(Agent):
    """Breaks the rules."""

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        return action_masks.argmin(axis=1)
