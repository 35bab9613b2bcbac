"""Advantage estimates against a plain statement of what they are, by compiled code and by PyTorch."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch")

import torch

from training.advantages import History, advantages, advantages_in_pytorch

either = pytest.mark.parametrize("function", [advantages, advantages_in_pytorch])


@st.composite
def histories(draw: st.DrawFn) -> History:
    turns, games = draw(st.integers(1, 8)), draw(st.integers(1, 3))

    def table(elements: st.SearchStrategy[object], rows: int, dtype: torch.dtype) -> torch.Tensor:
        flat = draw(st.lists(elements, min_size=rows * games, max_size=rows * games))
        return torch.tensor(flat, dtype=dtype).reshape(rows, games)

    floats, players = st.floats(-3, 3, width=32), st.integers(0, 1)
    return History(
        rewards=table(floats, turns, torch.float32),
        values=table(floats, turns, torch.float32),
        movers=table(players, turns, torch.int8),
        ended=table(st.booleans(), turns, torch.bool),
        last_values=table(floats, 1, torch.float32)[0],
        last_movers=table(players, 1, torch.int8)[0],
    )


@either
@given(history=histories(), gae_lambda=st.floats(0, 1))
def test_advantages_are_sums_of_discounted_errors_of_the_mover(
    function: Callable[..., torch.Tensor], history: History, gae_lambda: float
) -> None:
    out = function(history, gae_lambda)
    assert out.dtype == torch.float32
    turns, games = out.shape
    rewards, ended = history.rewards.tolist(), history.ended.tolist()
    movers = [*history.movers.tolist(), history.last_movers.tolist()]
    every_value = [*history.values.tolist(), history.last_values.tolist()]
    for game in range(games):
        # Everything from player 0's side, where no sign ever changes.
        side = [1.0 if row[game] == 0 else -1.0 for row in movers]
        values = [row[game] for row in every_value]
        for t in range(turns):
            total, weight = 0.0, 1.0
            for k in range(t, turns):
                error = side[k] * (rewards[k][game] - values[k])
                if not ended[k][game]:
                    error += side[k + 1] * values[k + 1]
                total += weight * error
                weight *= gae_lambda
                if ended[k][game]:
                    break
            assert float(out[t, game]) == pytest.approx(side[t] * total, abs=1e-3)


@either
@given(history=histories())
def test_with_lambda_one_the_values_cancel(function: Callable[..., torch.Tensor], history: History) -> None:
    history.ended[-1] = True
    out = function(history, 1.0)
    for game, ended in enumerate(history.ended.T):
        turns = slice(0, int(np.flatnonzero(ended)[0]) + 1)
        signs = torch.where(history.movers[turns, game] == history.movers[0, game], 1.0, -1.0)
        total = float((signs * history.rewards[turns, game]).sum())
        assert float(out[0, game] + history.values[0, game]) == pytest.approx(total, abs=1e-3)


@given(history=histories(), gae_lambda=st.floats(0, 1))
def test_both_are_the_same(history: History, gae_lambda: float) -> None:
    compiled, in_pytorch = (function(history, gae_lambda) for function in (advantages, advantages_in_pytorch))
    assert torch.equal(compiled, in_pytorch)
