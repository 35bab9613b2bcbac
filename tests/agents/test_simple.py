import numpy as np
import pytest

from lostcities_env.agents import make
from lostcities_env.rules.match import Match
from tests.agents.positions import choice, deal, step, views, wagers_of

DISCARDS = [
    # First what the opponent can't play, the lowest first.
    ({"hand": "B5 R3 R4 G2", "opponent": "R7"}, "-R3 deck"),
    ({"hand": "B5 R10 Bx", "opponent": "R9 B2"}, "-Bx deck"),
    # Then a colour that the opponent has not opened.
    ({"hand": "R9 R8 G6 Y6", "opponent": "R7"}, "-G6 deck"),
    # Then the lowest, of the first colour.
    ({"hand": "W9 R9 R8 B8", "opponent": "R7 B7 W2"}, "-R8 deck"),
    # A wager is the lowest card, whether or not it would help.
    ({"hand": "R2 Wx"}, "-Wx deck"),
    # Never from a pile.
    ({"hand": "R9 W2", "piles": "B10"}, "-W2 deck"),
]


@pytest.mark.parametrize(("table", "turn"), DISCARDS)
def test_discard(table: dict[str, str], turn: str) -> None:
    assert choice(make("discard"), **table) == turn


def test_discard_scores_nothing() -> None:
    match = Match("six", 3)  # type: ignore[arg-type]
    agent = make("discard", match)
    states = deal(match, 2, seed=1)
    while not states["match_over"].all():
        step(states, agent.act(*views(match, states)))
    assert (states["match_scores"] == 0).all()


@pytest.mark.parametrize(
    ("table", "turn"),
    [
        ({"hand": "R5 B4 W4 G9"}, "B4 deck"),
        ({"hand": "R5 B4 Gx Wx"}, "Gx deck"),
        ({"hand": "R5 R8 B6", "own": "R5"}, "B6 deck"),
        ({"hand": "R8 Rx B9", "own": "R5"}, "R8 deck"),
        ({"hand": "Rx B9", "own": "Rx", "piles": "R2"}, "Rx deck"),
        # With nothing to play it discards as `discard` does.
        ({"hand": "R3 R4 B5", "own": "R7 B8", "opponent": "R2"}, "-B5 deck"),
    ],
)
def test_greedy(table: dict[str, str], turn: str) -> None:
    assert choice(make("greedy"), **table) == turn


def test_greedy_opens_with_a_wager_whenever_it_holds_one() -> None:
    match = Match()
    states = deal(match, 50, seed=3)
    wagers = wagers_of(match)
    holds = states["hands"][:, 0][:, wagers].any(axis=1)
    step(states, make("greedy").act(*views(match, states)))
    np.testing.assert_array_equal(states["expeditions"][:, 0][:, wagers].any(axis=1), holds)
