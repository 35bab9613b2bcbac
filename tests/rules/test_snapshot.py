"""What is no snapshot is refused with what is wrong, by every face, and changes nothing."""

from typing import Any

import numpy as np
import pytest

from lostcities_env import lost_cities_v0
from lostcities_env.envs.batch import BatchGames
from lostcities_env.envs.vector import LostCitiesVectorEnv
from lostcities_env.rules.game import Game


def faces() -> list[Any]:
    raw, vector = lost_cities_v0.raw_env(), LostCitiesVectorEnv(2)
    raw.reset(seed=1)
    vector.reset(seed=1)
    return [Game(seed=1), BatchGames(2, seed=1), raw, vector]


@pytest.mark.parametrize("face", faces(), ids=lambda face: type(face).__name__)
class TestRefusal:
    def test_nothing_at_all(self, face: Any) -> None:
        with pytest.raises(ValueError, match="a snapshot is what get_state gave, a dict; got NoneType"):
            face.set_state(None)

    def test_a_part_is_missing(self, face: Any) -> None:
        for name in face.get_state():
            snapshot = face.get_state()
            del snapshot[name]
            with pytest.raises(
                ValueError, match=f"a snapshot is what get_state gave; this one has no '{name}'"
            ):
                face.set_state(snapshot)
        with pytest.raises(ValueError, match="this one has no"):
            face.set_state({})


@pytest.mark.parametrize("states", [None, np.zeros(1), [1, 2]])
def test_something_else_than_games(states: Any) -> None:
    with pytest.raises(ValueError, match="the snapshot holds no games of this version"):
        Game(seed=1).set_state({"states": states, "decks": []})
