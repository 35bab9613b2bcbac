"""The few operations that training spends its time in, with gradients that CPUs compute fast.

PyTorch's own gradients of a bias, of a broadcast sum and of a maximum reduce bfloat16 arrays along slow
paths; here they are matrix products and sums of slices, or compiled passes over memory that do many
operations at once (`training.bfloat16`). Parameters stay float32 and are cast to the type of the input. The
things that are pooled come first, so that each is contiguous.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from training import bfloat16

_LARGE = 1e30
"""Times any difference of two activations that matters, this is beyond 1."""

_LEAST_LOG = -80.0
"""Of a probability that makes no difference to a sum of float32 that is near 1."""


def affine(layer: nn.Linear, x: Tensor) -> Tensor:
    """The layer applied to the last axis of `x`, in the type of `x`."""
    y: Tensor = _Affine.apply(x, layer.weight, layer.bias)  # type: ignore[no-untyped-call]
    return y


def layer_and_pool(
    layer: nn.Linear, x: Tensor, y: Tensor, *, residual: bool = False
) -> tuple[Tensor, Tensor]:
    """``relu(layer(x) + y)``, plus `x` if it is residual, and that pooled: its mean and its maximum.

    Args:
        layer: from the last axis of `x` to the width; to the same width if residual.
        x: (n, batch, features).
        y: (batch, width), of the type of `x`; added to each of the n.

    Returns:
        (n, batch, width), and (batch, 2 x width) over the n.

    Raises:
        ValueError: if the shapes do not fit.
    """
    if y.shape != (x.shape[1], layer.out_features) or (residual and x.shape[2] != layer.out_features):
        raise ValueError(
            f"x {tuple(x.shape)}, y {tuple(y.shape)} and {layer} do not fit, residual={residual}"
        )
    pair: tuple[Tensor, Tensor] = _LayerAndPool.apply(  # type: ignore[no-untyped-call]
        x, layer.weight, layer.bias, y, residual, torch.is_grad_enabled()
    )
    return pair


def log_probabilities(logits: Tensor) -> Tensor:
    """Of logits (..., n), the last axis; at least `_LEAST_LOG`, and without a gradient there.

    CPUs are slow to take `exp` of far less, as there would be where there is no action.
    """
    return F.log_softmax(logits, dim=-1).clamp(min=_LEAST_LOG)


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
        of_bias = _sum_of_rows(rows).float() if ctx.needs_input_grad[2] else None
        return of_x, of_weight, of_bias


class _LayerAndPool(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        y: Tensor,
        residual: bool,
        differentiable: bool,
    ) -> tuple[Tensor, Tensor]:
        weight = weight.to(x.dtype)
        if bias is not None:
            y = y + bias.to(x.dtype)  # once, not n times as a part of the layer
        linear = F.linear(x, weight).contiguous()
        if bfloat16.is_served(x):
            out, pooled = linear, y.new_empty(len(y), 2 * y.shape[1])
            marks = torch.empty(out.shape if differentiable else (0, 0, 0), dtype=torch.uint8)
            bfloat16.activate(
                bfloat16.halves(out),
                bfloat16.halves(y),
                bfloat16.halves(x if residual else x[:0]),  # not `out`: loops over what may overlap are slow
                residual,
                bfloat16.halves(pooled),
                marks.numpy(),
            )
            ctx.save_for_backward(x, weight, marks)
        else:
            out = F.relu(linear + y)
            out = x + out if residual else out
            highest, *others = out.unbind()
            for other in others:
                highest = torch.maximum(highest, other)
            pooled = torch.cat([_sum(out) / len(out), highest], dim=-1)
            ctx.save_for_backward(x, weight, linear, y, out, pooled)
        ctx.residual = residual
        return out, pooled

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, of_out: Tensor, of_pooled: Tensor) -> tuple[Tensor | None, ...]:
        x, weight, *kept = ctx.saved_tensors
        if len(kept) == 1:
            of_linear, of_y = of_out.new_empty(of_out.shape), of_out.new_empty(of_out.shape[1:])
            of_all = of_out.new_empty(of_out.shape if ctx.residual else (0, 0, 0))
            bfloat16.write_gradients_of_activate(
                bfloat16.halves(of_out),
                bfloat16.halves(of_pooled),
                kept[0].numpy(),
                bfloat16.halves(of_linear),
                bfloat16.halves(of_y),
                bfloat16.halves(of_all),
                ctx.residual,
            )
        else:
            linear, y, out, pooled = kept
            of_mean, of_highest = of_pooled.chunk(2, dim=-1)
            highest = pooled[:, y.shape[1] :]
            is_highest = ((out - highest) * _LARGE + 1).clamp_min_(0)  # comparisons of bfloat16 are slow
            share = of_highest / _sum(is_highest)  # equals share it
            of_all = of_out + is_highest.mul_(share).add_(of_mean / len(out))
            of_linear = torch.ops.aten.threshold_backward(of_all, linear + y, 0)
            of_y = _sum(of_linear)
        rows = of_linear.flatten(0, 1)
        of_x: Tensor | None = None
        if ctx.residual:
            of_x = of_all.flatten(0, 1).addmm_(rows, weight).view(x.shape)
        elif ctx.needs_input_grad[0]:
            of_x = of_linear @ weight
        of_weight = (rows.t() @ x.flatten(0, 1)).float()
        of_bias = _sum_of_rows(of_y).float() if ctx.needs_input_grad[2] else None
        return of_x, of_weight, of_bias, of_y, None, None


def _sum_of_rows(x: Tensor) -> Tensor:
    """As a matrix product: sums of bfloat16 are slow."""
    return (x.new_ones(1, len(x)) @ x)[0]


def _sum(x: Tensor) -> Tensor:
    """Over the first axis."""
    first, *others = x.unbind()
    for other in others:
        first = first + other
    return first
