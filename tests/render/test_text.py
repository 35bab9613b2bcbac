import io
import re

import numpy as np
import pytest

from lostcities_env.render.moments import table_after
from lostcities_env.render.text import render_text, supports_colour
from lostcities_env.rules.cards import all_cards, format_card
from lostcities_env.rules.game import Game
from lostcities_env.rules.variant import STANDARD, VARIANTS
from tests.envs.play import choose

DECK = [format_card(STANDARD, card) for card in all_cards(STANDARD)]
TURNS = ["Rx deck", "-R2 deck", "R5 deck", "-B2 R", "R7 B", "R10 deck", "B2 deck", "-Rx deck", "-B3 deck"]

BOTH_HANDS = """\
Lost Cities (standard): turn 9, deck 37

        player 0                points   pile   points  player 1
red     x 5 7                      -16  Rx (1)     -10  10
blue    2                          -18  B3 (1)       -  -
green   -                            -    -          -  -
yellow  -                            -    -          -  -
white   -                            -    -          -  -
total                              -34             -10

  player 0: Rx R3 R9 Bx Bx B5 B7 B9
> player 1: R2 R4 R6 R8 Bx B4 B6 B8"""

VIEWER_0 = """\
  player 0: Rx R3 R9 Bx Bx B5 B7 B9
> player 1: R2 7 hidden"""


def played() -> Game:
    game = Game(deck=DECK)
    for turn in TURNS:
        game.play(turn)
    return game


def play_to_the_end(game: Game, seed: int = 0) -> Game:
    rng = np.random.default_rng(seed)
    while not game.over:
        game.step(choose(game.action_mask(), rng))
    return game


class TestRenderText:
    def test_golden(self) -> None:
        assert render_text(played()) == BOTH_HANDS

    def test_a_viewer_sees_of_the_other_hand_what_is_known(self) -> None:
        assert render_text(played(), viewer=0).endswith(VIEWER_0)

    def test_piles_show_their_top_and_size(self) -> None:
        game = Game(deck=DECK)
        for turn in ("-R3 deck", "-R2 deck"):
            game.play(turn)
        assert re.search(r"^red +- +- +R2 \(2\) +- +-$", render_text(game), re.MULTILINE)

    def test_match(self) -> None:
        game = Game("mini1", rounds=3, seed=1)
        assert "round 1 of 3" in render_text(game)
        assert "Match 0 : 0 (finished rounds: none yet)" in render_text(game)
        play_to_the_end(game)
        board = render_text(game)
        rounds = ", ".join(f"{first} : {second}" for first, second in game.round_scores)
        assert f"Match {game.match_scores[0]} : {game.match_scores[1]} (finished rounds: {rounds})" in board
        assert ("Over: a draw" if game.winner is None else f"Over: player {game.winner} wins") in board
        assert ">" not in board

    def test_a_finished_round_is_called_by_its_own_number(self) -> None:
        game = Game("mini1", rounds=2, seed=1)
        while game.round == 0:
            before, action = game.clone(), int(game.action_mask().argmax())
            game.step(action)
        board = render_text(table_after(before, action))
        assert "round 1 of 2, turn" in board
        assert ">" not in board  # nobody is to move

    @pytest.mark.parametrize("name", VARIANTS)
    def test_every_variant_fits_80_columns(self, name: str) -> None:
        game, rng = Game(name, seed=1), np.random.default_rng(0)
        while not game.over:
            board = render_text(game, viewer=game.mover)
            assert max(map(len, board.splitlines())) <= 80
            assert all(line == line.rstrip() for line in board.splitlines())
            game.step(choose(game.action_mask(), rng))

    def test_colours_are_all_that_colour_adds(self) -> None:
        board = render_text(played(), colour=True)
        assert "\x1b[31mR10\x1b[0m" not in board
        assert "\x1b[31mRx\x1b[0m" in board
        assert re.sub("\x1b\\[[0-9]+m", "", board) == BOTH_HANDS

    @pytest.mark.parametrize("viewer", [2, -1, "0"])
    def test_bad_viewer(self, viewer: object) -> None:
        with pytest.raises(ValueError, match="is neither None, 0 nor 1"):
            render_text(played(), viewer=viewer)  # type: ignore[arg-type]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "no_colour", "want"),
    [
        (Terminal(), None, True),
        (Terminal(), "1", False),
        (Terminal(), "", True),
        (io.StringIO(), None, False),
    ],
)
def test_supports_colour(
    stream: io.StringIO, no_colour: str | None, want: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_colour is not None:
        monkeypatch.setenv("NO_COLOR", no_colour)
    assert supports_colour(stream) is want
