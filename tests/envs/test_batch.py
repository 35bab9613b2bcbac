from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lostcities_env.envs.batch import BatchGames
from lostcities_env.rules.game import Game, IllegalActionError
from lostcities_env.rules.variant import VARIANTS
from tests.envs.play import OPEN_PILES, an_illegal_action, choose


def choose_all(games: BatchGames, rng: np.random.Generator) -> np.ndarray:
    return np.array([choose(mask, rng) for mask in games.action_masks])


def everything(games: BatchGames) -> list[np.ndarray]:
    names = ("observations", "action_masks", "movers", "rewards", "terminated", "truncated", "final_scores")
    return [games.states.copy(), *(getattr(games, name).copy() for name in names)]


def assert_same(first: list[np.ndarray], second: list[np.ndarray]) -> None:
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


class TestAgainstGame:
    @pytest.mark.parametrize("rounds", [1, 3])
    @pytest.mark.parametrize("variant", VARIANTS)
    def test_turn_by_turn_over_several_episodes(self, variant: str, rounds: int) -> None:
        """Views, rewards, final scores and the deals of the later episodes."""
        rng = np.random.default_rng(1)
        batch = BatchGames(3, variant, seed=11, rounds=rounds)
        games = [Game(variant, seed=11 + i, rounds=rounds) for i in range(3)]
        ended = 0
        while ended < 5:
            for i, game in enumerate(games):
                assert batch.movers[i] == game.mover
                np.testing.assert_array_equal(batch.action_masks[i], game.action_mask())
                np.testing.assert_array_equal(batch.observations[i], game.observation(game.mover))
            actions = choose_all(batch, rng)
            batch.step(actions)
            for i, game in enumerate(games):
                game.step(int(actions[i]))
                assert batch.terminated[i] == game.over
                margin = game.match_scores[0] - game.match_scores[1] if game.over else 0
                assert batch.rewards[i].tolist() == [margin, -margin]
                if game.over:
                    assert tuple(batch.final_scores[i]) == game.match_scores
                    game.restart()
                    ended += 1

    def test_game_is_an_independent_copy(self) -> None:
        batch = BatchGames(2, seed=1)
        before = everything(batch)
        game = batch.game(1)
        np.testing.assert_array_equal(game.action_mask(), batch.action_masks[1])
        game.play(game.legal()[0])
        assert_same(everything(batch), before)
        with pytest.raises(IndexError, match=r"game 2 is outside 0\.\.1"):
            batch.game(2)


class TestRewards:
    @pytest.mark.parametrize("reward", ["margin", "win", "dense"])
    def test_add_up_to_what_was_scored(self, reward: str) -> None:
        rng = np.random.default_rng(2)
        batch = BatchGames(4, "mini3", seed=5, reward=reward, rounds=3)
        totals = np.zeros((4, 2))
        ended = 0
        while ended < 30:
            batch.step(choose_all(batch, rng))
            totals += batch.rewards
            for i in np.flatnonzero(batch.terminated):
                margin = int(batch.final_scores[i, 0] - batch.final_scores[i, 1])
                want = np.sign(margin) if reward == "win" else margin
                assert totals[i].tolist() == [want, -want]
                totals[i] = 0
                ended += 1

    def test_truncation_pays_nothing_but_dense_keeps_what_it_paid(self) -> None:
        rng = np.random.default_rng(3)
        plain = BatchGames(2, OPEN_PILES, seed=3, max_turns=9)
        dense = BatchGames(2, OPEN_PILES, seed=3, max_turns=9, reward="dense")
        total = np.zeros((2, 2))
        for _ in range(9):
            actions = choose_all(plain, rng)
            plain.step(actions)
            dense.step(actions)
            total += dense.rewards
        assert plain.truncated.all()
        assert not plain.terminated.any()
        assert not plain.rewards.any()
        np.testing.assert_array_equal(total[:, 0], plain.final_scores[:, 0] - plain.final_scores[:, 1])


