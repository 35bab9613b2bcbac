import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from lostcities_env.agents.random import RandomAgent
from lostcities_env.agents.registry import UnknownAgentError
from lostcities_env.envs.single_agent import LostCitiesSingleAgentEnv
from lostcities_env.rules.cards import all_cards, format_card
from lostcities_env.rules.game import Game, IllegalActionError
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import SIX_COLOURS, STANDARD, Variant
from tests.envs.play import MODES, OPEN_PILES, FirstLegal, Illegal, an_illegal_action, choose

SORTED_DECK = [format_card(STANDARD, card) for card in all_cards(STANDARD)]


def run(env: LostCitiesSingleAgentEnv, seed: int = 0) -> list[Any]:
    """Plays at random to the end: (observation, reward, terminated, truncated, info) of each step."""
    rng = np.random.default_rng(seed)
    steps: list[Any] = []
    while not steps or not (steps[-1][2] or steps[-1][3]):
        steps.append(env.step(choose(env.action_masks(), rng)))
    return steps


@pytest.mark.parametrize(("variant", "level"), MODES)
def test_check_env(variant: str, level: str) -> None:
    env = gymnasium.make("LostCities-v0", variant=variant, observation=level, illegal="terminate")
    check_env(env.unwrapped)


def test_sb3_check_env() -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(LostCitiesSingleAgentEnv(seat=1), skip_render_check=True)


class TestPlay:
    @pytest.mark.parametrize("seat", [0, 1])
    def test_follows_the_game(self, seat: int) -> None:
        """The same turns on a `Game`, the opponent's by hand."""
        match = Match()
        env = LostCitiesSingleAgentEnv(FirstLegal(match), seat=seat, observation="recall")
        game, opponent, rng = Game(seed=8), FirstLegal(match), np.random.default_rng(0)
        observation, info = env.reset(seed=8)
        while True:
            while not game.over and game.mover != seat:
                view = game.observation(game.mover)
                game.step(int(opponent.act(view[None], game.action_mask()[None])[0]))
            np.testing.assert_array_equal(observation, game.observation(seat))
            np.testing.assert_array_equal(info["action_mask"], game.action_mask())
            np.testing.assert_array_equal(env.action_masks(), game.action_mask())
            if game.over:
                break
            action = choose(game.action_mask(), rng)
            game.step(action)
            observation, reward, terminated, truncated, info = env.step(action)
        assert terminated
        assert not truncated
        assert info["scores"] == info["match_scores"] == game.scores
        assert reward == game.scores[seat] - game.scores[1 - seat]
        assert info["winner"] == (-1 if game.winner is None else game.winner)
        assert info["seat"] == seat

    def test_the_opponent_sees_recall_whatever_the_learner_sees(self) -> None:
        env = LostCitiesSingleAgentEnv(FirstLegal(Match()), observation="visible", seat=1)
        env.reset(seed=1)
        run(env)  # `FirstLegal` checks the shapes that it gets

    @pytest.mark.parametrize("rounds", [1, 3])
    @pytest.mark.parametrize("reward", ["margin", "win", "dense"])
    def test_rewards_add_up_in_both_seats(self, reward: str, rounds: int) -> None:
        env = LostCitiesSingleAgentEnv(reward=reward, rounds=rounds)
        seats = set()
        for seed in range(6):
            env.reset(seed=seed)
            steps = run(env, seed)
            info = steps[-1][4]
            own, other = info["match_scores"][env.seat], info["match_scores"][1 - env.seat]
            assert sum(step[1] for step in steps) == (
                np.sign(own - other) if reward == "win" else own - other
            )
            seats.add(env.seat)
        assert seats == {0, 1}

    def test_random_seats_are_fair(self) -> None:
        env = LostCitiesSingleAgentEnv(variant="mini1")
        seats = [env.reset(seed=1)[1]["seat"], *(env.reset()[1]["seat"] for _ in range(199))]
        assert 70 < sum(seats) < 130

    def test_truncation(self) -> None:
        env = LostCitiesSingleAgentEnv(variant=OPEN_PILES, max_turns=7, reward="dense", seat=1)
        env.reset(seed=1)
        steps = run(env)
        assert steps[-1][2:4] == (False, True)
        assert env.game.turn == 7
        scores = steps[-1][4]["match_scores"]
        assert sum(step[1] for step in steps) == scores[1] - scores[0]

    def test_options(self) -> None:
        env = LostCitiesSingleAgentEnv(FirstLegal(Match()), seat=0)
        env.reset(options={"deck": SORTED_DECK, "first_player": 1})
        assert env.game.turn == 1
        assert sorted(env.game.hand(0)) == sorted(SORTED_DECK[0:16:2])

    def test_samples_are_legal(self) -> None:
        env = LostCitiesSingleAgentEnv()
        env.reset(seed=1)
        env.action_space.seed(1)
        terminated = False
        while not terminated:
            _, _, terminated, _, _ = env.step(env.action_space.sample())


