"""Legal actions in a few places."""

import numpy as np

from training.legal import NO_ACTION, pack_legal


def test_legal_actions_are_packed_in_order() -> None:
    masks = np.array([[0, 1, 0, 1, 1], [1, 0, 0, 0, 0]], dtype=np.int8)
    legal, counts = np.empty((2, 4), dtype=np.int16), np.empty(2, dtype=np.int64)
    pack_legal(masks, legal, counts)
    assert legal.tolist() == [[1, 3, 4, NO_ACTION], [0, NO_ACTION, NO_ACTION, NO_ACTION]]
    assert counts.tolist() == [3, 1]


def test_too_few_places_are_told() -> None:
    legal, counts = np.empty((1, 2), dtype=np.int16), np.empty(1, dtype=np.int64)
    pack_legal(np.ones((1, 5), dtype=np.int8), legal, counts)
    assert counts.tolist() == [5]
    assert legal.tolist() == [[0, 1]]
