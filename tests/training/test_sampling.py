"""Actions drawn from a policy, by compiled code and by PyTorch."""

from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from training.legal import NO_ACTION
from training.sampling import draw_units, sample, sample_in_pytorch

N = 40_000

either = pytest.mark.parametrize("draw", [sample, sample_in_pytorch])


def units() -> np.ndarray:
    numbers = np.empty(N)
    draw_units(np.arange(1, 5, dtype=np.uint64), numbers)
    return numbers


def drawn(
    draw: Callable[..., None], logits: torch.Tensor, legal: torch.Tensor, numbers: np.ndarray
) -> tuple[torch.Tensor, torch.Tensor]:
    places = torch.full((len(logits),), -7)
    log_probabilities = torch.full((len(logits),), torch.nan)
    draw(logits, legal, numbers, places, log_probabilities)
    return places, log_probabilities


def test_units_are_uniform_and_the_generator_goes_on() -> None:
    words = np.arange(1, 5, dtype=np.uint64)
    numbers = np.empty(N)
    draw_units(words, numbers)
    assert numbers.min() >= 0.0
    assert numbers.max() < 1.0
    assert np.histogram(numbers, bins=4, range=(0.0, 1.0))[0] / N == pytest.approx(0.25, abs=0.01)
    first = numbers.copy()
    draw_units(words, numbers)
    assert not np.intersect1d(first, numbers).size


@either
def test_samples_follow_the_softmax_over_legal_actions(draw: Callable[..., None]) -> None:
    logits = torch.tensor([0.0, 1.0, 2.0, 5.0]).repeat(N, 1)
    legal = torch.tensor([1, 2, 3, NO_ACTION], dtype=torch.int16).repeat(N, 1)
    places, log_probabilities = drawn(draw, logits, legal, units())
    want = torch.tensor([0.0, 1.0, 2.0]).softmax(dim=0)
    torch.testing.assert_close(torch.bincount(places, minlength=3) / N, want, rtol=0, atol=0.01)
    torch.testing.assert_close(log_probabilities, want.log()[places])


@either
def test_the_last_number_draws_the_last_legal_action(draw: Callable[..., None]) -> None:
    logits = torch.zeros(2, 7)
    legal = torch.tensor([[4] * 7, [4, 4, 4, *[NO_ACTION] * 4]], dtype=torch.int16)
    places, _ = drawn(draw, logits, legal, np.array([np.nextafter(1.0, 0.0)] * 2))
    assert places.tolist() == [6, 2]


@either
def test_a_number_between_two_actions_draws_the_later(draw: Callable[..., None]) -> None:
    legal = torch.tensor([[5, 6, 7, 8]], dtype=torch.int16).repeat(4, 1)
    places, _ = drawn(draw, torch.zeros(4, 4), legal, np.array([0.0, 0.25, 0.5, 0.75]))
    assert places.tolist() == [0, 1, 2, 3]


@either
def test_large_logits(draw: Callable[..., None]) -> None:
    legal = torch.tensor([[5, 6]], dtype=torch.int16)
    for far in (-1000.0, 1000.0):
        logits = torch.tensor([[far, far]])
        places, log_probabilities = drawn(draw, logits, legal, np.array([0.6]))
        assert places.tolist() == [1]
        torch.testing.assert_close(log_probabilities, torch.tensor([0.5]).log())


def test_both_draw_the_same() -> None:
    generator = torch.Generator().manual_seed(1)
    logits = 5 * torch.randn(N, 90, generator=generator)
    counts = torch.randint(1, 91, (N, 1), generator=generator)
    legal = torch.where(torch.arange(90) < counts, 3, NO_ACTION).short()
    compiled, in_pytorch = (drawn(draw, logits, legal, units()) for draw in (sample, sample_in_pytorch))
    assert torch.equal(compiled[0], in_pytorch[0])
    torch.testing.assert_close(compiled[1], in_pytorch[1], rtol=1e-6, atol=1e-7)
    assert (compiled[0] < counts[:, 0]).all()
