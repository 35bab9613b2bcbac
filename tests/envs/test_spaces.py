import copy
import pickle

import numpy as np
from gymnasium import spaces

from lostcities_env.envs.spaces import LegalDiscrete, LegalMultiDiscrete, observation_box
from lostcities_env.rules.match import Match

MASKS = np.array([[0, 1, 0, 1], [0, 0, 1, 0]], dtype=np.int8)


def test_samples_are_legal_and_uniform() -> None:
    one, many = LegalDiscrete(4, seed=1), LegalMultiDiscrete(np.full(2, 4), seed=1)
    one.masks, many.masks = lambda: MASKS[0], lambda: MASKS
    drawn = [int(one.sample()) for _ in range(400)]
    assert set(drawn) == {1, 3}
    assert 140 < drawn.count(1) < 260
    rows = np.array([many.sample() for _ in range(400)])
    assert set(rows[:, 0]) == {1, 3}
    assert set(rows[:, 1]) == {2}
    assert 140 < (rows[:, 0] == 1).sum() < 260


def test_an_explicit_mask_is_obeyed() -> None:
    one = LegalDiscrete(4, seed=1)
    one.masks = lambda: MASKS[0]
    assert one.sample(MASKS[1]) == 2


def test_copies_forget_the_environment() -> None:
    one = LegalDiscrete(4, seed=1)
    one.masks = lambda: MASKS[0]
    for other in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert {int(other.sample()) for _ in range(100)} == {0, 1, 2, 3}
    assert one.sample() in (1, 3)


def test_equal_the_plain_spaces() -> None:
    assert LegalDiscrete(4) == spaces.Discrete(4)
    assert LegalMultiDiscrete(np.full(2, 4)) == spaces.MultiDiscrete([4, 4])


def test_no_place_of_an_observation_is_constant_by_its_bounds() -> None:
    box = observation_box(Match(), "full")
    assert (box.low < box.high).all()
