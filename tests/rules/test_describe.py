import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lostcities_env.rules.describe import describe
from lostcities_env.rules.game import Game
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import LEVELS
from tests.rules.deals import play_out, stack
from tests.strategies import games


def example() -> Game:
    """A third round in which player 0 knows a card of player 1."""
    hands = "Rx R7 B2 B3 W2 W3 W4 W5", "B9 G4 W10 Y4 Y5 Y6 Y7 Y8"
    game = Game(rounds=3, deck=[stack("R8"), stack(), stack(*hands, "Gx Y2 Y3")])
    game.play("R8 deck")
    play_out(game)
    play_out(game)
    assert game.mover == 1
    for turn in ("-B9 deck", "Rx deck", "G4 deck", "-B2 deck", "W10 B", "-B3 deck"):
        game.play(turn)
    return game


VISIBLE = """\
hand: R7 Y2 W2 W3 W4 W5 W8 W9
own red: Rx (-40)
own blue: - (0)
own green: - (0)
own yellow: - (0)
own white: - (0)
opponent's red: - (0)
opponent's blue: - (0)
opponent's green: G4 (-16)
opponent's yellow: - (0)
opponent's white: W10 (-10)
piles: blue B3
deck: 39 cards left
score: -40 against -26"""

REMEMBERED = """
turn of the round: 6; rounds to come: 0; match margin before this round: -12
opponent surely holds: B2
opponent knows of own hand: -"""

RECALL = VISIBLE.replace("blue B3", "blue B3 on B9") + REMEMBERED

HIDDEN = """
opponent's hand (hidden): B2 Gx Y3 Y4 Y5 Y6 Y7 Y8
deck (hidden), next card first: W7 W6 Wx Wx Wx Y10 Y9 Yx Yx Yx G10 G9 G8 G7 G6 G5 G3 G2 Gx Gx \
B10 B8 B7 B6 B5 B4 Bx Bx Bx R10 R9 R8 R6 R5 R4 R3 R2 Rx Rx
to move: no"""


@pytest.mark.parametrize(
    ("level", "text"), [("visible", VISIBLE), ("recall", RECALL), ("full", RECALL + HIDDEN)]
)
def test_every_level_in_words(level: str, text: str) -> None:
    assert describe(example().observation(0, level), Match(rounds=3)) == text


def test_the_other_side() -> None:
    text = describe(example().observation(1, "recall"), Match(rounds=3))
    assert "opponent surely holds: -\nopponent knows of own hand: B2" in text
    assert "match margin before this round: 12\n" in text
    assert "score: -26 against -40\n" in text


@given(games(), st.integers(0, 1), st.sampled_from(LEVELS))
def test_it_says_what_the_game_says(game: Game, player: int, level: str) -> None:
    lines = describe(game.observation(player, level), game.match).splitlines()
    assert lines[0] == f"hand: {' '.join(game.hand(player))}"
    own, theirs = game.scores[player], game.scores[1 - player]
    assert f"score: {own} against {theirs}" in lines
    for whose, of_player in (("own", player), ("opponent's", 1 - player)):
        for colour, (name, score) in enumerate(game.score_breakdown(of_player).items()):
            cards = " ".join(game.expedition(of_player, colour)) or "-"
            assert f"{whose} {name}: {cards} ({score.points})" in lines
    if level == "visible":
        return
    for colour in range(game.variant.n_colours):
        pile = game.pile(colour)[::-1]
        if len(pile) > 1:
            assert f"{pile[0]} on {' '.join(pile[1:])}" in "\n".join(lines)
    assert f"opponent surely holds: {' '.join(game.known(1 - player)) or '-'}" in lines
    if level == "full":
        assert f"opponent's hand (hidden): {' '.join(game.hand(1 - player))}" in lines
        assert f"deck (hidden), next card first: {' '.join(game.deck()) or '-'}" in lines


def test_the_match_may_be_a_name_or_a_variant() -> None:
    game = Game("six", seed=1)
    row = game.observation(0)
    assert describe(row, "six") == describe(row, game.variant) == describe(row, game.match)


def test_a_wrong_length_is_answered_with_the_right_ones() -> None:
    message = (
        r"an observation of variant 'standard' has shape \(201,\) for visible, \(366,\) for recall, "
        r"\(477,\) for full; got \(200,\)"
    )
    with pytest.raises(ValueError, match=message):
        describe(np.zeros(200, dtype=np.float32))
    with pytest.raises(ValueError, match=r"got \(1, 201\)"):
        describe(np.zeros((1, 201), dtype=np.float32))


@pytest.mark.parametrize("observation", [np.zeros(201), np.zeros(201, dtype=np.int8), [0.0] * 201])
def test_a_wrong_dtype(observation: np.ndarray) -> None:
    with pytest.raises(
        TypeError, match=r"an observation is a NumPy array of float32, got (float64|int8|list)"
    ):
        describe(observation)
