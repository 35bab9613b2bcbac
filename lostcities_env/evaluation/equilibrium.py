"""A profile that no reply gains much against: counterfactual regret minimisation on the tree of a game.

CFR+ (Tammelin, 2014: regrets never below 0, players in turn, later profiles weigh more) with predictions
(Farina, Kroer and Sandholm, 2021: the regrets of the last pass are expected to come again).

How far its profile is from an equilibrium is not taken from a bound but measured, by the best replies to
it; they hold the value of the game between them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log

import numpy as np

from lostcities_env.evaluation.best_response import best_response, counterfactual_values, uniform_profile
from lostcities_env.evaluation.game_tree import NONE, GameTree
from lostcities_env.rules.compiled import kernel

FIRST_LOOK = 16
"""Iterations before its distance from an equilibrium is measured; again after a quarter more each time."""


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """What `solve` found.

    Attributes:
        profile: float64 (n_slots,), see `GameTree`.
        iterations: passes for each player.
        low, high: the value of the game lies between them: the margin, in points, of seat 0, who begins,
            when both play as well as can be.
    """

    profile: np.ndarray
    iterations: int
    low: float
    high: float

    @property
    def value(self) -> float:
        """The middle of what the value of the game may be."""
        return (self.low + self.high) / 2

    @property
    def exploitability(self) -> float:
        """Of the profile, in points; half the distance of `low` and `high`."""
        return (self.high - self.low) / 2


def solve(
    tree: GameTree,
    *,
    precision: float = 1e-3,
    max_iterations: int = 100_000,
    progress: Callable[[float], None] | None = None,
) -> Equilibrium:
    """Approaches an equilibrium.

    Args:
        tree: of the game.
        precision: stops at this exploitability, in points: the value is then known to plus or minus that.
        max_iterations: stops then at the latest.
        progress: called now and then with the share of the work that is done, roughly.

    Raises:
        ValueError: if `precision` is not above 0, or there are no iterations.
    """
    if not precision > 0 or max_iterations < 1:
        raise ValueError(
            f"precision={precision} must be above 0 and max_iterations={max_iterations} at least 1"
        )
    profile = uniform_profile(tree)
    regrets, total = np.zeros(tree.n_slots), np.zeros(tree.n_slots)
    iteration, look, first = 0, FIRST_LOOK, 0.0
    while True:
        iteration += 1
        for player in range(2):
            values = counterfactual_values(tree, profile, player, False)[1]
            weight = float(iteration) ** 2
            _learn(
                tree.first_slots,
                tree.state_levels,
                tree.previous_slots,
                tree.slot_states,
                player,
                weight,
                values,
                regrets,
                total,
                profile,
            )
        if iteration < min(look, max_iterations):
            continue
        found = _measured(tree, total, iteration)
        if found.exploitability <= precision or iteration == max_iterations:
            return found
        first = first or found.exploitability
        look += look // 4
        if progress is not None:
            progress(log(first / found.exploitability) / log(first / precision))


def _measured(tree: GameTree, total: np.ndarray, iterations: int) -> Equilibrium:
    """The average profile, from the sum of those played, and how good it is."""
    sums = np.add.reduceat(total, tree.first_slots[:-1])[tree.slot_states]
    profile = np.where(sums > 0, total / np.where(sums > 0, sums, 1.0), uniform_profile(tree))
    high, low = best_response(tree, profile, 0)[0], -best_response(tree, profile, 1)[0]
    return Equilibrium(profile, iterations, low, high)


@kernel
def _learn(
    first_slots: np.ndarray,
    state_levels: np.ndarray,
    previous_slots: np.ndarray,
    slot_states: np.ndarray,
    player: int,
    weight: float,
    values: np.ndarray,
    regrets: np.ndarray,
    total: np.ndarray,
    profile: np.ndarray,
) -> None:
    """One player's step: adds the profile to `total`, learns from `values`, and sets what to play next."""
    reach = np.ones(previous_slots.shape[0])  # how likely the player's own choices lead there
    for level in range(player, state_levels.shape[0] - 1, 2):
        for state in range(state_levels[level], state_levels[level + 1]):
            previous = previous_slots[state]
            if previous != NONE:
                reach[state] = reach[slot_states[previous]] * profile[previous]
            for slot in range(first_slots[state], first_slots[state + 1]):
                total[slot] += weight * reach[state] * profile[slot]
    for level in range(player, state_levels.shape[0] - 1, 2):
        for state in range(state_levels[level], state_levels[level + 1]):
            _match_regrets(first_slots[state], first_slots[state + 1], values, regrets, profile)


@kernel
def _match_regrets(
    first: int, end: int, values: np.ndarray, regrets: np.ndarray, profile: np.ndarray
) -> None:
    """Regret matching at one information state, as if the regrets of this pass came once more."""
    value = 0.0
    for slot in range(first, end):
        value += profile[slot] * values[slot]
    expected = 0.0
    for slot in range(first, end):
        regret = values[slot] - value
        regrets[slot] = max(regrets[slot] + regret, 0.0)
        profile[slot] = max(regrets[slot] + regret, 0.0)
        expected += profile[slot]
    for slot in range(first, end):
        profile[slot] = profile[slot] / expected if expected > 0.0 else 1.0 / (end - first)
