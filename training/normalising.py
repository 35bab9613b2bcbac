"""Advantages with mean 0 and variance 1, over the turns of all processes that are learned from."""

from collections.abc import Sequence

import torch

from training.processes import Processes
from training.rollout import Rollout

FEW = 1000
"""As many turns of a phase weigh as much as what is known of all turns."""


def normalise(rollouts: Sequence[Rollout], processes: Processes, most: int, *, by_phase: bool) -> float:
    """Gives the learner's advantages mean 0 and variance 1; returns their standard deviation before.

    Args:
        rollouts: of this process.
        processes: that of them all together count.
        most: the largest number of cards in the deck.
        by_phase: among the turns with as many cards in the deck each, or among all: early turns are by far
            the noisier, and would drown the others.
    """
    sums = torch.zeros(3, most + 1, dtype=torch.float64, device=processes.device)
    for rollout in rollouts:
        own = rollout.weights.double()
        powers = (own, own * rollout.advantages, own * rollout.advantages**2)
        for row, values in zip(sums, powers, strict=True):
            row.index_add_(0, rollout.decks, values)
    count, total, squares = processes.total(sums)
    mean = total.sum() / count.sum()
    variance = squares.sum() / count.sum() - mean**2
    means, variances = mean.expand(most + 1), variance.expand(most + 1)
    if by_phase:
        means = (total + FEW * mean) / (count + FEW)
        variances = (squares + FEW * (variance + mean**2)) / (count + FEW) - means**2
    deviations = variances.clamp(min=1e-12).sqrt()
    for rollout in rollouts:
        scaled = (rollout.advantages - means[rollout.decks]) / deviations[rollout.decks]
        rollout.advantages = scaled.float()
    return float(variance.clamp(min=0.0)) ** 0.5
