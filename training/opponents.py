"""The opponent in self-play: past selves of the learner and scripted agents, one of them at a time."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lostcities_env.agents import make
from lostcities_env.agents.base import Agent
from lostcities_env.agents.policy import Policy
from lostcities_env.agents.policy_agent import PolicyAgent
from lostcities_env.rules.match import Match


class OpponentPool(Agent):
    """Plays as one of its members, which `draw` chooses anew.

    Args:
        match: what is played.
        scripted: names of agents that are always in the pool.
        scripted_share: how often `draw` takes one of those.
        latest_share: how often, otherwise, it takes the latest snapshot; else any of them, all alike.
        size: how many snapshots are kept.
        seed: of the draws and of the members' choices.
    """

    def __init__(
        self,
        match: Match,
        *,
        scripted: Sequence[str] = (),
        scripted_share: float = 0.0,
        latest_share: float = 0.5,
        size: int = 10,
        seed: int = 0,
    ) -> None:
        self.scripted: list[Agent] = [make(name, match) for name in scripted]
        self.snapshots: list[PolicyAgent] = []
        self._scripted_share = scripted_share if self.scripted else 0.0
        self._latest_share = latest_share
        self._size = size
        self._generator = np.random.default_rng(seed)
        self._current: Agent = make("random", match)
        super().__init__(match, seed)

    def reset(self, seed: int) -> None:
        """Seeds the choices of all members; not which of them plays."""
        super().reset(seed)
        for member in (*self.scripted, *self.snapshots, self._current):
            member.reset(seed)

    def add(self, policy: Policy) -> None:
        """Takes in a snapshot; the oldest goes when there are too many."""
        self.snapshots.append(PolicyAgent(self.match, policy, seed=self.seed, sample=True))
        del self.snapshots[: -self._size]

    def draw(self) -> None:
        """Chooses who plays from now on."""
        if self.scripted and (not self.snapshots or self._generator.random() < self._scripted_share):
            self._current = self.scripted[self._generator.integers(len(self.scripted))]
        elif self.snapshots:
            latest = self._generator.random() < self._latest_share
            self._current = self.snapshots[-1 if latest else self._generator.integers(len(self.snapshots))]

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """See `Agent.act`."""
        return self._current.act(observations, action_masks)

    def get_state(self) -> dict[str, Any]:
        """The generator, for `set_state`; the snapshots are in `snapshots`."""
        return {"generator": self._generator.bit_generator.state}

    def set_state(self, state: dict[str, Any], snapshots: Sequence[Policy]) -> None:
        """Goes back to a state, just before a `draw`."""
        self._generator.bit_generator.state = state["generator"]
        self.snapshots.clear()
        for policy in snapshots:
            self.add(policy)
