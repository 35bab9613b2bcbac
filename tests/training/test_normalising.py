"""Advantages: mean 0 and variance 1, over all turns or phase by phase."""

import math
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from training.normalising import PRIOR_TURNS, normalise
from training.processes import Processes
from training.rollout import Samples

DECK = 3


def rollout(advantages: np.ndarray, decks: np.ndarray, weights: np.ndarray) -> Samples:
    nothing = torch.zeros(len(advantages))
    return Samples(
        colours=nothing,
        globals_=nothing,
        privileged=nothing,
        legal=nothing,
        places=nothing,
        log_probabilities=nothing,
        advantages=torch.from_numpy(advantages.astype(np.float32)),
        returns=nothing,
        decks=torch.from_numpy(decks),
        weights=torch.from_numpy(weights.astype(np.float32)),
    )


def some_turns(n: int) -> Samples:
    """Turns that are the noisier, the more cards there are in the deck; a fifth are an opponent's."""
    rng = np.random.default_rng(1)
    decks = rng.integers(0, DECK + 1, n)
    advantages = 5.0 + (3.0 + decks) * rng.standard_normal(n)
    weights = (rng.random(n) < 0.8).astype(np.float64)
    advantages[weights == 0] += 1000.0
    return rollout(advantages, decks, weights)


def test_the_learners_turns_have_mean_0_and_variance_1() -> None:
    first, second = some_turns(4000), some_turns(3000)
    own = [part.advantages[part.weights == 1] for part in (first, second)]
    with Processes("cpu") as processes:
        deviation = normalise([first, second], processes, DECK, by_phase=False)
    assert deviation == pytest.approx(float(torch.cat(own).std(correction=0)), rel=1e-5)
    scaled = torch.cat([part.advantages[part.weights == 1] for part in (first, second)])
    assert float(scaled.mean()) == pytest.approx(0.0, abs=1e-5)
    assert float(scaled.std(correction=0)) == pytest.approx(1.0, rel=1e-5)


def test_so_does_each_phase_if_it_has_many_turns() -> None:
    turns = some_turns(400 * PRIOR_TURNS)
    with Processes("cpu") as processes:
        normalise([turns], processes, DECK, by_phase=True)
    for deck in range(DECK + 1):
        phase = turns.advantages[(turns.weights == 1) & (turns.decks == deck)]
        assert float(phase.mean()) == pytest.approx(0.0, abs=0.02)
        assert float(phase.std()) == pytest.approx(1.0, abs=0.02)


def test_advantages_that_are_all_alike_become_0() -> None:
    turns = replace(some_turns(100), advantages=torch.full((100,), 7.0))
    with Processes("cpu") as processes:
        assert normalise([turns], processes, DECK, by_phase=False) == 0.0
    assert (turns.advantages == 0.0).all()


def test_mean_and_variance_of_one_process() -> None:
    with Processes("cpu") as processes:
        assert processes.mean([1.0, 2.0, 6.0]) == 3.0
        assert math.isnan(processes.mean([]))
        assert processes.variance(torch.tensor([1.0, 2.0, 6.0])) == pytest.approx(14 / 3)
