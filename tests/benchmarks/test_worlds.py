"""Deals of the cards that a player cannot know, and games played out in them."""

import numpy as np
import pytest

from benchmarks.worlds import choose_turns, draw_worlds, play_out
from lostcities_env import BatchGames
from lostcities_env.agents import make
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import VARIANTS, Variant

GAMES = 6


def in_the_middle(variant: Variant, turns: int = 12) -> BatchGames:
    """Games some turns on, in which cards were drawn from piles too."""
    batch = BatchGames(GAMES, variant, seed=4)
    for _ in range(turns):
        batch.step(batch.sample_actions())
    assert not batch.terminated.any()
    return batch


def as_games(variant: Variant, states: np.ndarray) -> BatchGames:
    batch = BatchGames(len(states), variant, seed=0)
    batch.set_state(batch.get_state() | {"states": states})
    return batch


@pytest.mark.parametrize("variant", [VARIANTS["standard"], VARIANTS["six"]])
@pytest.mark.parametrize("hand_is_known", [False, True])
def test_a_world_is_one_that_the_mover_cannot_tell_from_the_game(
    variant: Variant, hand_is_known: bool
) -> None:
    batch = in_the_middle(variant)
    rng = np.random.default_rng(1)
    for i in range(GAMES):
        state = batch.states[i : i + 1].copy()
        worlds = draw_worlds(state, 50, hand_is_known, rng)
        seen = as_games(variant, worlds)
        assert (seen.observations == batch.observations[i]).all()
        assert (seen.action_masks == batch.action_masks[i]).all()
        hands = worlds["hands"][:, 1 - batch.movers[i]]
        assert (hands.sum(axis=1) == variant.hand_size).all()
        assert (hands >= state["known"][0, 1 - batch.movers[i]]).all()
        assert len(np.unique(hands, axis=0)) == 1 if hand_is_known else len(np.unique(hands, axis=0)) > 40
        undealt = slice(int(state["deck_next"][0]), int(state["n_cards"][0]))
        assert len(np.unique(worlds["deck"][:, undealt], axis=0)) > 40
        for game in (seen.game(k) for k in range(50)):
            game.from_dict(game.to_dict())  # refuses a state that no game could be in, a card too many say


def test_the_game_itself_is_not_touched() -> None:
    state = in_the_middle(VARIANTS["standard"]).states[:1].copy()
    before = state.copy()
    draw_worlds(state, 3, False, np.random.default_rng(1))
    assert state == before


def test_cards_are_as_likely_in_the_hand_as_their_number_says() -> None:
    state = BatchGames(1, seed=1).states.copy()
    hands = draw_worlds(state, 20_000, False, np.random.default_rng(1))["hands"][:, 1]
    copies = np.bincount(state["deck"][0, : int(state["n_cards"][0])], minlength=hands.shape[1])
    unseen = copies - state["hands"][0, 0]
    np.testing.assert_allclose(hands.mean(axis=0), 8 * unseen / unseen.sum(), atol=0.02)


def test_games_played_out_end_as_they_would_have() -> None:
    agents = (make("threshold", Match()), make("greedy", Match()))
    batch = BatchGames(GAMES, seed=7)
    seats = np.arange(GAMES) % 2
    everywhere = np.ones(GAMES, dtype=bool)
    for _ in range(10):
        batch.step(choose_turns(agents, batch, seats, everywhere))
    turns = choose_turns(agents, batch, seats, everywhere)
    margins = play_out(agents, Match(), batch.states.copy(), seats, turns)

    for i in range(GAMES):
        game, turn = batch.game(i), int(turns[i])
        while True:
            game.step(turn)
            if game.over:
                break
            observation, mask = game.observation(int(game.mover), "recall"), game.action_mask()
            turn = int(agents[int(game.mover != seats[i])].act(observation[None], mask[None])[0])
        own, other = game.scores[seats[i]], game.scores[1 - seats[i]]
        assert margins[i] == own - other