class TestBadActions:
    @given(bad=st.integers(0, 4), seed=st.integers(0, 2**64 - 1))
    @settings(max_examples=20, deadline=None)
    def test_one_bad_action_changes_no_game(self, bad: int, seed: int) -> None:
        batch = BatchGames(5, "mini2", seed=seed)
        before = everything(batch)
        actions = batch.action_masks.argmax(axis=1)
        actions[bad] = an_illegal_action(batch.action_masks[bad])
        with pytest.raises(IllegalActionError, match=rf"^game {bad} of 5: .* is illegal for player 0"):
            batch.step(actions)
        assert_same(everything(batch), before)

    @pytest.mark.parametrize("action", [-1, 600])
    def test_out_of_range(self, action: int) -> None:
        with pytest.raises(IllegalActionError, match=rf"game 0 of 1: action {action} is outside 0\.\.599"):
            BatchGames(1).step(np.array([action]))

    @pytest.mark.parametrize(
        ("actions", "error", "message"),
        [
            (np.zeros(2), TypeError, "must be integers, got dtype float64"),
            (np.zeros(2, dtype=bool), TypeError, "must be integers, got dtype bool"),
            (np.zeros(3, dtype=int), ValueError, r"must have shape \(2,\), got \(3,\)"),
            (np.zeros((2, 1), dtype=int), ValueError, r"must have shape \(2,\), got \(2, 1\)"),
        ],
    )
    def test_wrong_arrays(self, actions: np.ndarray, error: type[Exception], message: str) -> None:
        with pytest.raises(error, match=message):
            BatchGames(2).step(actions)

    def test_any_integer_dtype_and_stride(self) -> None:
        batch = BatchGames(2, seed=1)
        for dtype in (np.int16, np.uint64, np.int64):
            wide = np.zeros(4, dtype=dtype)
            wide[::2] = batch.action_masks.argmax(axis=1)
            batch.step(wide[::2])
        assert (batch.states["turn"] == 3).all()


class TestSkippingToTheLastRound:
    def test_is_what_a_match_comes_to(self) -> None:
        """A game that skips sees, plays and ends as one that was played to its last round."""
        rng = np.random.default_rng(4)
        played = BatchGames(1, "mini3", seed=8, rounds=3, reward="win")
        while played.states["round"][0] < 2:
            played.step(choose_all(played, rng))
        skipped = BatchGames(1, "mini3", seed=8, rounds=3, reward="win")
        skipped.skip_to_last_round(np.array([0]), played.states["round_scores"][:, :2])
        for name in ("starter", "mover", "round", "match_scores", "round_scores"):
            np.testing.assert_array_equal(skipped.states[name], played.states[name])
        snapshot = skipped.get_state()
        for name in ("deck", "hands", "generator"):  # the same deal
            snapshot["states"][name] = played.states[name]
        skipped.set_state(snapshot)
        ended = False
        while not ended:
            np.testing.assert_array_equal(skipped.observations, played.observations)
            actions = choose_all(played, rng)
            played.step(actions)
            skipped.step(actions)
            ended = bool(played.terminated[0])
            for name in ("rewards", "terminated", "final_scores"):
                np.testing.assert_array_equal(getattr(skipped, name), getattr(played, name))
        assert (skipped.states["round"] == 0).all()

    def test_only_the_games_named(self) -> None:
        batch = BatchGames(4, "mini3", seed=1, rounds=2)
        batch.skip_to_last_round(np.array([1, 3]), np.array([[[0, 5]], [[0, -7]]]))
        assert batch.states["round"].tolist() == [0, 1, 0, 1]
        assert batch.states["match_scores"].tolist() == [[0, 0], [0, 5], [0, 0], [0, -7]]
        assert batch.movers.tolist() == [0, 1, 0, 0]
        for i in range(4):
            game = batch.game(i)
            np.testing.assert_array_equal(batch.observations[i], game.observation(batch.movers[i]))
            assert Game.from_dict(game.to_dict()).to_dict() == game.to_dict()

    def test_refuses_what_it_cannot_do(self) -> None:
        scores = np.zeros((1, 2, 2), dtype=int)
        with pytest.raises(ValueError, match="a match of one round has no rounds to skip"):
            BatchGames(1).skip_to_last_round(np.array([0]), scores)
        batch = BatchGames(2, rounds=3, seed=1)
        with pytest.raises(ValueError, match=r"must have shape \(2, 2, 2\), got \(1, 2, 2\)"):
            batch.skip_to_last_round(np.array([0, 1]), scores)
        with pytest.raises(TypeError, match="games must be integers, got dtype bool"):
            batch.skip_to_last_round(np.array([True]), scores)
        with pytest.raises(TypeError, match="round_scores must be integers, got dtype float64"):
            batch.skip_to_last_round(np.array([0]), scores / 2)
        with pytest.raises(ValueError, match=r"must be in -400\.\.780, what a round can bring"):
            batch.skip_to_last_round(np.array([0]), scores + 781)
        with pytest.raises(IndexError):
            batch.skip_to_last_round(np.array([2]), scores)
        batch.step(batch.action_masks.argmax(axis=1))
        before = everything(batch)
        with pytest.raises(ValueError, match="game 1 of 2 has gone on since its match began"):
            batch.skip_to_last_round(np.array([1]), scores)
        assert_same(everything(batch), before)


