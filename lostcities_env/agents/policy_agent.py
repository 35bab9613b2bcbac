"""The agent that plays a learned policy."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from lostcities_env.agents.base import DEFAULT_SAMPLES, Agent, observation_key
from lostcities_env.agents.policy import Policy
from lostcities_env.agents.safetensors_file import WeightsError
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.generator import next_word, seed_words
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import SCALE, observation_blocks
from lostcities_env.rules.variant import Variant

_LOW_BITS = np.uint64(12)
"""A word's upper 52 bits and a half more make a float64 without rounding: above 0 and below 1."""


class PolicyAgent(Agent):
    """Plays a learned policy: its most likely legal action, or a sample of them.

    A policy trained for fewer rounds than it plays sees its own last rounds: `rounds_left` is cut to what it
    knows, and one trained for single rounds plays every round as if it were the only one.

    A choice depends on the observation alone, and a sampled one on the seed: not on the batch.

    Args:
        match: what is played; the variant must be the policy's.
        policy: a `Policy`.
        seed: of the samples.
        sample: draws actions with the policy's probabilities rather than taking the likeliest.

    Raises:
        WeightsError: if the policy is for another variant.
    """

    def __init__(self, match: Match, policy: Policy, *, seed: int = 0, sample: bool = False) -> None:
        super().__init__(match, seed)
        _check_variant(policy.match.variant, match.variant)
        self.policy = policy
        self.sample = sample
        blocks = {block.name: block.slice for block in observation_blocks(match, "recall")}
        self._rounds_left, self._match_margin = blocks["rounds_left"], blocks["match_margin"]
        self._scores = blocks["scores"]

    @classmethod
    def load(cls, path: str | Path, match: Match, *, seed: int = 0, sample: bool = False) -> "PolicyAgent":
        """The agent of a policy file.

        Raises:
            WeightsError: if the file is not a policy, not whole, or for another variant; the message says
                what is wrong and what would be right.
        """
        policy = Policy.read(path)
        try:
            return cls(match, policy, seed=seed, sample=sample)
        except WeightsError as error:
            raise WeightsError(f"weights {str(path)!r}: {error}") from None

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """See `Agent.act`."""
        self.check_batch(observations, action_masks)
        logits = self.policy.logits(self._as_trained(observations))
        actions = np.empty(len(observations), dtype=np.int64)
        # Views such as the first columns of a *full* observation are welcome; kernels want one layout.
        masks = np.ascontiguousarray(action_masks)
        if self.sample:
            _sample(np.ascontiguousarray(observations), logits, masks, np.uint64(self.seed), actions)
        else:
            _likeliest(logits, masks, actions)
        return actions

    def probabilities(
        self, observations: np.ndarray, action_masks: np.ndarray, *, samples: int = DEFAULT_SAMPLES
    ) -> np.ndarray:
        """See `Agent.probabilities`: the softmax of the legal actions if they are sampled."""
        if not self.sample:
            return super().probabilities(observations, action_masks, samples=1)
        self.check_batch(observations, action_masks)
        logits = self.policy.logits(self._as_trained(observations)).astype(np.float64)
        logits[action_masks == 0] = -np.inf
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)

    def values(self, observations: np.ndarray) -> np.ndarray:
        """See `Agent.values`: what lies on the table, and what the policy expects of the rest of the round.

        In a match it is asked about the round as if it were the only one.

        Raises:
            NoValuesError: if the policy has no value, or one that is not of points.
        """
        self.check_observations(observations)
        scores = observations[:, self._scores].astype(np.float64) * float(SCALE)
        if self.policy.observation == "recall" and self.match.rounds > 1:
            observations = observations.copy()
            observations[:, self._rounds_left] = observations[:, self._match_margin] = 0.0
        return np.rint(scores[:, 0] - scores[:, 1]) + self.policy.margins_to_come(observations)

    def _as_trained(self, observations: np.ndarray) -> np.ndarray:
        trained = self.policy.match.rounds
        if self.policy.observation != "recall" or trained >= self.match.rounds:
            return observations
        observations = observations.copy()
        rounds_left = observations[:, self._rounds_left]
        np.minimum(rounds_left, trained - 1, out=rounds_left)
        if trained == 1:
            observations[:, self._match_margin] = 0.0
        return observations


def _check_variant(trained: Variant, played: Variant) -> None:
    if replace(trained, name=played.name) == played:
        return
    ours, theirs = trained.to_dict(), played.to_dict()
    differences = ", ".join(
        f"{key} {ours[key]} instead of {theirs[key]}"
        for key in ours
        if key != "name" and ours[key] != theirs[key]
    )
    raise WeightsError(
        f"the policy is for variant {trained.name!r}, not {played.name!r} ({differences}); "
        "play its variant or train one for yours"
    )


@kernel
def _likeliest(logits: np.ndarray, masks: np.ndarray, actions: np.ndarray) -> None:
    for i in range(logits.shape[0]):
        best = -1
        for action in range(masks.shape[1]):
            if masks[i, action] and (best < 0 or logits[i, action] > logits[i, best]):
                best = action
        actions[i] = best


@kernel
def _sample(
    observations: np.ndarray, logits: np.ndarray, masks: np.ndarray, seed: np.uint64, actions: np.ndarray
) -> None:
    """Gumbel's trick: the argmax of logits plus Gumbel noise has the distribution of their softmax."""
    words = np.empty(4, dtype=np.uint64)
    for i in range(logits.shape[0]):
        seed_words(observation_key(observations[i], seed), words)
        best = -1
        highest = 0.0
        for action in range(masks.shape[1]):
            if masks[i, action]:
                uniform = (float(next_word(words) >> _LOW_BITS) + 0.5) / 2.0**52
                value = logits[i, action] - np.log(-np.log(uniform))
                if best < 0 or value > highest:
                    best, highest = action, value
        actions[i] = best
