"""Compiled arithmetic on bfloat16: several operations in one pass over memory, each rounded as if by itself.

A bfloat16 is the upper half of a float32. NumPy has no such type, so arrays hold the halves, uint16; every
result is rounded to the nearest, ties to even, as PyTorch does.
"""

import numpy as np
import torch
from torch import Tensor

from lostcities_env.rules.compiled import kernel

ZERO = np.float32(0.0)
ONE = np.float32(1.0)


def is_served(x: Tensor) -> bool:
    """Whether kernels may take the place of PyTorch's operations: they run on one thread of a CPU."""
    return x.dtype == torch.bfloat16 and x.device.type == "cpu" and torch.get_num_threads() == 1


def halves(x: Tensor) -> np.ndarray:
    """The memory of a bfloat16 tensor as uint16; that of a copy if it does not lie in one piece."""
    return x.detach().contiguous().view(torch.uint16).numpy()


@kernel
def widen(half: np.uint16) -> np.float32:
    """The number as a float32."""
    return np.uint32(np.uint32(half) << np.uint32(16)).view(np.float32)


@kernel
def narrow(number: np.float32) -> np.uint16:
    """The nearest bfloat16; of what is no number, if it came of a bfloat16, what is none either."""
    bits = np.float32(number).view(np.uint32)
    rounding = np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    return np.uint16(np.uint32(bits + rounding) >> np.uint32(16))


@kernel
def write_activation(
    x: np.ndarray, y: np.ndarray, residual: np.ndarray, has_residual: bool, out: np.ndarray
) -> None:
    """Writes ``relu(x + y)``, plus the residual if there is one; see `training.functions.activate`.

    Args:
        x, residual, out: (n, size).
        y: (size,).
        has_residual: if not, `residual` is not read.
    """
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total = widen(narrow(widen(x[i, j]) + widen(y[j])))
            active = ZERO if total < ZERO else total  # what is no number stays none
            out[i, j] = narrow(widen(residual[i, j]) + active) if has_residual else narrow(active)


@kernel
def write_activation_gradients(
    gradient: np.ndarray, x: np.ndarray, y: np.ndarray, of_x: np.ndarray, of_y: np.ndarray
) -> None:
    """Writes the gradients of ``relu(x + y)``, shapes as for `write_activation`."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total = widen(narrow(widen(x[i, j]) + widen(y[j])))
            passed = np.uint16(0) if total <= ZERO else gradient[i, j]
            of_x[i, j] = passed
            of_y[j] = narrow(widen(of_y[j]) + widen(passed)) if i else passed


@kernel
def write_mean_and_max(x: np.ndarray, out: np.ndarray) -> None:
    """Writes (batch, 2 x width) from (n, batch, width); see `training.functions.mean_and_max`."""
    n, batch, width = x.shape
    total, highest = np.empty(width, np.float32), np.empty(width, np.float32)
    for b in range(batch):
        for j in range(width):
            total[j] = highest[j] = widen(x[0, b, j])
        for i in range(1, n):
            for j in range(width):
                number = widen(x[i, b, j])
                total[j] = widen(narrow(total[j] + number))
                is_higher = number > highest[j] or number != number  # what is no number stays none
                highest[j] = number if is_higher else highest[j]
        for j in range(width):
            out[b, j] = narrow(total[j] / np.float32(n))
        for j in range(width):
            out[b, width + j] = narrow(highest[j])


@kernel
def write_mean_and_max_gradient(
    gradient: np.ndarray, x: np.ndarray, pooled: np.ndarray, of_x: np.ndarray
) -> None:
    """Writes the gradient of `write_mean_and_max`, which gave `pooled`; equals share that of the maximum."""
    n, batch, width = x.shape
    of_mean, highest, share = (
        np.empty(width, np.float32),
        np.empty(width, np.float32),
        np.empty(width, np.float32),
    )
    for b in range(batch):
        for j in range(width):
            of_mean[j] = widen(narrow(widen(gradient[b, j]) / np.float32(n)))
            highest[j] = widen(pooled[b, width + j])
            share[j] = ZERO
        for i in range(n):
            for j in range(width):
                share[j] += ZERO if widen(x[i, b, j]) < highest[j] else ONE
        for j in range(width):
            share[j] = widen(narrow(widen(gradient[b, width + j]) / share[j]))
        for i in range(n):
            for j in range(width):
                of_highest = ZERO if widen(x[i, b, j]) < highest[j] else share[j]
                of_x[i, b, j] = narrow(of_highest + of_mean[j])
