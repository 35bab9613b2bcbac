"""What is kept of a rollout, and samples of it."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from training.legal import NO_ACTION
from training.rollout import Rollout, minibatches


def rollout(*, magnet: bool) -> Rollout:
    """Ten samples, number k with k + 1 legal actions, and every figure of it k."""
    numbers = torch.arange(10)
    places = torch.arange(12)
    legal = torch.where(places <= numbers[:, None], places, NO_ACTION).short()
    return Rollout(
        colours=numbers[:, None, None].expand(10, 5, 3).bfloat16(),
        globals_=numbers[:, None].expand(10, 2).bfloat16(),
        privileged=torch.zeros(10, 5, 0),
        legal=legal,
        counts=np.arange(1, 11),
        places=numbers,
        log_probabilities=numbers.float(),
        advantages=numbers.float(),
        returns=numbers.float(),
        decks=numbers,
        weights=numbers.float(),
        magnet=numbers[:, None].expand(10, 12).float() if magnet else None,
    )


@pytest.mark.parametrize("magnet", [False, True])
def test_samples_are_those_of_the_index(magnet: bool) -> None:
    samples = rollout(magnet=magnet).select(torch.tensor([6, 2, 6]), 7)
    for name in ("places", "log_probabilities", "advantages", "returns", "decks", "weights"):
        assert getattr(samples, name).tolist() == [6, 2, 6], name
    assert samples.colours[:, 4, 2].tolist() == samples.globals_[:, 1].tolist() == [6, 2, 6]
    assert samples.privileged.shape == (3, 5, 0)
    assert samples.legal[1].tolist() == [0, 1, 2, *[NO_ACTION] * 4]
    assert (samples.magnet is not None) == magnet


def test_samples_have_no_more_places_than_they_take() -> None:
    samples = rollout(magnet=True).select(torch.tensor([1, 3]), 4)
    assert samples.legal.shape == (2, 4)
    assert samples.magnet is not None
    assert samples.magnet.shape == (2, 4)


def test_minibatches_are_every_sample_once_in_the_places_that_they_take() -> None:
    whole = rollout(magnet=False)
    generators = [np.random.default_rng(seed) for seed in (1, 2)]
    steps = minibatches(generators, [whole, whole], 5)
    assert len(steps) == 2
    orders = []
    for parts in zip(*steps, strict=True):
        assert all(part[0] is whole for part in parts)
        seen = [rollout_.select(index, width) for rollout_, index, width in parts]
        orders.append([number for samples in seen for number in samples.places.tolist()])
        for samples in seen:
            assert samples.legal.shape[1] == max(samples.places.tolist()) + 1
    assert sorted(orders[0]) == sorted(orders[1]) == list(range(10))
    assert orders[0] != orders[1]


def test_samples_that_fill_no_minibatch_are_left_out() -> None:
    steps = minibatches([np.random.default_rng(1)], [rollout(magnet=False)], 4)
    assert [len(index) for [(_, index, _)] in steps] == [4, 4]
