"""Wrong input that is easy to give: each gets an error that says what was wrong and what would be right."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from lostcities_env import BatchGames, Game, Variant, describe, lost_cities_v0
from lostcities_env.agents.random import RandomAgent
from lostcities_env.cli import main
from lostcities_env.evaluation import evaluate


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"decks": 5}, ValueError, "reset option 'decks' is a list of decks, one a round, got 5"),
        (5, TypeError, "reset options are a dict, got 5"),
        ({"first_player": 1.0}, ValueError, "first_player=1.0 is neither 0 nor 1"),
        ({"first_player": np.zeros(2)}, ValueError, "is neither 0 nor 1"),
    ],
)
def test_reset_options(options: Any, error: type[Exception], message: str) -> None:
    for env in (lost_cities_v0.raw_env(), gymnasium.make("LostCities-v0").unwrapped):
        with pytest.raises(error, match=message):
            env.reset(seed=1, options=options)


def test_first_player_of_a_batch() -> None:
    with pytest.raises(ValueError, match=r"first_player=1\.0 is neither 0 nor 1"):
        BatchGames(2, first_player=1.0)  # type: ignore[arg-type]


def test_more_turns_than_can_be_counted() -> None:
    with pytest.raises(ValueError, match=r"max_turns=10+ is neither None nor an integer in 1\.\."):
        lost_cities_v0.raw_env(max_turns=10**30)


def test_an_action_too_large_for_int64_is_named_as_given() -> None:
    games = BatchGames(1, seed=1)
    with pytest.raises(ValueError, match=f"action {2**64 - 1} is outside"):
        games.step(np.array([2**64 - 1], dtype=np.uint64))


def test_the_vector_environment_wants_a_reset_first() -> None:
    envs = gymnasium.make_vec("LostCities-v0", num_envs=2)
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset the environment before its first step"):
        envs.step(np.zeros(2, dtype=np.int64))


def test_integers_of_numpy_are_integers() -> None:
    games = BatchGames(np.int64(2), seed=np.int64(3), first_player=np.int64(1))  # type: ignore[arg-type]
    assert games.movers.tolist() == [1, 1]
    env = gymnasium.make("LostCities-v0", seat=np.int64(0)).unwrapped
    env.reset(seed=np.int64(3))  # type: ignore[arg-type]
    assert env.game.hand(0) == Game(seed=3).hand(0)  # type: ignore[attr-defined]


@pytest.mark.parametrize("agent", [5, RandomAgent])
def test_what_is_no_agent(agent: Any) -> None:
    with pytest.raises(TypeError, match="an agent is a name or an Agent"):
        evaluate(agent, "random", pairs=2)


@pytest.mark.parametrize(
    ("data", "message"),
    [(5, "a variant is a dict of its fields, got 5"), ({1: 2}, r"unknown variant field\(s\) 1;")],
)
def test_what_is_no_variant(data: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Variant.from_dict(data)


@pytest.mark.parametrize("value", [np.nan, 50.0, -1.0])
def test_what_no_player_can_see_is_not_described(value: float) -> None:
    observation = Game(seed=1).observation(0)
    observation[60] = value
    with pytest.raises(ValueError, match=r"at place 60 \(block 'expeditions'\) is outside 0\.\.3"):
        describe(observation)


def test_zero_rewards_have_no_sign() -> None:
    games = BatchGames(4, seed=1)
    games.step(games.sample_actions())
    assert not np.signbit(games.rewards).any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--pairs", "1000000000000"], "not enough memory, ask for fewer pairs"),
        (["--pairs", "2", "--json", "x" * 300], "cannot write x"),
    ],
)
def test_command_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "random", "discard", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
