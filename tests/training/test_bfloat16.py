"""Compiled arithmetic on bfloat16, beside PyTorch's own."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training import bfloat16
from training.bfloat16 import halves
from training.functions import layer_and_pool

N, BATCH, WIDTH = 6, 33, 29

Results = tuple[Tensor, ...]

pytestmark = pytest.mark.usefixtures("one_thread")


def numbers(*shape: int, seed: int) -> Tensor:
    """Of all sizes, with many equal ones, so that sums are rounded and maxima are shared."""
    generator = torch.Generator().manual_seed(seed)
    sizes = torch.randint(-3, 4, shape, generator=generator)
    return (torch.randint(-5, 6, shape, generator=generator) * 1.37 * 2.0**sizes).bfloat16()


def of_activate(is_residual: bool) -> tuple[Results, Results]:
    """What comes out and its gradients, compiled; the same by PyTorch in float32, rounded at the end."""
    x, residual = numbers(N, BATCH, WIDTH, seed=1), numbers(N, BATCH, WIDTH, seed=3)
    y = numbers(BATCH, WIDTH, seed=2)
    gradients = numbers(N, BATCH, WIDTH, seed=4), numbers(BATCH, 2 * WIDTH, seed=5)

    out, pooled = x.clone(), torch.empty(BATCH, 2 * WIDTH).bfloat16()
    marks = np.empty(x.shape, np.uint8)
    bfloat16.activate(halves(out), halves(y), halves(residual), is_residual, halves(pooled), marks)
    of_x, of_y, of_residual = torch.empty_like(x), torch.empty_like(y), torch.zeros_like(x)
    of_out, of_pooled = map(halves, gradients)
    bfloat16.write_gradients_of_activate(
        of_out, of_pooled, marks, halves(of_x), halves(of_y), halves(of_residual), is_residual
    )

    wide = [each.float().requires_grad_() for each in (x, y, residual)]
    exact = F.relu(wide[0] + wide[1])
    exact = exact + (wide[2] if is_residual else 0 * wide[2])
    rounded = exact + (exact.bfloat16().float() - exact).detach()
    both = rounded, torch.cat([rounded.mean(dim=0), rounded.amax(dim=0)], dim=-1)
    expected = torch.autograd.grad(both, wide, [each.float() for each in gradients])
    own = (out, pooled, of_x, of_y, of_residual)
    return own, tuple(each.detach().bfloat16() for each in (*both, *expected))


@pytest.mark.parametrize("is_residual", [False, True])
def test_passes_are_as_good_as_float32(is_residual: bool) -> None:
    compiled, expected = of_activate(is_residual)
    for own, other in zip(compiled, expected, strict=True):
        assert (own - other).float().norm() <= 2**-8 * other.float().norm()
    (out, pooled, *_), (other_out, other_pooled, *_) = compiled, expected
    assert torch.equal(out, other_out)
    assert torch.equal(pooled[:, WIDTH:], other_pooled[:, WIDTH:])


@pytest.mark.parametrize("residual", [False, True])
def test_the_same_with_and_without(residual: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within what PyTorch loses, which rounds more often; also of inputs that do not lie in one piece."""
    torch.manual_seed(1)
    layer = nn.Linear(WIDTH, WIDTH)
    x = numbers(BATCH, N, WIDTH, seed=1).transpose(0, 1).requires_grad_()
    y = numbers(WIDTH, BATCH, seed=2).t().requires_grad_()
    gradients = numbers(1, 1, 1, seed=5).expand(N, BATCH, WIDTH), numbers(2 * WIDTH, BATCH, seed=6).t()

    def results() -> Results:
        both = layer_and_pool(layer, x, y, residual=residual)
        return *both, *torch.autograd.grad(both, [x, y, *layer.parameters()], gradients)

    compiled = results()
    monkeypatch.setattr(bfloat16, "is_served", lambda x: False)
    for own, other in zip(compiled, results(), strict=True):
        assert own.dtype == other.dtype
        assert own.shape == other.shape
        assert (own - other).float().norm() < 0.02 * other.float().norm()


