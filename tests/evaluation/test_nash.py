"""Nash averaging: the examples of its authors, and what makes an equilibrium one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lostcities_env.evaluation.nash import nash_average

CYCLE = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    """Small whole numbers, so that ties and many equilibria are common."""
    n = draw(st.integers(1, 6))
    numbers = draw(st.lists(st.integers(-3, 3), min_size=n * n, max_size=n * n))
    upper = np.triu(np.array(numbers, dtype=float).reshape(n, n), 1)
    return upper - upper.T


def entropy(mass: np.ndarray) -> float:
    used = mass[mass > 0]
    return float(-(used * np.log(used)).sum())


def test_a_cycle_has_a_third_each() -> None:
    average = nash_average(CYCLE)
    assert average.mass == pytest.approx([1 / 3] * 3)
    assert average.skill == pytest.approx([0] * 3)


def test_a_lopsided_cycle_favours_whoever_the_big_loss_depends_on() -> None:
    table = np.array([[0.0, 3.0, -1.0], [-3.0, 0.0, 2.0], [1.0, -2.0, 0.0]])
    assert nash_average(table).mass == pytest.approx([2 / 6, 1 / 6, 3 / 6])


def test_a_copy_shares_the_mass_and_changes_nothing_else() -> None:
    copied = CYCLE[np.ix_([0, 0, 1, 2], [0, 0, 1, 2])]
    assert nash_average(copied).mass == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 3], abs=1e-6)


def test_an_agent_that_loses_to_all_has_no_mass() -> None:
    table = np.zeros((4, 4))
    table[:3, :3] = CYCLE
    table[3, :3], table[:3, 3] = -2, 2
    average = nash_average(table)
    assert average.mass == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])
    assert average.skill == pytest.approx([0, 0, 0, -2])


def test_an_agent_that_beats_all_has_all_the_mass() -> None:
    average = nash_average(np.array([[0.0, 7.0, 9.0], [-7.0, 0.0, 30.0], [-9.0, -30.0, 0.0]]))
    assert average.mass.tolist() == [1, 0, 0]
    assert average.skill.tolist() == [0, -7, -9]


def test_level_agents_share_alike() -> None:
    assert nash_average(np.zeros((5, 5))).mass == pytest.approx([0.2] * 5)


@given(tables())
def test_no_agent_beats_the_mixture(table: np.ndarray) -> None:
    average = nash_average(table)
    assert average.mass.sum() == pytest.approx(1)
    assert (average.mass >= 0).all()
    assert average.skill == pytest.approx(table @ average.mass, abs=1e-4)
    assert average.skill.max() == pytest.approx(0, abs=1e-4)
    assert average.skill[average.mass > 0] == pytest.approx(0, abs=1e-4)


@given(tables(), st.floats(0.01, 100))
def test_the_unit_does_not_matter(table: np.ndarray, unit: float) -> None:
    assert nash_average(unit * table).mass == pytest.approx(nash_average(table).mass, abs=1e-3)


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_the_agents_does_not_matter(table: np.ndarray, random: object) -> None:
    order = list(range(len(table)))
    random.shuffle(order)  # type: ignore[attr-defined]
    mass = nash_average(table[np.ix_(order, order)]).mass
    assert mass == pytest.approx(nash_average(table).mass[order], abs=1e-3)


def test_of_several_equilibria_it_is_the_one_of_the_greatest_entropy() -> None:
    # Two agents are level and beat the third: any mixture of them is an equilibrium.
    table = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [-1.0, -2.0, 0.0]])
    average = nash_average(table)
    assert average.mass == pytest.approx([0.5, 0.5, 0])
    assert entropy(average.mass) == pytest.approx(np.log(2))
