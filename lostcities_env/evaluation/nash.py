"""Nash averaging: agents weighed by how the best mixture of them would use them.

A table of what every agent scores against every other is a game for two: each names an agent, and the table
says who gets how much. In the equilibrium of that game, agents that another beats or that add nothing have
mass 0, and a copy of an agent changes no one's standing but shares its mass. If several equilibria exist,
the one of the greatest entropy counts, which is unique.

Source: Balduzzi, Tuyls, Perolat and Graepel, *Re-evaluating evaluation* (2018).
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog, minimize

TOLERANCE = 1e-6
"""Masses, and payoffs relative to the largest of the table, that count as 0."""
_SMALLEST = 1e-12


@dataclass(frozen=True)
class NashAverage:
    """The equilibrium of the greatest entropy.

    Attributes:
        mass: float64 (n,), the share of each agent in the mixture; adds up to 1.
        skill: float64 (n,), what each agent scores against the mixture: 0 for those in it, less or 0 for
            the others.
    """

    mass: np.ndarray
    skill: np.ndarray


def nash_average(payoffs: np.ndarray) -> NashAverage:
    """Nash averaging over a table.

    Args:
        payoffs: float64 (n, n), what the row scores against the column; antisymmetric: margins, or win
            rates less one half.

    >>> nash_average(np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])).mass.round(3)
    array([0.333, 0.333, 0.333])
    """
    largest = np.abs(payoffs).max()
    scaled = payoffs / largest if largest > 0 else payoffs
    mass = _equilibrium(scaled, np.zeros(len(payoffs)))
    if not _is_only(scaled, mass):
        mass = _most_entropy(scaled)
    mass = np.where(mass > TOLERANCE, mass, 0.0)
    mass = mass / mass.sum()
    skill = payoffs @ mass
    skill[np.abs(skill) <= TOLERANCE * largest] = 0.0
    return NashAverage(mass, skill)


def _equilibrium(payoffs: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """The mixture of least cost against which no agent scores more than 0."""
    n = len(payoffs)
    found = linprog(costs, A_ub=payoffs, b_ub=np.zeros(n), A_eq=np.ones((1, n)), b_eq=[1.0], bounds=(0, 1))
    return np.clip(found.x, 0.0, 1.0)


def _is_only(payoffs: np.ndarray, mass: np.ndarray) -> bool:
    """Whether no other equilibrium exists.

    Any other would, mixed with this one, put its mass on agents that score 0 here.
    """
    level = payoffs @ mass > -TOLERANCE
    if not np.array_equal(level, mass > TOLERANCE):
        return False
    system = np.vstack([payoffs[np.ix_(level, level)], np.ones(level.sum())])
    return bool(np.linalg.matrix_rank(system, tol=TOLERANCE) == level.sum())


def _most_entropy(payoffs: np.ndarray) -> np.ndarray:
    n = len(payoffs)
    # An agent has mass in the solution if it has mass in any equilibrium; the mean of one for each agent
    # is therefore an equilibrium with all of that support, from which the entropy can be climbed.
    start = np.mean([_equilibrium(payoffs, -row) for row in np.eye(n)], axis=0)
    used = np.flatnonzero(start > TOLERANCE)
    inner = payoffs[:, used]
    found = minimize(
        lambda p: float((p * np.log(np.maximum(p, _SMALLEST))).sum()),
        start[used],
        jac=lambda p: np.log(np.maximum(p, _SMALLEST)) + 1,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * len(used),
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1, "jac": lambda p: np.ones_like(p)},
            {"type": "ineq", "fun": lambda p: -inner @ p, "jac": lambda p: -inner},
        ],
        options={"ftol": 1e-12, "maxiter": 500},
    )
    mass = np.zeros(n)
    mass[used] = found.x if found.success else start[used]
    return mass
