import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lostcities_env.rules import state as kernels
from lostcities_env.rules.game import Game
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import (
    LEVELS,
    check_level,
    observation_blocks,
    observation_range,
    observation_size,
    read_observation_at,
)
from tests.rules.deals import stack
from tests.strategies import games, matches

players = st.integers(0, 1)


def block_of(game: Game, player: int, name: str) -> np.ndarray:
    """One block of what a player sees, in its shape."""
    (block,) = [block for block in observation_blocks(game.match) if block.name == name]
    return game.observation(player, "full")[block.slice].reshape(block.shape)


def hide(game: Game, player: int, rng: st.randoms) -> Game:  # type: ignore[valid-type]
    """The same game with all cards that the player can't know dealt anew."""
    other = game.clone()
    state, opponent = other._states[0], 1 - player
    unknown = state["hands"][opponent] - state["known"][opponent]
    in_hand = np.repeat(np.arange(unknown.size), unknown).tolist()
    in_deck = state["deck"][state["deck_next"] : state["n_cards"]].tolist()
    unseen = in_hand + in_deck
    rng.shuffle(unseen)  # type: ignore[attr-defined]
    drawn = np.bincount(np.array(unseen[: len(in_hand)], dtype=np.int64), minlength=unknown.size)
    state["hands"][opponent] = state["known"][opponent] + drawn
    state["deck"][state["deck_next"] : state["n_cards"]] = unseen[len(in_hand) :]
    return other


# -- The table of blocks -------------------------------------------------------------------------


def test_sizes_of_the_standard_game() -> None:
    assert [observation_size(Match(), level) for level in LEVELS] == [201, 366, 477]


@given(matches())
def test_blocks_lie_end_to_end_and_levels_are_prefixes(match: Match) -> None:
    blocks = observation_blocks(match)
    start = 0
    for block in blocks:
        assert block.start == start
        assert block.slice == slice(start, start + block.size)
        assert block.size == np.prod(block.shape)
        start += block.size
    assert start == observation_size(match, "full")
    assert len({block.name for block in blocks}) == len(blocks)
    for level in LEVELS:
        prefix = observation_blocks(match, level)
        assert prefix == blocks[: len(prefix)]
        assert {block.level for block in prefix} == set(LEVELS[: LEVELS.index(level) + 1])


@given(games(), players)
def test_the_kernel_writes_as_many_values_as_the_table_says_within_their_ranges(
    game: Game, player: int
) -> None:
    for level in LEVELS:
        low, high = observation_range(game.match, level)
        observation = game.observation(player, level)
        assert observation.dtype == np.float32
        assert observation.shape == low.shape == high.shape
        assert (low <= observation).all()
        assert (observation <= high).all()


@given(games(), players)
def test_levels_are_prefixes(game: Game, player: int) -> None:
    full = game.observation(player, "full")
    for level in LEVELS:
        observation = game.observation(player, level)
        assert np.array_equal(observation, full[: observation.size])


def test_an_unknown_level_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="no observation mode 'all'; there are visible, recall, full"):
        observation_blocks(Match(), "all")
    with pytest.raises(ValueError, match=r"no observation mode 'full'; there are visible, recall$"):
        check_level("full")


# -- Each block ----------------------------------------------------------------------------------


def test_what_the_blocks_say() -> None:
    game = Game(rounds=3, deck=stack("Rx R7 B2 B3", "B9 G4 W10", "Gx Y2 Y3"))
    for turn in ("Rx deck", "-B9 deck", "-B3 deck", "G4 B"):
        game.play(turn)
    red, blue, green = range(3)
    assert block_of(game, 0, "hand")[red, 6] == 1  # R7
    assert block_of(game, 0, "hand")[green, 0] == 1  # Gx
    assert block_of(game, 0, "hand").sum() == 8
    assert block_of(game, 0, "expeditions")[red, 0] == block_of(game, 0, "expeditions").sum() == 1
    assert block_of(game, 0, "opponent_expeditions")[green, 3] == 1  # G4
    assert block_of(game, 0, "discard_tops")[blue, 7 + 1] == block_of(game, 0, "discard_tops").sum() == 1
    assert block_of(game, 0, "deck") == np.float32(41 / 44)
    assert block_of(game, 0, "pile_depth")[blue, 3 + 7] == block_of(game, 0, "pile_depth").sum() == 1  # B9
    assert block_of(game, 0, "opponent_known")[blue, 2] == block_of(game, 0, "opponent_known").sum() == 1
    assert block_of(game, 1, "known")[blue, 2] == 1  # B3
    assert block_of(game, 0, "turn") == np.float32(0.04)
    assert np.allclose(block_of(game, 0, "scores"), [-0.4, -0.16])
    assert np.allclose(block_of(game, 1, "scores"), [-0.16, -0.4])
    assert block_of(game, 0, "rounds_left") == 2
    assert block_of(game, 0, "match_margin") == 0
    assert block_of(game, 0, "opponent_hand")[4, 9] == 1  # W10
    assert block_of(game, 0, "to_move") == 1
    assert block_of(game, 1, "to_move") == 0


def test_depths_in_a_pile_and_in_the_deck() -> None:
    game = Game(deck=stack("Rx R7", "Rx", "Gx G5"))
    for turn in ("-Rx deck", "-Rx deck", "-R7 deck"):
        game.play(turn)
    third = np.float32(1 / 3)
    assert block_of(game, 0, "pile_depth")[0].tolist() == [0.5, third, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    depths = np.sort(block_of(game, 0, "deck_order").ravel())[::-1]
    assert depths[:41].tolist() == [np.float32(1 / depth) for depth in range(1, 42)]
    assert not depths[41:].any()


# -- Nothing hidden leaks --------------------------------------------------------------------------


@given(games(), players, st.randoms(use_true_random=False))
def test_an_observation_does_not_depend_on_unseen_cards(
    game: Game,
    player: int,
    rng: st.randoms,  # type: ignore[valid-type]
) -> None:
    other = hide(game, player, rng)
    for level in ("visible", "recall"):
        assert np.array_equal(game.observation(player, level), other.observation(player, level))


def test_a_full_observation_does() -> None:
    game = Game(deck=stack("R2", "B2", "R3 R4"))
    other = Game(deck=stack("R2", "B2", "R4 R3"))
    assert np.array_equal(game.observation(0, "recall"), other.observation(0, "recall"))
    assert not np.array_equal(game.observation(0, "full"), other.observation(0, "full"))


# -- The way back ----------------------------------------------------------------------------------


@given(games(), players)
def test_reading_a_recall_observation_and_writing_it_again(game: Game, player: int) -> None:
    row = game.observation(player)
    read = Game(game.variant, rounds=game.match.rounds, tie=game.match.tie, seed=0)
    read._states[:] = game.match.new_states(1)
    read_observation_at(row, read._states, 0)
    assert np.array_equal(read.observation(0), row)


@given(games())
def test_the_kernels_work_on_what_was_read(game: Game) -> None:
    if game.over:
        return
    states = game.match.new_states(1)
    read_observation_at(game.observation(game.mover), states, 0)
    mask = np.zeros(game.variant.n_actions, dtype=np.int8)
    kernels.write_mask_at(states, 0, mask)
    assert np.array_equal(mask, game.action_mask())
    for field in ("colour_scores", "length", "top", "total"):
        of_mover_first = game._states[0][field][[game.mover, 1 - game.mover], : game.variant.n_colours]
        assert np.array_equal(states[0][field][:, : game.variant.n_colours], of_mover_first)
