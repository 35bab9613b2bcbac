"""One seed, one sequence of deals, in every face of the project."""

import numpy as np
import pytest

from lostcities_env.envs.aec import LostCitiesEnv
from lostcities_env.envs.batch import BatchGames
from lostcities_env.envs.single_agent import LostCitiesSingleAgentEnv
from lostcities_env.envs.vector import LostCitiesVectorEnv
from lostcities_env.rules.game import Game
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import VARIANTS, get_variant
from tests.envs.play import FirstLegal, choose, play

SEED, EPISODES = 12, 3


def dealt(game: Game) -> list[int]:
    """The whole deck as it was shuffled, first dealt card first."""
    return game.states[0]["deck"][: game.variant.n_cards].tolist()


@pytest.mark.parametrize("variant", VARIANTS)
def test_also_for_the_next_episodes(variant: str) -> None:
    game = Game(variant, seed=SEED)
    want = [dealt(game)]
    for _ in range(EPISODES - 1):
        game.restart()
        want.append(dealt(game))
    assert aec(variant) == single(variant) == vector(variant) == batch(variant) == want


def aec(variant: str) -> list[list[int]]:
    env, rng, decks = LostCitiesEnv(variant), np.random.default_rng(0), []
    for episode in range(EPISODES):
        env.reset(seed=SEED if episode == 0 else None)
        decks.append(dealt(env.game))
        play(env, rng)
    return decks


def single(variant: str) -> list[list[int]]:
    env, rng, decks = LostCitiesSingleAgentEnv(variant=variant), np.random.default_rng(1), []
    for episode in range(EPISODES):
        env.reset(seed=SEED if episode == 0 else None)
        decks.append(dealt(env.game))
        for _ in range(2):  # an episode need not be played to its end
            if env.action_masks().any():
                env.step(choose(env.action_masks(), rng))
    return decks


def vector(variant: str) -> list[list[int]]:
    """Game 1 of a vector whose game 0 has the seed before, over its automatic resets."""
    envs = LostCitiesVectorEnv(2, FirstLegal(Match(get_variant(variant))), variant)
    _, infos = envs.reset(seed=SEED - 1)
    rng = np.random.default_rng(2)
    decks = [dealt(envs.game(1))]
    while len(decks) < EPISODES:
        actions = np.array([choose(mask, rng) for mask in infos["action_mask"]])
        _, _, terminated, _, infos = envs.step(actions)
        if terminated[1]:
            decks.append(dealt(envs.game(1)))
    return decks


def batch(variant: str) -> list[list[int]]:
    games = BatchGames(2, variant, seed=SEED - 1)
    rng = np.random.default_rng(3)
    decks = [dealt(games.game(1))]
    while len(decks) < EPISODES:
        games.step(np.array([choose(mask, rng) for mask in games.action_masks]))
        if games.terminated[1]:
            decks.append(dealt(games.game(1)))
    return decks
