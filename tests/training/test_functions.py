"""The operations that training spends its time in: they are what they stand for, gradients too."""

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn

from training.functions import affine, layer_and_pool, log_probabilities


@pytest.mark.parametrize("bias", [True, False])
def test_affine_is_the_layer(bias: bool) -> None:
    torch.manual_seed(1)
    layer = nn.Linear(6, 4, bias=bias)
    x = torch.randn(5, 3, 6, requires_grad=True)
    inputs = [x, *layer.parameters()]
    ours = torch.autograd.grad(affine(layer, x).square().sum(), inputs)
    theirs = torch.autograd.grad(layer(x).square().sum(), inputs)
    torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("residual", [False, True])
def test_layer_and_pool_is_the_layer_and_its_pool(residual: bool) -> None:
    """The plain operations of PyTorch, with equal ones among what they are the maximum of."""
    torch.manual_seed(1)
    layer = nn.Linear(4, 4)
    x = torch.randint(-1, 2, (5, 30, 4)).float().requires_grad_()
    y = torch.randn(30, 4, requires_grad=True)
    inputs = [x, y, *layer.parameters()]
    weights = torch.randn(5, 30, 4), torch.randn(30, 8)

    def plain() -> tuple[Tensor, Tensor]:
        out = torch.relu(layer(x) + y)
        out = x + out if residual else out
        return out, torch.cat([out.mean(dim=0), out.amax(dim=0)], dim=-1)

    ours, theirs = layer_and_pool(layer, x, y, residual=residual), plain()
    assert (theirs[0] == theirs[1][:, 4:]).sum(dim=0).max() > 1  # some share the maximum
    torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(
        torch.autograd.grad(ours, inputs, weights), torch.autograd.grad(theirs, inputs, weights)
    )


def test_gradients_reach_each_of_what_comes_out() -> None:
    """One of the two may go unused."""
    layer = nn.Linear(4, 4)
    x, y = torch.ones(5, 3, 4), torch.ones(3, 4, requires_grad=True)
    for out in layer_and_pool(layer, x, y):
        (gradient,) = torch.autograd.grad(out.sum(), y, retain_graph=True)
        assert gradient.shape == y.shape


def test_a_layer_without_a_bias() -> None:
    layer = nn.Linear(4, 4, bias=False)
    x, y = torch.randn(5, 3, 4), torch.randn(3, 4)
    torch.testing.assert_close(layer_and_pool(layer, x, y)[0], torch.relu(layer(x) + y))


def test_shapes_that_do_not_fit() -> None:
    """Broadcasting is not meant, and memory beyond an array not read."""
    layer, wide, x = nn.Linear(4, 4), nn.Linear(4, 8), torch.ones(5, 3, 4)
    for y in (torch.ones(1, 4), torch.ones(3, 1), torch.ones(3, 8)):
        with pytest.raises(ValueError, match="do not fit, residual=False"):
            layer_and_pool(layer, x, y)
    with pytest.raises(ValueError, match="do not fit, residual=True"):
        layer_and_pool(wide, x, torch.ones(3, 8), residual=True)


def test_second_derivatives_are_refused() -> None:
    layer, x, y = nn.Linear(4, 4), torch.randn(5, 3, 4, requires_grad=True), torch.randn(3, 4)
    out, _ = layer_and_pool(layer, x, y)
    (gradient,) = torch.autograd.grad(out.square().sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        gradient.sum().backward()  # type: ignore[no-untyped-call]


def test_log_probabilities() -> None:
    logits = torch.tensor([[1.0, 2.0, -1e9], [5.0, 5.0, 5.0]])
    logs = log_probabilities(logits)
    torch.testing.assert_close(logs.exp().sum(dim=-1), torch.ones(2))
    torch.testing.assert_close(logs[0, :2], logits[0, :2].log_softmax(dim=-1))
    assert logs[0, 2].item() == -80.0


def test_what_cannot_be_has_no_gradient() -> None:
    logits = torch.tensor([[1.0, 2.0, -1e9]], requires_grad=True)
    logs = log_probabilities(logits)
    (gradient,) = torch.autograd.grad((logs.exp() * logs).sum(), logits)
    assert gradient[0, 2].item() == 0.0
    assert gradient[0, 0].item() != 0.0
