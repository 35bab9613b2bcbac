"""The operations that training spends its time in: their gradients are the true ones."""

import pytest

pytest.importorskip("torch")

import torch

from training.functions import activate, affine, mean_and_max


def test_gradients_are_those_of_finite_differences() -> None:
    torch.manual_seed(1)
    x = torch.randn(5, 3, 4, dtype=torch.double, requires_grad=True)
    y = torch.randn(3, 4, dtype=torch.double, requires_grad=True)
    residual = torch.randn(5, 3, 4, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(activate, (x, y))
    assert torch.autograd.gradcheck(activate, (x, y, residual))
    assert torch.autograd.gradcheck(mean_and_max, (x,))


def test_equals_share_the_gradient_of_the_maximum() -> None:
    x = torch.tensor([1.0, 1.0, 0.0]).reshape(3, 1, 1).requires_grad_()
    mean_and_max(x)[0, 1].backward()  # type: ignore[no-untyped-call]
    assert x.grad is not None
    assert x.grad.flatten().tolist() == [0.5, 0.5, 0.0]


@pytest.mark.parametrize("bias", [True, False])
def test_affine_is_the_layer(bias: bool) -> None:
    torch.manual_seed(1)
    layer = torch.nn.Linear(6, 4, bias=bias)
    x = torch.randn(5, 3, 6, requires_grad=True)
    inputs = [x, *layer.parameters()]
    ours = torch.autograd.grad(affine(layer, x).square().sum(), inputs)
    theirs = torch.autograd.grad(layer(x).square().sum(), inputs)
    for own, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(own, other)
