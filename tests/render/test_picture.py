"""Pictures show what lies on the table, and nothing that the viewer may not see."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lostcities_env.render import card
from lostcities_env.render.canvas import Canvas
from lostcities_env.render.look import LOOKS, TABLE
from lostcities_env.render.picture import draw_picture
from lostcities_env.rules.actions import parse_action
from lostcities_env.rules.game import Game
from tests.agents.positions import shuffle_unseen
from tests.envs.play import choose
from tests.render.golden.write import PICTURES, largest_difference, read
from tests.rules.deals import stack
from tests.strategies import games, play_random_turn

TOLERANCE = 8.0
"""Of `largest_difference`: other versions of the font library, fewer colours in the file."""


def same(one: np.ndarray, other: np.ndarray) -> bool:
    return np.array_equal(one, other)


@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_is_as_ever(name: str) -> None:
    """If a change is meant: ``python -m tests.render.golden.write``, and look at the files."""
    assert largest_difference(PICTURES[name](), read(name)) < TOLERANCE


@pytest.mark.parametrize(("one", "other"), [("R8", "R9"), ("Y3", "Y8"), ("W4", "B4"), ("P10", "R10")])
def test_one_other_card_is_beyond_the_tolerance(one: str, other: str) -> None:
    with_one, with_other = (Game("six"), Game("six"))
    for game, kept in ((with_one, one), (with_other, other)):
        game.restart(deck=stack(f"{kept} G2", variant=game.variant))
    hands = [draw_picture(game, viewer=0) for game in (with_one, with_other)]
    assert largest_difference(*hands) > 2 * TOLERANCE


class TestWhatIsShown:
    @settings(max_examples=15)
    @given(game=games(), viewer=st.sampled_from([None, 0, 1]), choice=st.floats(0, 1, exclude_max=True))
    def test_a_turn_changes_the_picture_and_not_its_size(
        self, game: Game, viewer: int | None, choice: float
    ) -> None:
        before = draw_picture(game, viewer=viewer)
        height, width, _ = before.shape
        assert before.dtype == np.uint8
        assert (height % 2, width % 2) == (0, 0)
        if not game.over:
            play_random_turn(game, choice)
            after = draw_picture(game, viewer=viewer)
            assert after.shape == before.shape
            assert not same(before, after)

    @settings(max_examples=15)
    @given(game=games(), seed=st.integers(0, 2**32 - 1))
    def test_what_is_hidden_from_the_viewer_is_not_in_the_picture(self, game: Game, seed: int) -> None:
        viewer = game.mover
        before = draw_picture(game, viewer=viewer)
        game.states[:] = shuffle_unseen(game.states, np.random.default_rng(seed))
        assert same(draw_picture(game, viewer=viewer), before)

    def test_every_turn_that_there_is_looks_different(self) -> None:
        game = Game("mini3", seed=1)
        game.play("-R1 deck")
        pictures = []
        for turn in game.legal():
            after = game.clone()
            after.play(turn)
            pictures.append(draw_picture(after, viewer=0, last=parse_action(game.variant, turn)))
        assert len(pictures) > 8
        assert not any(same(one, other) for one, other in itertools.combinations(pictures, 2))

    def test_viewers_see_their_own_hand(self) -> None:
        game = Game(seed=1)
        pictures = [draw_picture(game, viewer=viewer) for viewer in (None, 0, 1)]
        assert not any(same(one, other) for one, other in itertools.combinations(pictures, 2))
        half = pictures[0].shape[1] // 2
        assert same(pictures[1][:, : half - 60], pictures[0][:, : half - 60])
        assert same(pictures[2][:, half + 60 :], pictures[0][:, half + 60 :])

    def test_a_card_that_the_opponent_knows_is_marked(self) -> None:
        game = Game(deck=stack("R2 G2", "R3 B3", "W5 W6"))
        for turn in ("-R2 deck", "B3 R"):
            game.play(turn)
        unknown = game.clone()
        unknown.states[0]["known"][:] = 0
        assert not same(draw_picture(game), draw_picture(unknown))

    def test_the_end_of_a_match_names_the_winner(self) -> None:
        game, rng = Game("mini1", rounds=3, seed=1), np.random.default_rng(0)
        while not game.over:
            game.step(choose(game.action_mask(), rng))
        pictures = []
        for winner in (-1, 0, 1):
            game.states[0]["winner"] = winner
            pictures.append(draw_picture(game))
        assert not any(same(one, other) for one, other in itertools.combinations(pictures, 2))

    def test_before_the_first_turn_nothing_was_done_last(self) -> None:
        game = Game(seed=1)
        assert same(draw_picture(game, last=0), draw_picture(game))

    def test_names(self) -> None:
        game = Game("mini1", seed=1)
        plain = draw_picture(game)
        for name in ("champion", "runs/" + 40 * "long/", "\0\ud800\n", ""):
            assert not same(draw_picture(game, players=(name, "player 1")), plain)

    def test_scale(self) -> None:
        game = Game("mini1", seed=1)
        height, width, _ = draw_picture(game).shape
        assert draw_picture(game, scale=2).shape == (2 * height, 2 * width, 3)


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(LOOKS, 2)))
def test_colours_are_told_apart_without_seeing_colours(one: str, other: str) -> None:
    """Where the sign of a card is lighter or darker than the card: compared for cards of one rank."""
    shapes = []
    for letter in (one, other):
        canvas = Canvas(card.WIDTH, card.HEIGHT, 1, TABLE)
        canvas.put(card.face(f"{letter}7", 1), 0, 0)
        grey = canvas.pixels().mean(axis=2)
        shapes.append(np.abs(grey - np.median(grey)) > 12)
    sign = (slice(26, 41), slice(4, 20))
    assert (shapes[0] ^ shapes[1])[sign].sum() >= 20


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"viewer": 2}, "viewer=2 is neither None, 0 nor 1"),
        ({"players": ("one",)}, "are not two names"),
        ({"scale": 0}, "scale=0 is not a whole number in 1..4"),
        ({"scale": 1.5}, "scale=1.5 is not a whole number"),
        ({"last": 600}, "action 600 is outside 0..599"),
    ],
)
def test_bad_arguments(kwargs: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        draw_picture(Game(), **kwargs)  # type: ignore[arg-type]


def test_drawing_needs_no_display_and_says_nothing() -> None:
    code = """
from lostcities_env.render.picture import draw_picture
from lostcities_env.rules.game import Game

draw_picture(Game("mini1", seed=1))
import pygame
print(pygame.display.get_init())
"""
    environment = os.environ | {"SDL_VIDEODRIVER": "none at all"}
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    assert (result.stdout, result.stderr) == ("False\n", "")
