"""Compiled arithmetic on bfloat16: several operations in one pass over memory.

A bfloat16 is the upper half of a float32. NumPy has no such type, so arrays hold the halves, uint16. What is
computed of them is float32, and what is written is rounded to the nearest, ties to even, as PyTorch does.
Loops are short, and of few arrays that do not overlap, or compilers do not vectorise them.
"""

import numpy as np
import torch
from torch import Tensor

from lostcities_env.rules.compiled import kernel

ZERO = np.float32(0.0)
INFINITY = np.float32(np.inf)
NO_NUMBER = np.uint16(0x7FC0)
NEITHER, ACTIVE, HIGHEST = np.uint16(0), np.uint16(1), np.uint16(2)


def is_served(x: Tensor) -> bool:
    """Whether kernels may take the place of PyTorch's operations: they run on one thread of a CPU."""
    return x.dtype == torch.bfloat16 and x.device.type == "cpu" and torch.get_num_threads() == 1


def halves(x: Tensor) -> np.ndarray:
    """The memory of a bfloat16 tensor as uint16; that of a copy if it does not lie in one piece.

    Raises:
        TypeError: if it is of another type.
    """
    if x.dtype != torch.bfloat16:
        raise TypeError(f"a tensor of {x.dtype}; compiled passes are for torch.bfloat16")
    return x.detach().contiguous().view(torch.uint16).numpy()


@kernel
def widen(half: np.uint16) -> np.float32:
    """The number as a float32."""
    return np.uint32(np.uint32(half) << np.uint32(16)).view(np.float32)


@kernel
def narrow(number: np.float32) -> np.uint16:
    """The nearest bfloat16; of what is no number, if it came of bfloat16s, what is none either."""
    bits = np.float32(number).view(np.uint32)
    rounding = np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    return np.uint16(np.uint32(bits + rounding) >> np.uint32(16))


@kernel
def narrow_any(number: np.float32) -> np.uint16:
    """The nearest bfloat16; of what is no number, wherever it came from, what is none either."""
    return narrow(number) if number == number else NO_NUMBER


@kernel
def activate(
    x: np.ndarray,
    y: np.ndarray,
    residual: np.ndarray,
    is_residual: bool,
    pooled: np.ndarray,
    marks: np.ndarray,
) -> None:
    """Does what `training.functions.layer_and_pool` does after its layer.

    Args:
        x: (n, batch, width), of the layer; what comes out takes its place.
        y: (batch, width).
        residual: as `x`; not read unless `is_residual`.
        pooled: (batch, 2 x width), written.
        marks: uint8, as `x`, written: `ACTIVE` where ``x + y`` is positive, `HIGHEST` where what comes out is
            the maximum; empty if no gradient will be asked for.
    """
    n, batch, width = x.shape
    total, highest = np.empty(width, np.float32), np.empty(width, np.float32)
    active = np.empty((n, width), np.uint16)
    for b in range(batch):
        for j in range(width):
            total[j] = ZERO
            highest[j] = -INFINITY
        for i in range(n):
            for j in range(width):
                number = widen(x[i, b, j]) + widen(y[b, j])
                active[i, j] = NEITHER if number <= ZERO else ACTIVE
                number = ZERO if number < ZERO else number  # what is no number stays none, here and below
                x[i, b, j] = narrow(widen(residual[i, b, j]) + number if is_residual else number)
            for j in range(width):
                number = widen(x[i, b, j])
                total[j] += number
                highest[j] = number if number > highest[j] or number != number else highest[j]
        if marks.size:
            for i in range(n):
                for j in range(width):
                    is_below = widen(x[i, b, j]) < highest[j]
                    marks[i, b, j] = np.uint8(active[i, j] | (NEITHER if is_below else HIGHEST))
        for j in range(width):
            pooled[b, j] = narrow(total[j] / np.float32(n))
        for j in range(width):
            pooled[b, width + j] = narrow(highest[j])


@kernel
def write_gradients_of_activate(
    of_out: np.ndarray,
    of_pooled: np.ndarray,
    marks: np.ndarray,
    of_x: np.ndarray,
    of_y: np.ndarray,
    of_residual: np.ndarray,
    is_residual: bool,
) -> None:
    """Writes the gradients of `activate`, shapes as there; equals share that of the maximum.

    Args:
        of_out, of_pooled: the gradients of what came out.
        marks: by `activate`.
        of_x, of_y: written.
        of_residual: written if `is_residual`.
    """
    n, batch, width = of_out.shape
    of_mean, of_each_highest, total = (
        np.empty(width, np.float32),
        np.empty(width, np.float32),
        np.empty(width, np.float32),
    )
    for b in range(batch):
        for j in range(width):
            of_mean[j] = widen(of_pooled[b, j]) / np.float32(n)
            of_each_highest[j] = total[j] = ZERO
        for i in range(n):
            for j in range(width):
                of_each_highest[j] += np.float32(marks[i, b, j] // HIGHEST)
        for j in range(width):
            of_each_highest[j] = widen(of_pooled[b, width + j]) / of_each_highest[j]
        for i in range(n):
            for j in range(width):
                of_highest = of_each_highest[j] if marks[i, b, j] & HIGHEST else ZERO
                of_x[i, b, j] = narrow(widen(of_out[i, b, j]) + of_mean[j] + of_highest)
            if is_residual:
                for j in range(width):
                    of_residual[i, b, j] = of_x[i, b, j]
            for j in range(width):
                of_x[i, b, j] = of_x[i, b, j] if marks[i, b, j] & ACTIVE else NEITHER
            for j in range(width):
                total[j] += widen(of_x[i, b, j])
        for j in range(width):
            of_y[b, j] = narrow(total[j])
