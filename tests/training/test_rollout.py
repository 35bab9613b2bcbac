"""What is kept of a rollout, and samples of it."""

import pytest

pytest.importorskip("torch")

import torch

from training.kernels import NO_ACTION
from training.rollout import Rollout


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
    samples = rollout(magnet=magnet).select(torch.tensor([6, 2, 6]))
    for name in ("places", "log_probabilities", "advantages", "returns", "decks", "weights"):
        assert getattr(samples, name).tolist() == [6, 2, 6], name
    assert samples.colours[:, 4, 2].tolist() == samples.globals_[:, 1].tolist() == [6, 2, 6]
    assert samples.privileged.shape == (3, 5, 0)
    assert samples.legal[1].tolist() == [0, 1, 2, *[NO_ACTION] * 4]
    assert (samples.magnet is not None) == magnet


def test_samples_have_no_more_places_than_they_take() -> None:
    samples = rollout(magnet=True).select(torch.tensor([1, 3]))
    assert samples.legal.shape == (2, 4)
    assert samples.magnet is not None
    assert samples.magnet.shape == (2, 4)