def test_without_gradients_nothing_is_kept_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    marks: list[int] = []
    activate = bfloat16.activate

    def watched(*arguments: Any) -> None:
        activate(*arguments)
        marks.append(arguments[-1].size)

    monkeypatch.setattr(bfloat16, "activate", watched)
    layer, x, y = nn.Linear(WIDTH, WIDTH), numbers(N, BATCH, WIDTH, seed=1), numbers(BATCH, WIDTH, seed=2)
    expected = layer_and_pool(layer, x, y)
    with torch.no_grad():
        for own, other in zip(layer_and_pool(layer, x, y), expected, strict=True):
            assert torch.equal(own, other)
    assert marks == [N * BATCH * WIDTH, 0]


def test_what_is_served() -> None:
    x = torch.zeros(2, dtype=torch.bfloat16)
    assert bfloat16.is_served(x)
    assert not bfloat16.is_served(x.float())
    assert not bfloat16.is_served(x.to("meta"))
    torch.set_num_threads(2)  # PyTorch's own operations run on both
    assert not bfloat16.is_served(x)


def test_every_number_is_widened_and_narrowed_to_itself() -> None:
    every = torch.arange(2**16, dtype=torch.int32).to(torch.uint16)
    wide = every.view(torch.bfloat16).float().numpy()
    narrow = np.array([bfloat16.narrow(number) for number in wide], dtype=np.uint16)
    is_number = ~np.isnan(wide)
    assert (narrow[is_number] == every.numpy()[is_number]).all()
    assert [float(bfloat16.widen(half)) for half in narrow[::997]] == pytest.approx(wide[::997], nan_ok=True)


def test_numbers_between_are_rounded_as_pytorch_rounds() -> None:
    bits = np.random.default_rng(1).integers(0, 0x7F800000, 5000, dtype=np.uint32)
    bits[:1000] = bits[:1000] & 0xFFFF0000 | 0x8000  # half-way
    wide = bits.view(np.float32)
    expected = torch.from_numpy(wide).bfloat16().view(torch.uint16).numpy()
    assert [bfloat16.narrow(number) for number in wide] == expected.tolist()


def test_what_is_no_number_stays_none() -> None:
    for bits in (0x7FC00000, 0xFFC00000, 0x7FFFFFFF, 0xFFFFFFFF, 0x7F800001):
        number = np.array([bits], np.uint32).view(np.float32)[0]
        assert np.isnan(bfloat16.widen(bfloat16.narrow_any(number)))
    assert bfloat16.narrow_any(np.float32(1.5)) == bfloat16.narrow(np.float32(1.5))


def test_other_types_are_refused() -> None:
    with pytest.raises(TypeError, match="float32; compiled passes are for"):
        halves(torch.zeros(2))


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
@pytest.mark.parametrize("i", [0, N - 1])
def test_what_is_no_number_or_beyond_all_is_not_hidden(number: float, i: int) -> None:
    x = numbers(N, BATCH, WIDTH, seed=1)
    x[i, 3, 4] = number
    y, pooled = numbers(BATCH, WIDTH, seed=2), torch.empty(BATCH, 2 * WIDTH).bfloat16()
    marks = np.empty(x.shape, np.uint8)
    bfloat16.activate(halves(x), halves(y), halves(x[:0]), False, halves(pooled), marks)
    assert str(x[i, 3, 4].item()) == str(number)
    assert str(pooled[3, 4].item()) == str(number)
    assert str(pooled[3, WIDTH + 4].item()) == str(number)
    assert marks[i, 3, 4] == bfloat16.ACTIVE | bfloat16.HIGHEST  # so its gradient goes on


def test_nothing_comes_of_nothing() -> None:
    layer = nn.Linear(WIDTH, WIDTH)
    out, pooled = layer_and_pool(layer, numbers(N, 0, WIDTH, seed=1), numbers(0, WIDTH, seed=2))
    assert out.shape == (N, 0, WIDTH)
    assert pooled.shape == (0, 2 * WIDTH)
