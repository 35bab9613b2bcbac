"""The arrays of a tree fit together; tests/benchmarks/test_count_information_states.py counts them."""

import numpy as np
import pytest

from lostcities_env.evaluation import game_tree
from lostcities_env.evaluation.game_tree import NONE, GameTree, GameTreeError
from lostcities_env.rules.variant import STANDARD, InvalidVariantError, Variant


@pytest.fixture(scope="module", params=["mini1", "mini2"])
def tree(request: pytest.FixtureRequest) -> GameTree:
    return GameTree(request.param)


def test_nodes_follow_their_parents_level_by_level(tree: GameTree) -> None:
    parents = tree.nodes["parent"]
    assert (parents[: tree.levels[1]] == NONE).all()
    for level in range(1, tree.longest + 1):
        of_level = parents[tree.levels[level] : tree.levels[level + 1]]
        assert (of_level >= tree.levels[level - 1]).all()
        assert (of_level < tree.levels[level]).all()
    assert tree.levels[-1] == len(tree.nodes)


def test_a_node_is_reached_by_an_action_at_the_information_state_of_its_parent(tree: GameTree) -> None:
    below = tree.nodes[tree.levels[1] :]
    states = tree.nodes["information_state"][below["parent"]]
    assert (tree.slot_states[below["slot"]] == states).all()
    assert set(zip(below["parent"], below["slot"], strict=True)) == {
        (node, slot)
        for node in np.flatnonzero(tree.nodes["information_state"] != NONE)
        for state in [tree.nodes["information_state"][node]]
        for slot in range(tree.first_slots[state], tree.first_slots[state + 1])
    }, "every legal action is taken everywhere"


def test_chances_add_up_for_every_action(tree: GameTree) -> None:
    assert tree.nodes["chance"][: tree.levels[1]].sum() == pytest.approx(1)
    below = tree.nodes[tree.levels[1] :]
    keys = below["parent"].astype(np.int64) * tree.n_slots + below["slot"]
    _, which = np.unique(keys, return_inverse=True)
    np.testing.assert_allclose(np.bincount(which, weights=below["chance"]), 1)


def test_a_player_remembers_the_turn_before(tree: GameTree) -> None:
    """Perfect recall: all nodes of an information state come from the same own action."""
    for level in range(2, tree.longest + 1):
        for node in range(tree.levels[level], tree.levels[level + 1]):
            state = tree.nodes["information_state"][node]
            if state != NONE:
                parent = tree.nodes["parent"][node]
                assert tree.previous_slots[state] == tree.nodes["slot"][parent]
    assert (tree.previous_slots[: tree.state_levels[2]] == NONE).all()


def test_players_take_turns(tree: GameTree) -> None:
    assert set(tree.slot_players[: tree.first_slots[tree.state_levels[1]]]) == {0}
    assert set(np.unique(tree.slot_players)) == {0, 1}
    turns = np.rint(tree.observations[:, -5] * 100)  # see observation_blocks
    assert (np.diff(turns) >= 0).all()
    assert (turns % 2 == tree.slot_players[tree.first_slots[:-1]]).all()


@pytest.mark.parametrize(
    ("variant", "message"),
    [
        (Variant("open", piles_close_at=None), "variant 'open' never closes its piles"),
        (STANDARD, "variant 'standard' has more than 100,000 deals: .* mini1, mini2, mini3"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_what_cannot_be_laid_out(variant: Variant, message: str) -> None:
    with pytest.raises(GameTreeError, match=message):
        GameTree(variant)


def test_a_tree_is_given_up_before_it_grows_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_tree, "MAX_NODES", 50_000)
    with pytest.raises(GameTreeError, match="the tree of 'mini2' has more than 50,000 nodes"):
        GameTree("mini2")


def test_an_unknown_variant() -> None:
    with pytest.raises(InvalidVariantError, match="no variant 'mini4'"):
        GameTree("mini4")
