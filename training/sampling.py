"""Draws actions from a policy: compiled on the CPU, and in PyTorch where the logits are on another device.

Both take their random numbers from the same generator and compute in float64, so that they draw the same,
up to rounding.
"""

import numpy as np
import torch
from torch import Tensor

from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.generator import next_word
from training.legal import NO_ACTION

_TO_UNIT = 1.0 / 9007199254740992.0  # 2**-53


def sample(
    logits: Tensor, legal: Tensor, units: np.ndarray, places: Tensor, log_probabilities: Tensor
) -> None:
    """Draws an action of each row from the softmax over its legal actions.

    Args:
        logits: float32 (batch, places).
        legal: int16 (batch, places), see `pack_legal`.
        units: float64 (batch,), 0 or more and below 1: how far through the probabilities, in the order of
            `legal`, the action drawn lies. See `draw_units`.
        places: int64 (batch,), written: the place in `legal` of the action drawn.
        log_probabilities: float32 (batch,), written.
    """
    if logits.device.type == "cpu":
        _sample(logits.numpy(), legal.numpy(), units, places.numpy(), log_probabilities.numpy())
    else:
        sample_in_pytorch(logits, legal, units, places, log_probabilities)


def sample_in_pytorch(
    logits: Tensor, legal: Tensor, units: np.ndarray, places: Tensor, log_probabilities: Tensor
) -> None:
    """`sample` on any device."""
    is_action = legal != NO_ACTION
    scores = torch.where(is_action, logits.double(), -torch.inf)
    weights = (scores - scores.amax(dim=1, keepdim=True)).exp()
    passed = weights.cumsum(dim=1)
    total = passed[:, -1:]
    left = torch.from_numpy(units).to(logits.device)[:, None] * total
    # By arithmetic none is beyond the last action, but devices may add up in parts.
    drawn = torch.minimum((left >= passed).sum(dim=1), is_action.sum(dim=1) - 1)
    places.copy_(drawn)
    log_probabilities.copy_((weights.gather(1, drawn[:, None]) / total).log().squeeze(1))


@kernel
def draw_units(words: np.ndarray, units: np.ndarray) -> None:
    """Fills float64 (n,) with uniform numbers, 0 or more and below 1; advances the generator, uint64 (4,)."""
    for i in range(units.shape[0]):
        units[i] = float(next_word(words) >> np.uint64(11)) * _TO_UNIT


@kernel
def _sample(
    logits: np.ndarray,
    legal: np.ndarray,
    units: np.ndarray,
    places: np.ndarray,
    log_probabilities: np.ndarray,
) -> None:
    weights = np.empty(legal.shape[1])
    for i in range(logits.shape[0]):
        count = 0
        highest = -np.inf
        while count < legal.shape[1] and legal[i, count] != NO_ACTION:
            weights[count] = logits[i, count]
            highest = max(highest, weights[count])
            count += 1
        total = 0.0
        for k in range(count):
            weights[k] = np.exp(weights[k] - highest)
            total += weights[k]
        left = units[i] * total
        place = 0
        while place < count - 1 and left >= weights[place]:
            left -= weights[place]
            place += 1
        places[i] = place
        log_probabilities[i] = np.log(weights[place] / total)
