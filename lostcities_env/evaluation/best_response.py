"""What a profile is worth, and the best replies to it: exact, by passes over a tree of the game.

One pass goes down the tree for how likely chance and the opponent lead to each node, and one goes up for what
that is worth. On the way up, all nodes of an information state lie on one level, so what each of its actions
is worth is known before anything above it is looked at (backward induction on information states).
"""

import numpy as np

from lostcities_env.evaluation.game_tree import NONE, GameTree
from lostcities_env.rules.compiled import kernel


def expected_margin(tree: GameTree, profile: np.ndarray) -> float:
    """Points of seat 0 less those of seat 1 that two players of a profile get on average."""
    return counterfactual_values(tree, check_profile(tree, profile).copy(), 0, False)[0]


def best_response(tree: GameTree, profile: np.ndarray, player: int) -> tuple[float, np.ndarray]:
    """The most that a player can get against the opponent's part of a profile, and how.

    Args:
        tree: of the game.
        profile: float64 (n_slots,); the player's own part doesn't matter.
        player: 0 or 1.

    Returns:
        The player's margin on average, and the profile with the best reply as the player's part.
    """
    profile = check_profile(tree, profile).copy()
    return counterfactual_values(tree, profile, player, True)[0], profile


def uniform_profile(tree: GameTree) -> np.ndarray:
    """Every legal action is equally likely."""
    counts = np.diff(tree.first_slots)
    return 1.0 / counts[tree.slot_states]


def check_profile(tree: GameTree, profile: np.ndarray) -> np.ndarray:
    """The profile, if it is one of the tree.

    Raises:
        ValueError: if its shape is wrong, or it doesn't give probabilities at some information state.
    """
    profile = np.asarray(profile, dtype=np.float64)
    if profile.shape != (tree.n_slots,):
        raise ValueError(f"a profile of this tree has shape ({tree.n_slots},), got {profile.shape}")
    sums = np.add.reduceat(profile, tree.first_slots[:-1])
    wrong = np.flatnonzero(~(np.abs(sums - 1.0) < 1e-6))
    if wrong.size or not (profile >= 0).all():
        where = int(wrong[0]) if wrong.size else int(tree.slot_states[np.argmin(profile)])
        slots = profile[tree.first_slots[where] : tree.first_slots[where + 1]]
        raise ValueError(f"no probabilities at information state {where}: {slots.tolist()}")
    return profile


def counterfactual_values(
    tree: GameTree, profile: np.ndarray, player: int, best: bool
) -> tuple[float, np.ndarray]:
    """What a profile is worth to a player, in all and at each of the player's slots.

    With `best`, first makes the player's part of `profile` the best reply to the rest, in place.

    Returns:
        The player's margin on average; and float64 (n_slots,), the margin of a game that takes a slot times
        how likely chance and the opponent lead there. 0 at the opponent's slots.
    """
    values, slot_values = np.empty(len(tree.nodes)), np.zeros(tree.n_slots)
    _go_down(tree.nodes, tree.levels, profile, player, values)
    _go_up(
        tree.nodes,
        tree.levels,
        tree.first_slots,
        tree.state_levels,
        player,
        best,
        profile,
        values,
        slot_values,
    )
    return float(values[: tree.levels[1]].sum()), slot_values


@kernel
def _go_down(
    nodes: np.ndarray, levels: np.ndarray, profile: np.ndarray, player: int, reach: np.ndarray
) -> None:
    """How likely chance and the opponent lead to each node."""
    for level in range(levels.shape[0] - 1):
        own = (level - 1) % 2 == player
        for k in range(levels[level], levels[level + 1]):
            node = nodes[k]
            reach[k] = node.chance
            if level > 0:
                reach[k] *= reach[node.parent] if own else reach[node.parent] * profile[node.slot]


@kernel
def _go_up(
    nodes: np.ndarray,
    levels: np.ndarray,
    first_slots: np.ndarray,
    state_levels: np.ndarray,
    player: int,
    best: bool,
    profile: np.ndarray,
    values: np.ndarray,
    slot_values: np.ndarray,
) -> None:
    """Turns `values`, which are the reaches, into the player's margins, weighted by them."""
    sign = 1.0 if player == 0 else -1.0
    for k in range(nodes.shape[0]):
        at_end = nodes[k].information_state == NONE
        values[k] *= sign * nodes[k].margin if at_end else 0.0
    for level in range(levels.shape[0] - 2, 0, -1):
        if (level - 1) % 2 != player:
            for k in range(levels[level], levels[level + 1]):
                values[nodes[k].parent] += values[k]
            continue
        for k in range(levels[level], levels[level + 1]):
            slot_values[nodes[k].slot] += values[k]
        if best:
            for state in range(state_levels[level - 1], state_levels[level]):
                _take_best(first_slots[state], first_slots[state + 1], slot_values, profile)
        for k in range(levels[level], levels[level + 1]):
            values[nodes[k].parent] += profile[nodes[k].slot] * values[k]


@kernel
def _take_best(first: int, end: int, slot_values: np.ndarray, profile: np.ndarray) -> None:
    """The slot of the highest value, the first among equals."""
    choice = first
    for slot in range(first, end):
        profile[slot] = 0.0
        if slot_values[slot] > slot_values[choice]:
            choice = slot
    profile[choice] = 1.0
