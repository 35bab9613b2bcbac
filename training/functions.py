"""The few operations that training spends its time in, with gradients that CPUs compute fast.

PyTorch's own gradients of a bias, of a broadcast sum and of a maximum reduce bfloat16 arrays along slow
paths; here they are matrix products and sums of slices, or compiled passes that give the same bits if all
is finite (`training.bfloat16`). Parameters stay float32 and are cast to the type of the input. The things
that are pooled come first, so that each is contiguous.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training import bfloat16

_LARGE = 1e30
"""Times any difference of two activations, however small, this is beyond 1."""


def affine(layer: nn.Linear, x: Tensor) -> Tensor:
    """The layer applied to the last axis of `x`, in the type of `x`."""
    y: Tensor = _Affine.apply(x, layer.weight, layer.bias)  # type: ignore[no-untyped-call]
    return y


def activate(x: Tensor, y: Tensor, residual: Tensor | None = None) -> Tensor:
    """``relu(x + y)``, plus the residual if there is one.

    Args:
        x, residual: (n, batch, width).
        y: (batch, width), added to each of the n.
    """
    active: Tensor = _Activate.apply(x, y, residual)  # type: ignore[no-untyped-call]
    return active


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


class _Activate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor, residual: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, y)
        if not bfloat16.is_served(x):
            active = F.relu(x + y)
            return active if residual is None else residual + active
        out = x.new_empty(x.shape)
        rows, row = (len(x), y.numel()), y.numel()
        bfloat16.write_activation(
            bfloat16.halves(x).reshape(rows),
            bfloat16.halves(y).reshape(row),
            bfloat16.halves(x if residual is None else residual).reshape(rows),
            residual is not None,
            bfloat16.halves(out).reshape(rows),
        )
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor | None]:
        x, y = ctx.saved_tensors
        of_residual = gradient if ctx.needs_input_grad[2] else None
        if not bfloat16.is_served(x):
            of_x = torch.ops.aten.threshold_backward(gradient, x + y, 0)  # comparisons of bfloat16 are slow
            return of_x, _sum(of_x), of_residual
        of_x, of_y = x.new_empty(x.shape), y.new_empty(y.shape)
        rows, row = (len(x), y.numel()), y.numel()
        bfloat16.write_activation_gradients(
            bfloat16.halves(gradient).reshape(rows),
            bfloat16.halves(x).reshape(rows),
            bfloat16.halves(y).reshape(row),
            bfloat16.halves(of_x).reshape(rows),
            bfloat16.halves(of_y).reshape(row),
        )
        return of_x, of_y, of_residual


class _MeanAndMax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        if bfloat16.is_served(x):
            pooled = x.new_empty(x.shape[1], 2 * x.shape[2])
            bfloat16.write_mean_and_max(bfloat16.halves(x), bfloat16.halves(pooled))
        else:
            first, *others = x.unbind()
            highest = first
            for other in others:
                highest = torch.maximum(highest, other)
            pooled = torch.cat([_sum(x) / len(x), highest], dim=-1)
        ctx.save_for_backward(x, pooled)
        return pooled

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        x, pooled = ctx.saved_tensors
        if bfloat16.is_served(x):
            of_x = x.new_empty(x.shape)
            bfloat16.write_mean_and_max_gradient(*map(bfloat16.halves, (gradient, x, pooled, of_x)))
            return of_x
        of_mean, of_highest = gradient.chunk(2, dim=-1)
        highest = pooled[:, x.shape[2] :]
        is_highest = ((x - highest) * _LARGE + 1).clamp_min_(0)
        share = of_highest / _sum(is_highest)  # equals share it
        return is_highest.mul_(share).add_(of_mean / len(x))


def _sum(x: Tensor) -> Tensor:
    """Over the first axis."""
    first, *others = x.unbind()
    for other in others:
        first = first + other
    return first
