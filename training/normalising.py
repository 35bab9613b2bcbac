"""Advantages with mean 0 and variance 1, over the turns of all processes that are learned from."""

from collections.abc import Sequence

import torch

from training.processes import Processes
from training.rollout import Samples

PRIOR_TURNS = 1000
"""A phase counts as having had so many turns more, which were like all turns: few turns say little."""


def normalise(rollouts: Sequence[Samples], processes: Processes, deck_size: int, *, by_phase: bool) -> float:
    """Gives the learner's advantages mean 0 and variance 1, in place; returns their deviation before.

    Args:
        rollouts: of this process.
        processes: all those whose rollouts are normalised together.
        deck_size: cards in the deck as a round begins, at most.
        by_phase: among the turns with as many cards in the deck each, or among all: early turns are by far
            the noisier, and would drown the others.
    """
    sums = torch.zeros(3, deck_size + 1, dtype=torch.float64, device=processes.device)
    for rollout in rollouts:
        own = rollout.weights.double()
        powers = (own, own * rollout.advantages, own * rollout.advantages**2)
        for row, values in zip(sums, powers, strict=True):
            row.index_add_(0, rollout.decks, values)
    count, total, squares = processes.total(sums)
    mean = total.sum() / count.sum()
    variance = squares.sum() / count.sum() - mean**2
    means, variances = mean.expand(deck_size + 1), variance.expand(deck_size + 1)
    if by_phase:
        means = (total + PRIOR_TURNS * mean) / (count + PRIOR_TURNS)
        variances = (squares + PRIOR_TURNS * (variance + mean**2)) / (count + PRIOR_TURNS) - means**2
    deviations = variances.clamp(min=1e-12).sqrt()
    for rollout in rollouts:
        scaled = (rollout.advantages - means[rollout.decks]) / deviations[rollout.decks]
        rollout.advantages = scaled.float()
    return float(variance.clamp(min=0.0)) ** 0.5
