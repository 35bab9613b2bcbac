import numpy as np
import pytest
from hypothesis import given

from lostcities_env.rules.game import Game
from lostcities_env.rules.match import Match
from lostcities_env.rules.state import NEVER
from lostcities_env.rules.variant import InvalidVariantError, Variant
from tests.rules.deals import play_out, stack
from tests.strategies import matches

SHORT = Variant("short", n_colours=2, hand_size=11, piles_close_at=0)
"""Two turns a round: each player plays at most one card."""


def play_round(game: Game, card_0: str, card_1: str) -> None:
    """Both players play (or with a minus sign discard) one card, whoever starts."""
    for _ in range(2):
        game.play(f"{(card_0, card_1)[game.mover]} deck")


def short_match(rounds: int, tie: str = "draw", first_player: int = 0) -> Game:
    """A match in which every round deals player 0 ten red cards and player 1 ten blue ones."""
    deck = stack("Rx R2 R3 R4 R5 R6 R7 R8 R9 R10", "Bx B2 B3 B4 B5 B6 B7 B8 B9 B10", variant=SHORT)
    most = rounds + (tie == "extra_round")
    return Game(SHORT, rounds=rounds, tie=tie, deck=[deck] * most, first_player=first_player)


# -- Rounds ----------------------------------------------------------------------------------------


def test_points_of_three_rounds_add_up() -> None:
    game = short_match(3)
    play_round(game, "R10", "B9")
    play_round(game, "R4", "B5")
    assert game.round_scores == [(-10, -11), (-16, -15)]
    assert game.match_scores == (-26, -26)
    assert (game.round, game.over) == (2, False)
    play_round(game, "-R4", "B5")
    assert game.match_scores == (-26, -41)
    assert game.scores == (0, -15)
    assert (game.over, game.winner) == (True, 0)


def test_the_higher_scorer_starts_the_next_round_and_after_a_tie_the_same_player() -> None:
    game = short_match(5)
    starters = [game.mover]
    for cards in (("R5", "B5"), ("R4", "B5"), ("R5", "B5"), ("R6", "B5")):
        play_round(game, *cards)
        starters.append(game.mover)
    assert starters == [0, 0, 1, 1, 0]


def test_who_starts_the_first_round_can_be_chosen() -> None:
    game = short_match(2, first_player=1)
    assert game.mover == 1
    play_round(game, "R5", "B5")
    assert game.mover == 1


def test_the_next_round_is_dealt_at_once() -> None:
    game = Game(rounds=2, seed=1)
    play_out(game)
    assert (game.round, game.turn, game.deck_count, game.scores) == (1, 0, 44, (0, 0))
    assert all(game.pile(colour) == [] for colour in range(5))


# -- A tied match ------------------------------------------------------------------------------------


def test_a_tied_match_is_a_draw() -> None:
    game = short_match(1)
    play_round(game, "R5", "B5")
    assert (game.over, game.winner) == (True, None)


def test_one_extra_round_decides() -> None:
    game = short_match(1, "extra_round")
    play_round(game, "R5", "B5")
    assert (game.over, game.round) == (False, 1)
    play_round(game, "R5", "B6")
    assert (game.over, game.winner) == (True, 1)
    assert game.round_scores == [(-15, -15), (-15, -14)]
    assert game.match_scores == (-30, -29)


def test_there_is_only_one_extra_round() -> None:
    game = short_match(1, "extra_round")
    play_round(game, "R5", "B5")
    play_round(game, "R5", "B5")
    assert (game.over, game.winner) == (True, None)


def test_no_extra_round_for_a_match_that_is_won() -> None:
    game = short_match(1, "extra_round")
    play_round(game, "R5", "B6")
    assert (game.over, game.winner) == (True, 1)


def test_the_best_expedition_decides() -> None:
    # Eight points each: player 0's in two colours, player 1's in one.
    variant = Variant("free", n_colours=2, hand_size=10, expedition_cost=0, bonus_length=0, piles_close_at=0)
    hands = "R2 R3 R4 R5 R6 R7 R8 R9 B2 B3", "Bx R10 B4 B5 B6 B7 B8 B9 B10"
    game = Game(variant, tie="best_expedition", deck=stack(*hands, variant=variant))
    for turn in ("R5 deck", "B8 deck", "B3 deck"):
        game.play(turn)
    game.play(next(turn for turn in game.legal() if turn.startswith("-")))
    assert game.over
    assert game.scores == (8, 8)
    assert game.winner == 1


def test_level_best_expeditions_leave_a_draw() -> None:
    game = short_match(2, "best_expedition")
    play_round(game, "R5", "B6")
    play_round(game, "R6", "B5")
    assert game.match_scores == (-29, -29)
    assert (game.over, game.winner) == (True, None)


def test_the_best_expedition_does_not_decide_a_match_that_is_won() -> None:
    game = short_match(1, "best_expedition")
    play_round(game, "R10", "B9")
    assert game.winner == 0


# -- The description of a match ------------------------------------------------------------------------


def test_the_default_is_one_standard_round() -> None:
    assert Match() == Match("standard", 1, "draw")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("standard", 0), r"rounds=0 is outside 1\.\.9"),
        (("standard", 10), r"rounds=10 is outside 1\.\.9"),
        (("standard", 1.0), r"rounds=1\.0 is not an integer"),
        (("standard", True), "rounds=True is not an integer"),
        (("standard", 1, "coin"), "no tie rule 'coin'; there are draw, extra_round, best_expedition"),
    ],
)
def test_a_bad_argument(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Match(*arguments)  # type: ignore[arg-type]


def test_an_unknown_variant() -> None:
    with pytest.raises(InvalidVariantError, match="no variant 'seven'"):
        Match("seven")  # type: ignore[arg-type]


@given(matches())
def test_to_dict_and_back(match: Match) -> None:
    assert Match.from_dict(match.to_dict()) == match


def test_rounds_may_be_a_numpy_integer() -> None:
    match = Match(rounds=np.int64(3))  # type: ignore[arg-type]
    assert type(match.to_dict()["rounds"]) is int


@given(matches())
def test_records_say_what_is_played(match: Match) -> None:
    states = match.new_states(3)
    assert states.shape == (3,)
    for state in states:
        assert state["n_cards"] == match.variant.n_cards
        assert state["n_ranks"] == match.variant.n_ranks
        assert state["rounds"] == match.rounds
        close = match.variant.piles_close_at
        assert state["piles_close_at"] == (NEVER if close is None else close)