class TestReset:
    def test_game_i_has_seed_plus_i(self) -> None:
        one = BatchGames(3, seed=2**64 - 2)
        listed = BatchGames(3, seed=[2**64 - 2, 2**64 - 1, 0])
        assert_same(everything(one), everything(listed))

    def test_goes_on_with_the_generators(self) -> None:
        batch, game = BatchGames(2, seed=4), Game(seed=5)
        batch.reset()
        game.restart()
        assert batch.game(1).deck() == game.deck()
        batch.reset(4)
        assert_same(everything(batch), everything(BatchGames(2, seed=4)))

    @pytest.mark.parametrize(
        ("seed", "error"), [(-1, ValueError), ([1], ValueError), ([1, "2"], TypeError), (1.0, TypeError)]
    )
    def test_bad_seeds(self, seed: Any, error: type[Exception]) -> None:
        with pytest.raises(error, match="seed"):
            BatchGames(2).reset(seed)

    def test_first_player(self) -> None:
        assert BatchGames(2, first_player=1).movers.tolist() == [1, 1]


class TestState:
    def test_round_trip(self) -> None:
        batch = BatchGames(3, "mini1", seed=6, rounds=2)

        def run() -> list[np.ndarray]:
            rng = np.random.default_rng(7)
            for _ in range(40):
                batch.step(choose_all(batch, rng))
            return everything(batch)

        run()
        snapshot, before = batch.get_state(), everything(batch)
        first = run()
        batch.set_state(snapshot)
        assert_same(everything(batch), before)
        assert_same(run(), first)

    @pytest.mark.parametrize("other", [BatchGames(2), BatchGames(1, "six"), BatchGames(1, rounds=3)])
    def test_of_something_else(self, other: BatchGames) -> None:
        with pytest.raises(ValueError, match="the snapshot is"):
            BatchGames(1).set_state(other.get_state())


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"num_games": 0}, "num_games=0 is not a positive integer"),
        ({"num_games": 2.0}, "num_games=2.0 is not a positive integer"),
        ({"first_player": True}, "first_player=True is neither 0 nor 1"),
        ({"observation": "all"}, "no observation mode 'all'; there are visible, recall, full"),
        ({"reward": "points"}, "no reward 'points'"),
        ({"variant": OPEN_PILES}, "give max_turns"),
    ],
)
def test_bad_arguments(kwargs: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BatchGames(**({"num_games": 1} | kwargs))
