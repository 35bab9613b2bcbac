"""The compiled parts of training against plain statements of what they do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.kernels import NO_ACTION, advantages, pack_legal, sample_packed


def test_legal_actions_are_packed_in_order() -> None:
    masks = np.array([[0, 1, 0, 1, 1], [1, 0, 0, 0, 0]], dtype=np.int8)
    legal = np.empty((2, 4), dtype=np.int16)
    assert pack_legal(masks, legal) == 3
    assert legal.tolist() == [[1, 3, 4, NO_ACTION], [0, NO_ACTION, NO_ACTION, NO_ACTION]]


def test_too_few_places_are_told() -> None:
    legal = np.empty((1, 2), dtype=np.int16)
    assert pack_legal(np.ones((1, 5), dtype=np.int8), legal) == 5
    assert legal.tolist() == [[0, 1]]


def test_samples_follow_the_softmax_over_legal_actions() -> None:
    n = 40_000
    logits = np.tile(np.array([[0.0, 1.0, 2.0, 5.0]], dtype=np.float32), (n, 1))
    legal = np.tile(np.array([[1, 2, 3, NO_ACTION]], dtype=np.int16), (n, 1))
    places = np.empty(n, dtype=np.int64)
    log_probabilities = np.empty(n, dtype=np.float32)
    sample_packed(logits, legal, np.arange(1, 5, dtype=np.uint64), places, log_probabilities)
    want = np.exp([0.0, 1.0, 2.0]) / np.exp([0.0, 1.0, 2.0]).sum()
    assert np.bincount(places, minlength=3) / n == pytest.approx(want, abs=0.01)
    np.testing.assert_allclose(np.exp(log_probabilities), want[places], rtol=1e-5)


@st.composite
def histories(draw: st.DrawFn) -> dict[str, np.ndarray]:
    turns = draw(st.integers(1, 8))
    floats = st.floats(-3, 3, width=32)
    return {
        "rewards": np.array(draw(st.lists(floats, min_size=turns, max_size=turns)), np.float32)[:, None],
        "values": np.array(draw(st.lists(floats, min_size=turns, max_size=turns)), np.float32)[:, None],
        "movers": np.array(draw(st.lists(st.integers(0, 1), min_size=turns, max_size=turns)), np.int8)[
            :, None
        ],
        "ended": np.array(draw(st.lists(st.booleans(), min_size=turns, max_size=turns)))[:, None],
        "last_values": np.array([draw(floats)], np.float32),
        "last_movers": np.array([draw(st.integers(0, 1))], np.int8),
    }


def estimate(history: dict[str, np.ndarray], gae_lambda: float, out: np.ndarray) -> None:
    advantages(**history, gae_lambda=gae_lambda, out=out)


@given(histories(), st.floats(0, 1))
def test_advantages_are_sums_of_discounted_errors_of_the_mover(
    history: dict[str, np.ndarray], gae_lambda: float
) -> None:
    out = np.empty_like(history["rewards"])
    estimate(history, gae_lambda, out)
    turns = len(out)
    movers = [*history["movers"][:, 0], history["last_movers"][0]]
    # Everything from player 0's side, where no sign ever changes.
    side = [1.0 if mover == 0 else -1.0 for mover in movers]
    values = [*history["values"][:, 0], history["last_values"][0]]
    for t in range(turns):
        total, weight = 0.0, 1.0
        for k in range(t, turns):
            error = side[k] * (history["rewards"][k, 0] - values[k])
            if not history["ended"][k, 0]:
                error += side[k + 1] * values[k + 1]
            total += weight * error
            weight *= gae_lambda
            if history["ended"][k, 0]:
                break
        assert out[t, 0] == pytest.approx(side[t] * total, abs=1e-3)


@given(histories())
def test_with_lambda_one_the_values_cancel(history: dict[str, np.ndarray]) -> None:
    history["ended"][-1] = True
    out = np.empty_like(history["rewards"])
    estimate(history, 1.0, out)
    first_end = int(np.flatnonzero(history["ended"][:, 0])[0])
    signs = np.where(history["movers"][: first_end + 1, 0] == history["movers"][0, 0], 1.0, -1.0)
    total = float((signs * history["rewards"][: first_end + 1, 0]).sum())
    assert out[0, 0] + history["values"][0, 0] == pytest.approx(total, abs=1e-3)
