"""The few operations that training spends its time in, with gradients that CPUs compute fast.

PyTorch's own gradients of a bias, of a broadcast sum and of a maximum reduce bfloat16 arrays along slow
paths; here they are matrix products and sums of slices. Parameters stay float32 and are cast to the type of
the input. The things that are pooled come first, so that each is contiguous.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

_LARGE = 1e30
"""Times any difference of two activations, however small, this is beyond 1."""


def affine(layer: nn.Linear, x: Tensor) -> Tensor:
    """The layer applied to the last axis of `x`, in the type of `x`."""
    y: Tensor = _Affine.apply(x, layer.weight, layer.bias)  # type: ignore[no-untyped-call]
    return y


def add_to_each(x: Tensor, y: Tensor) -> Tensor:
    """`x` (n, batch, width) with `y` (batch, width) added to each of the n."""
    total: Tensor = _AddToEach.apply(x, y)  # type: ignore[no-untyped-call]
    return total


def mean_and_max(x: Tensor) -> Tensor:
    """Over the first axis: (batch, 2 x width) from (n, batch, width)."""
    pooled: Tensor = _MeanAndMax.apply(x)  # type: ignore[no-untyped-call]
    return pooled


class _Affine(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        weight = weight.to(x.dtype)
        ctx.save_for_backward(x, weight)
        return F.linear(x, weight, None if bias is None else bias.to(x.dtype))

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        rows = gradient.reshape(-1, gradient.shape[-1])
        of_x = gradient @ weight if ctx.needs_input_grad[0] else None
        of_weight = (rows.t() @ x.reshape(-1, x.shape[-1])).float()
        of_bias = (rows.new_ones(1, len(rows)) @ rows)[0].float() if ctx.needs_input_grad[2] else None
        return of_x, of_weight, of_bias


class _AddToEach(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
        return x + y

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        return gradient, _sum(gradient)


class _MeanAndMax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        first, *others = x.unbind()
        highest = first
        for other in others:
            highest = torch.maximum(highest, other)
        ctx.save_for_backward(x, highest)
        return torch.cat([_sum(x) / len(x), highest], dim=-1)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        x, highest = ctx.saved_tensors
        of_mean, of_highest = gradient.chunk(2, dim=-1)
        is_highest = ((x - highest) * _LARGE + 1).clamp_min_(0)  # comparisons of bfloat16 are slow
        share = of_highest / _sum(is_highest)  # equals share it
        return is_highest.mul_(share).add_(of_mean / len(x))


def _sum(x: Tensor) -> Tensor:
    """Over the first axis."""
    first, *others = x.unbind()
    for other in others:
        first = first + other
    return first
