"""Equilibria of the miniatures, to a precision that is measured."""

import numpy as np
import pytest

from lostcities_env.evaluation.best_response import best_response, expected_margin
from lostcities_env.evaluation.equilibrium import solve
from lostcities_env.evaluation.game_tree import GameTree

VALUES = {"mini1": 2.0, "mini2": 0.0, "mini3": 0.0}
"""Of the games, to seat 0; docs/evaluation.md says them."""


@pytest.mark.parametrize("name", VALUES)
def test_the_value_of_the_game(name: str) -> None:
    tree = GameTree(name)
    precision = 1e-4
    found = solve(tree, precision=precision)
    assert found.low <= VALUES[name] <= found.high
    assert found.exploitability <= precision
    assert found.value == pytest.approx(VALUES[name], abs=precision)
    assert found.high == best_response(tree, found.profile, 0)[0]
    assert found.low == -best_response(tree, found.profile, 1)[0]
    assert found.low <= expected_margin(tree, found.profile) <= found.high


def test_it_stops_at_the_last_iteration_and_says_how_far_it_came() -> None:
    tree = GameTree("mini1")
    shares: list[float] = []
    found = solve(tree, precision=1e-12, max_iterations=60, progress=shares.append)
    assert found.iterations == 60
    assert found.exploitability > 1e-12
    assert shares[0] == 0
    assert max(shares) < 1
    again = solve(tree, precision=1e-12, max_iterations=60)
    assert (again.profile == found.profile).all()
    assert np.isfinite(found.profile).all()


@pytest.mark.parametrize(("precision", "iterations"), [(0.0, 1), (float("nan"), 1), (1.0, 0)])
def test_wrong_arguments(precision: float, iterations: int) -> None:
    with pytest.raises(ValueError, match="must be above 0 and max_iterations="):
        solve(GameTree("mini1"), precision=precision, max_iterations=iterations)
