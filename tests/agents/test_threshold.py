import pytest

from lostcities_env.agents import make
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import Variant
from tests.agents.positions import choice, mean_margin, play_pairs

LOW = "B2 G2 Y2"
"""Cards of three colours that are not worth opening."""

PLAYS = [
    ("the lowest number may skip two ranks", {"hand": "R6 R10", "own": "R3"}, "R6 deck"),
    ("but not three", {"hand": "R7 W2", "own": "R3"}, "-W2 deck"),
    ("the smallest skip first", {"hand": "R6 B8", "own": "R4 B7"}, "B8 deck"),
    ("equal skips: the first colour", {"hand": "B6 R6", "own": "R4 B4"}, "R6 deck"),
    ("an opened colour before a new one", {"hand": "R6 B8 B9 B10", "own": "R3"}, "R6 deck"),
    ("any skip when the held cards fill the turns", {"hand": "R9 W2", "own": "R3", "deck": 2}, "R9 deck"),
    ("not when a turn is left over", {"hand": "R9 W2", "own": "R3", "deck": 3}, "-W2 deck"),
    ("two cards, two turns", {"hand": "R9 R10 W2", "own": "R3", "deck": 3}, "R9 deck"),
    ("ranks below the first number count as skipped", {"hand": "R5 W2", "own": "Rx"}, "-W2 deck"),
    ("so the 4 skips two", {"hand": "R4 W2", "own": "Rx"}, "R4 deck"),
    ("another wager goes first", {"hand": "Rx R4 R10 R9 R8", "own": "Rx"}, "Rx deck"),
    ("unless the hand is too poor", {"hand": "Rx R4 R10 R9", "own": "Rx"}, "R4 deck"),
    ("or it is late", {"hand": "Rx R4 R10 R9 R8", "own": "Rx", "deck": 20}, "R4 deck"),
]
OPENINGS = [
    ("a held sum of 18", {"hand": "R8 R10 " + LOW}, "R8 deck"),
    ("not 17", {"hand": "R8 R9 " + LOW}, "-B2 deck"),
    ("the largest sum", {"hand": "R8 R10 B9 B10"}, "B9 deck"),
    ("the first of equal sums", {"hand": "B8 B10 R8 R10"}, "R8 deck"),
    ("with a wager from 24", {"hand": "Rx R7 R8 R9 " + LOW}, "Rx deck"),
    ("without one below", {"hand": "Rx R6 R8 R9 " + LOW}, "R6 deck"),
    ("18 while the deck has 20", {"hand": "R8 R10 " + LOW, "deck": 20}, "R8 deck"),
    ("24 when it has fewer", {"hand": "R8 R10 " + LOW, "deck": 19}, "-B2 deck"),
    ("24 is enough", {"hand": "R7 R8 R9 " + LOW, "deck": 19}, "R7 deck"),
    ("no wager unless the deck is over 20", {"hand": "Rx R7 R8 R9 R10", "deck": 20}, "R7 deck"),
    ("a wager at 21", {"hand": "Rx R7 R8 R9 R10", "deck": 21}, "Rx deck"),
]
DISCARDS = [
    ("worth nothing to either", {"hand": "R3 B2 R10", "own": "R4", "opponent": "R5"}, "-R3 deck"),
    ("a quarter of the held sum and a third of the number", {"hand": "R2 R9 B7"}, "-R2 deck"),  # 3.4, 4.1
    ("3 for an own wager: 3 against 4.1", {"hand": "Rx B7"}, "-Rx deck"),
    ("3 for an own wager: 3 against 2.9", {"hand": "Rx B5"}, "-B5 deck"),
    (
        "5 and the number for what they can play",
        {"hand": "R2 B10", "opponent": "Rx"},
        "-B10 deck",
    ),  # 7.5, 5.8
    (
        "6 and the number for what I can play",
        {"hand": "R7 B8", "own": "R3", "opponent": "Bx"},
        "-B8 deck",
    ),  # 15.3, 15
    ("the two together", {"hand": "R7 B9", "own": "R3", "opponent": "Bx"}, "-R7 deck"),  # 15.3, 16.25
    ("dead for them", {"hand": "R8 B9", "opponent": "R9"}, "-R8 deck"),  # 2, 5.25
    ("equal worth: the lowest rank of the first colour", {"hand": "G2 B2"}, "-B2 deck"),
]
DRAWS = [
    ("the next rank", {"hand": "W2", "own": "R3", "piles": "R4"}, "-W2 R"),
    ("skipping one", {"hand": "W2", "own": "R3", "piles": "R5"}, "-W2 R"),
    ("not skipping two", {"hand": "W2", "own": "R3", "piles": "R6"}, "-W2 deck"),
    ("only the top", {"hand": "W2", "own": "R3", "piles": "R4 R2"}, "-W2 deck"),
    ("only an opened colour", {"hand": "W2", "piles": "R4"}, "-W2 deck"),
    ("the smallest skip", {"hand": "W2", "own": "R3 B3", "piles": "R5 B4"}, "-W2 B"),
    ("as the table is after the play", {"hand": "R5", "own": "R3", "piles": "R4 B2"}, "R5 deck"),
    ("on the colour just opened", {"hand": "R8 R10", "piles": "R9"}, "R8 R"),
    ("a wager on wagers", {"hand": "W2", "own": "Rx", "piles": "Rx"}, "-W2 R"),
    ("never the card just discarded", {"hand": "R4", "own": "R3 R6", "piles": "R7"}, "-R4 deck"),
]


@pytest.mark.parametrize(
    ("table", "turn"),
    [
        pytest.param(table, turn, id=f"{rule}: {what}")
        for rule, cases in (("play", PLAYS), ("open", OPENINGS), ("discard", DISCARDS), ("draw", DRAWS))
        for what, table, turn in cases
    ],
)
def test_rules_in_their_order(table: dict[str, str | int], turn: str) -> None:
    assert choice(make("threshold"), **table) == turn  # type: ignore[arg-type]


@pytest.mark.parametrize(("hand", "turn"), [("R4 R5", "R4 deck"), ("R3 R5 B2", "-B2 deck")])
def test_bars_scale_with_the_cost(hand: str, turn: str) -> None:
    cheap = Match(Variant("cheap", expedition_cost=10))
    assert choice(make("threshold", cheap), hand) == turn


@pytest.mark.parametrize(("deck", "turn"), [(26, "R8 deck"), (25, "-B2 deck")])
def test_lateness_scales_with_the_deck(deck: int, turn: str) -> None:
    six = Match("six")  # type: ignore[arg-type]
    assert choice(make("threshold", six), "R8 R10 B2 G2 Y2", deck=deck) == turn


def test_beats_random_and_greedy() -> None:
    threshold = make("threshold")
    assert 95 < mean_margin(threshold, make("random"), 100, seed=1) < 125
    assert 2 < mean_margin(threshold, make("greedy"), 200, seed=1) < 18


def test_against_itself() -> None:
    states = play_pairs(make("threshold"), make("threshold"), 100, seed=1)
    assert 8 < states["match_scores"].mean() < 18
    assert 44 <= states["turn"].mean() < 46
