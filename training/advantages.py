"""Generalised advantage estimates (Schulman et al., 2016) of a two-player zero-sum game; discount 1.

Values and rewards are the mover's, so what comes after a turn counts with the opposite sign if the other
player moves next (which is not always so: the winner of a round begins the next one).
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from lostcities_env.rules.compiled import kernel


class History(NamedTuple):
    """What a number of games gave, turn by turn.

    Attributes:
        rewards, values: float32 (turns, games).
        movers: int8 (turns, games).
        ended: bool (turns, games), whether the game ended with this turn.
        last_values, last_movers: (games,), of the position after the last turn.
    """

    rewards: Tensor
    values: Tensor
    movers: Tensor
    ended: Tensor
    last_values: Tensor
    last_movers: Tensor


def advantages(history: History, gae_lambda: float) -> Tensor:
    """The estimates, float32 (turns, games): compiled on the CPU, the same in PyTorch on other devices.

    Args:
        history: of the games.
        gae_lambda: 0..1.
    """
    if history.rewards.device.type != "cpu":
        return advantages_in_pytorch(history, gae_lambda)
    out = torch.empty_like(history.rewards)
    _write_advantages(out.numpy(), gae_lambda, *(tensor.numpy() for tensor in history))
    return out


def advantages_in_pytorch(history: History, gae_lambda: float) -> Tensor:
    """`advantages` on any device."""
    rewards, values, movers, ended, last_values, last_movers = history
    same = torch.cat([movers[1:], last_movers[None]]) == movers
    signs = (2 * same.double() - 1) * ~ended
    errors = rewards + signs * torch.cat([values[1:], last_values[None]]) - values
    out = torch.empty_like(rewards)
    advantage = torch.zeros_like(errors[0])
    for t in range(len(out) - 1, -1, -1):
        advantage = errors[t] + gae_lambda * signs[t] * advantage
        out[t] = advantage
    return out


@kernel
def _write_advantages(
    out: np.ndarray,
    gae_lambda: float,
    rewards: np.ndarray,
    values: np.ndarray,
    movers: np.ndarray,
    ended: np.ndarray,
    last_values: np.ndarray,
    last_movers: np.ndarray,
) -> None:
    turns, games = rewards.shape
    for i in range(games):
        advantage = 0.0
        next_value = last_values[i]
        next_mover = last_movers[i]
        for t in range(turns - 1, -1, -1):
            sign = 0.0 if ended[t, i] else (1.0 if next_mover == movers[t, i] else -1.0)
            error = rewards[t, i] + sign * next_value - values[t, i]
            advantage = error + gae_lambda * sign * advantage
            out[t, i] = advantage
            next_value = values[t, i]
            next_mover = movers[t, i]