class TestSeeds:
    def test_same_seed_same_episodes(self) -> None:
        first, second = LostCitiesSingleAgentEnv(), LostCitiesSingleAgentEnv()
        for seed in (5, None):
            first.reset(seed=seed)
            second.reset(seed=seed)
            a, b = run(first), run(second)
            assert [step[1] for step in a] == [step[1] for step in b]
            np.testing.assert_array_equal(a[-1][0], b[-1][0])

    def test_the_opponent_follows_the_seed(self) -> None:
        env = LostCitiesSingleAgentEnv(RandomAgent(Match(), seed=123), seat=1)
        env.reset(seed=2)
        hand = env.game.hand(0)
        env.reset(seed=3)
        env.reset(seed=2)
        assert env.game.hand(0) == hand


class TestBadInput:
    def test_illegal_action_changes_nothing(self) -> None:
        env = LostCitiesSingleAgentEnv()
        _, info = env.reset(seed=1)
        before = env.game.states.copy()
        with pytest.raises(IllegalActionError, match="is illegal for player"):
            env.step(an_illegal_action(info["action_mask"]))
        assert (env.game.states == before).all()

    @pytest.mark.parametrize(("reward", "paid"), [("win", -1.0), ("dense", -400.0)])
    def test_illegal_action_may_end_the_episode(self, reward: str, paid: float) -> None:
        env = LostCitiesSingleAgentEnv(illegal="terminate", reward=reward)
        _, info = env.reset(seed=1)
        _, got, terminated, truncated, info = env.step(an_illegal_action(info["action_mask"]))
        assert (got, terminated, truncated) == (paid, True, False)
        assert "is illegal for player" in info["illegal_action"]
        assert info["winner"] == 1 - info["seat"]
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(0)

    @pytest.mark.parametrize(
        ("action", "error"), [(600, IllegalActionError), (-1, IllegalActionError), (1.0, TypeError)]
    )
    def test_no_action(self, action: Any, error: type[Exception]) -> None:
        env = LostCitiesSingleAgentEnv()
        env.reset()
        with pytest.raises(error, match="action"):
            env.step(action)

    def test_before_reset_and_after_the_end(self) -> None:
        env = LostCitiesSingleAgentEnv(variant="mini1")
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(0)
        env.reset()
        run(env)
        assert not env.action_masks().any()
        with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) first"):
            env.step(0)

    def test_an_opponent_that_breaks_the_rules(self) -> None:
        env = LostCitiesSingleAgentEnv(Illegal(Match()), seat=1)
        with pytest.raises(IllegalActionError, match="is illegal for player 0"):
            env.reset(seed=1)

    @pytest.mark.parametrize(
        ("kwargs", "error", "message"),
        [
            ({"opponent": "nobody"}, UnknownAgentError, "no agent 'nobody'; there are random"),
            ({"opponent": RandomAgent}, TypeError, "an agent is a name or an Agent"),
            (
                {"opponent": FirstLegal(Match(SIX_COLOURS))},
                ValueError,
                "agent FirstLegal was made for Match.*six",
            ),
            ({"seat": 2}, ValueError, "seat=2 is neither None, 0 nor 1"),
            ({"seat": 1.0}, ValueError, "seat=1.0 is neither"),
            ({"variant": ["standard"]}, ValueError, r"no variant \['standard'\]; there are standard"),
            ({"seat": True}, ValueError, "seat=True is neither"),
            ({"observation": "full"}, ValueError, "no observation mode 'full'"),
            ({"illegal": "ignore"}, ValueError, "illegal='ignore' is neither 'raise' nor 'terminate'"),
            ({"render_mode": "human?"}, ValueError, "no render mode 'human.'"),
            ({"max_turns": 1}, ValueError, "before the learner's first turn"),
            ({"variant": Variant("one", 1, 1, 3, 0, 1, 0, 0, 0)}, ValueError, "a deck of one card"),
        ],
    )
    def test_bad_arguments(self, kwargs: dict[str, Any], error: type[Exception], message: str) -> None:
        with pytest.raises(error, match=message):
            LostCitiesSingleAgentEnv(**kwargs)

    def test_unknown_option(self) -> None:
        with pytest.raises(ValueError, match="unknown reset option"):
            LostCitiesSingleAgentEnv().reset(options={"seed": 1})


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_alike(copied: Any) -> None:
    env = LostCitiesSingleAgentEnv(rounds=2)
    _, info = env.reset(seed=3)
    env.step(int(info["action_mask"].argmax()))
    other = copied(env)
    mine, theirs = run(env), run(other)
    assert [step[1] for step in mine] == [step[1] for step in theirs]
    assert mine[-1][4]["match_scores"] == theirs[-1][4]["match_scores"]
    for one in (env, other):
        one.reset()
        one.action_space.seed(0)
        one.step(one.action_space.sample())


def test_render_hides_the_opponents_hand() -> None:
    env = LostCitiesSingleAgentEnv(render_mode="ansi", seat=1)
    env.reset(seed=1)
    board = env.render()
    assert board is not None
    assert "player 0: 8 hidden" in board
    assert "player 1: " + " ".join(env.game.hand(1)) in board
