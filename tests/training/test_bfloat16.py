"""Compiled arithmetic on bfloat16: bit by bit what PyTorch's own operations give."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from training import bfloat16
from training.functions import activate, mean_and_max

N, BATCH, WIDTH = 6, 33, 29

Results = tuple[Tensor, ...]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def numbers(*shape: int, seed: int) -> Tensor:
    """Of all sizes, with many equal ones, so that sums are rounded and maxima are shared."""
    generator = torch.Generator().manual_seed(seed)
    sizes = torch.randint(-3, 4, shape, generator=generator)
    return (torch.randint(-5, 6, shape, generator=generator) * 1.37 * 2.0**sizes).bfloat16()


def of_activate(residual: bool) -> Results:
    inputs = [numbers(N, BATCH, WIDTH, seed=1), numbers(BATCH, WIDTH, seed=2)]
    if residual:
        inputs.append(numbers(N, BATCH, WIDTH, seed=3))
    inputs = [each.requires_grad_() for each in inputs]
    out = activate(*inputs)
    return out, *torch.autograd.grad(out, inputs, numbers(N, BATCH, WIDTH, seed=4))


def of_mean_and_max() -> Results:
    x = numbers(N, BATCH, WIDTH, seed=1).requires_grad_()
    pooled = mean_and_max(x)
    return pooled, *torch.autograd.grad(pooled, x, numbers(BATCH, 2 * WIDTH, seed=2))


def of_a_view() -> Results:
    """Inputs and a gradient that do not lie in one piece."""
    x = numbers(BATCH, N, WIDTH, seed=1).transpose(0, 1).requires_grad_()
    y = numbers(WIDTH, BATCH, seed=2).t().requires_grad_()
    out = activate(x, y)
    pooled = mean_and_max(x)
    gradient = numbers(1, 1, 1, seed=5).expand(N, BATCH, WIDTH)
    return out, pooled, *torch.autograd.grad([out, pooled], [x, y], [gradient, pooled.detach()])


@pytest.mark.parametrize(
    "results",
    [
        pytest.param(lambda: of_activate(residual=False), id="activate"),
        pytest.param(lambda: of_activate(residual=True), id="activate-residual"),
        pytest.param(of_mean_and_max, id="mean_and_max"),
        pytest.param(of_a_view, id="views"),
    ],
)
def test_the_same_bits_as_without(results: Callable[[], Results], monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = results()
    monkeypatch.setattr(bfloat16, "is_served", lambda x: False)
    for own, other in zip(compiled, results(), strict=True):
        assert own.dtype == other.dtype == torch.bfloat16
        assert own.shape == other.shape
        assert torch.equal(own.view(torch.uint16), other.view(torch.uint16))


def test_what_is_served() -> None:
    x = torch.zeros(2, dtype=torch.bfloat16)
    assert bfloat16.is_served(x)
    assert not bfloat16.is_served(x.float())
    assert not bfloat16.is_served(x.to("meta"))
    torch.set_num_threads(2)  # PyTorch's own operations run on both
    assert not bfloat16.is_served(x)


def test_every_number_is_widened_and_narrowed_to_itself() -> None:
    halves = torch.arange(2**16, dtype=torch.int32).to(torch.uint16)
    wide = halves.view(torch.bfloat16).float().numpy()
    narrow = np.array([bfloat16.narrow(number) for number in wide], dtype=np.uint16)
    is_number = ~np.isnan(wide)
    assert (narrow[is_number] == halves.numpy()[is_number]).all()
    assert [float(bfloat16.widen(half)) for half in narrow[::997]] == pytest.approx(wide[::997], nan_ok=True)


def test_numbers_between_are_rounded_as_pytorch_rounds() -> None:
    bits = np.random.default_rng(1).integers(0, 0x7F800000, 5000, dtype=np.uint32)
    bits[:1000] = bits[:1000] & 0xFFFF0000 | 0x8000  # half-way
    wide = bits.view(np.float32)
    expected = torch.from_numpy(wide).bfloat16().view(torch.uint16).numpy()
    assert [bfloat16.narrow(number) for number in wide] == expected.tolist()


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_is_no_number_or_beyond_all_is_not_hidden(number: float) -> None:
    x = numbers(N, BATCH, WIDTH, seed=1)
    x[2, 3, 4] = number
    y = numbers(BATCH, WIDTH, seed=2)
    assert str(activate(x, y)[2, 3, 4].item()) == str(number)
    assert str(mean_and_max(x)[3, 4].item()) == str(number)
    assert str(mean_and_max(x)[3, WIDTH + 4].item()) == str(number)


def test_gradients_of_what_is_no_number_are_not_hidden() -> None:
    x = numbers(N, BATCH, WIDTH, seed=1)
    x[2, 3, 4] = float("nan")
    y = numbers(BATCH, WIDTH, seed=2)
    loss = (activate(x.requires_grad_(), y) ** 2).sum() + (mean_and_max(x) ** 2).sum()
    (gradient,) = torch.autograd.grad(loss, x)
    assert gradient[:, 3, 4].isnan().all()
    assert gradient.isnan().sum() == N


def test_nothing_comes_of_nothing() -> None:
    assert activate(numbers(N, 0, WIDTH, seed=1), numbers(0, WIDTH, seed=2)).shape == (N, 0, WIDTH)
    assert mean_and_max(numbers(N, 0, WIDTH, seed=1)).shape == (0, 2 * WIDTH)
