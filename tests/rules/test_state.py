"""The rules, one by one."""

import numpy as np
import pytest
from hypothesis import given

from lostcities_env.rules import state as kernels
from lostcities_env.rules.actions import DECK, DISCARD, to_action
from lostcities_env.rules.cards import parse_card
from lostcities_env.rules.game import Game
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import STANDARD, Variant
from tests.rules.deals import discard, play_out, stack
from tests.strategies import games

ALL_OF_RED = "Rx Rx Rx R2 R3 R4 R5 R6 R7 R8 R9 R10"


def scores_of(cards: str, variant: Variant = STANDARD) -> dict[str, int]:
    """The score of each colour (by its letter) for cards on player 0's expeditions."""
    states = Match(variant).new_states(1)
    for card in cards.split():
        states[0]["expeditions"][0, parse_card(variant, card)] += 1
    kernels.derive_scores_at(states, 0)
    points = states[0]["colour_scores"][0]
    assert states[0]["scores"].tolist() == [points.sum(), 0]
    return {letter: int(points[colour]) for colour, letter in enumerate(variant.colours)}


# -- Scores ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "points"),
    [
        ("R2 R3 R7 R8 R10", 10),
        ("Rx Rx R4 R5 R6 R7 R8 R10", 80),
        ("Rx R4 R6 R7", -6),
        ("Rx", -40),
        ("Rx Rx Rx", -80),
        (ALL_OF_RED, 156),
        ("", 0),
        ("R2", -18),
        ("R2 R3 R4 R5 R6 R7 R8", 15),  # seven cards: no bonus
        ("Rx R2 R3 R4 R5 R6 R7 R8", 50),  # the wager is the eighth
    ],
)
def test_the_score_of_an_expedition(cards: str, points: int) -> None:
    assert scores_of(cards)["R"] == points


def test_the_score_of_a_round() -> None:
    yellow, white, green = "Y2 Y3 Y8 Y10", "Wx", "Gx G2 G3 G10"
    red = "Rx Rx R3 R4 R5 R6 R7 R10"
    scores = scores_of(f"{yellow} {white} {green} {red}")
    assert scores == {"Y": 3, "B": 0, "W": -40, "G": -10, "R": 65}
    assert sum(scores.values()) == 18


def test_no_bonus_where_the_variant_has_none() -> None:
    assert scores_of(ALL_OF_RED, Variant("no bonus", bonus_length=0))["R"] == 136


def test_the_whole_colour_played_card_by_card() -> None:
    game = Game(deck=stack("Rx Rx Rx R2 R3 R4 R5 R6", "", "R7 B2 R8 B3 R9 B4 R10 B5"))
    scores = []
    for card in ALL_OF_RED.split():
        game.play(f"{card} deck")
        game.play(discard(game))
        scores.append(game.scores[0])
    assert scores == [-40, -60, -80, -72, -60, -44, -24, 20, 48, 80, 116, 156]
    assert game.expedition(0, 0) == ALL_OF_RED.split()


# -- A turn ------------------------------------------------------------------------------------


def test_cards_are_dealt_in_turn_whoever_starts() -> None:
    deck = stack("R2 R3", "B2 B3", "G2 G3")
    for first_player in (0, 1):
        game = Game(deck=deck, first_player=first_player)
        assert game.mover == first_player
        assert {"R2", "R3"} <= set(game.hand(0))
        assert {"B2", "B3"} <= set(game.hand(1))
        assert game.deck() == deck[16:]
        assert game.deck_count == 44


def test_a_card_played_or_discarded_and_one_drawn() -> None:
    game = Game(deck=stack("R2 R3 G5", "B2 B3", "G2 G3"))
    game.play("R3 deck")
    assert game.expedition(0, 0) == ["R3"]
    assert "G2" in game.hand(0)
    assert "R3" not in game.hand(0)
    game.play("-B3 deck")
    assert game.pile(1) == ["B3"]
    assert "G3" in game.hand(1)
    game.play("G5 B")
    assert game.pile(1) == []
    assert "B3" in game.hand(0)
    assert game.turn == 3
    assert len(game.hand(0)) == len(game.hand(1)) == 8


def test_expeditions_ascend() -> None:
    game = Game(deck=stack("Rx R3 R5 R2", "B2"))
    for card in ("Rx", "R3"):
        game.play(f"{card} deck")
        game.play(discard(game))
    legal = game.legal()
    assert "R5 deck" in legal
    assert "R2 deck" not in legal
    assert "-R2 deck" in legal


def test_wagers_go_before_any_number() -> None:
    game = Game(deck=stack("Rx Rx Rx R3"))
    for _ in range(2):
        game.play("Rx deck")
        game.play(discard(game))
    assert "Rx deck" in game.legal()
    game.play("R3 deck")
    game.play(discard(game))
    assert "Rx deck" not in game.legal()
    assert "-Rx deck" in game.legal()


def test_a_card_just_discarded_may_not_be_drawn_back() -> None:
    game = Game(deck=stack("R5 R2 B4", "R7 R8"))
    game.play("-R5 deck")
    game.play("-R7 deck")
    legal = game.legal()
    assert "-R2 R" not in legal
    assert "-B4 R" in legal


def test_after_playing_a_colour_its_pile_may_be_drawn_from() -> None:
    game = Game(deck=stack("R2 W9", "R7"))
    game.play("-W9 deck")
    game.play("-R7 deck")
    game.play("R2 R")
    assert "R7" in game.hand(0)
    assert game.expedition(0, 0) == ["R2"]


def test_a_pile_gives_its_cards_back_from_the_top() -> None:
    game = Game(deck=stack("R2 R3", "B2 B3"))
    for turn in ("-R2 deck", "-B2 deck", "-R3 deck", "B3 R"):
        game.play(turn)
    assert game.pile(0) == ["R2"]
    assert game.known(1) == ["R3"]


def test_an_empty_pile_gives_nothing() -> None:
    assert {turn.split()[1] for turn in Game(seed=1).legal()} == {"deck"}


# -- Cards that the opponent knows ---------------------------------------------------------------


def test_a_card_drawn_from_a_pile_is_known_until_it_is_put_down() -> None:
    game = Game(deck=stack("R2", "R7"))
    game.play("-R2 deck")
    game.play("R7 R")
    assert game.known(1) == ["R2"]
    game.play(discard(game))
    game.play("-R2 deck")
    assert game.known(1) == []


def test_one_of_two_wagers_put_down_leaves_one_fewer_known() -> None:
    game = Game(deck=stack("Rx", "Rx B2"))
    game.play("-Rx deck")
    game.play("B2 R")
    assert game.known(1) == ["Rx"]
    assert game.hand(1).count("Rx") == 2
    game.play(discard(game))
    game.play("Rx deck")
    assert game.known(1) == []
    assert game.hand(1).count("Rx") == 1


# -- The end of a round --------------------------------------------------------------------------


def test_the_round_ends_with_the_last_card_of_the_deck() -> None:
    game = Game(seed=5)
    turns = play_out(game)
    assert len(turns) == 44
    assert game.over
    assert game.deck_count == 0
    assert game.legal() == []
    assert not game.action_mask().any()


def test_the_last_turn_still_counts_and_hands_do_not() -> None:
    variant = Variant("short", n_colours=1, hand_size=5, piles_close_at=None)
    game = Game(variant, deck=stack("R2 R4 R6 R8 R10", "R3 R5 R7 R9 Rx", variant=variant))
    game.play("R10 deck")
    game.play("-R3 deck")
    assert game.over
    assert game.scores == (-10, 0)
    assert game.winner == 1


def test_piles_close_at_the_given_turn() -> None:
    variant = Variant("closing", piles_close_at=2)
    game = Game(variant, deck=stack("R2 R5", "B2 R9", variant=variant))
    game.play("-R2 deck")
    assert "B2 R" in game.legal()
    game.play("B2 deck")
    assert game.pile(0) == ["R2"]
    assert {turn.split()[1] for turn in game.legal()} == {"deck"}


def test_piles_that_close_at_0_are_never_open() -> None:
    game = Game(Variant("closed", piles_close_at=0), seed=1)
    while not game.over:
        assert {turn.split()[1] for turn in game.legal()} == {"deck"}
        game.play(discard(game))


def test_a_recycling_round_ends_by_itself() -> None:
    game = Game(seed=1)
    while not game.over:
        from_pile = [turn for turn in game.legal() if not turn.endswith("deck")]
        game.play(from_pile[0] if from_pile else discard(game))
    assert STANDARD.piles_close_at is not None
    assert STANDARD.piles_close_at < game.turn <= STANDARD.piles_close_at + STANDARD.deck_size


def test_piles_that_never_close_may_be_recycled_for_ever() -> None:
    game = Game(Variant("open", piles_close_at=None), deck=stack("R2 R3", "B2 B3"))
    for turn in ("-R2 deck", "-B2 deck"):
        game.play(turn)
    parts = [to_action(STANDARD, action) for action in range(STANDARD.n_actions)]
    recycles = np.array([way == DISCARD and source != DECK for _, way, source in parts])
    for _ in range(40_000):
        game.step(int((game.action_mask() & recycles).argmax()))
    assert game.turn == 40_002
    assert game.deck_count == 42


# -- Masks and reasons ---------------------------------------------------------------------------


@given(games())
def test_the_mask_and_legality_agree(game: Game) -> None:
    mask = game.action_mask()
    reasons = [kernels.legality_at(game._states, 0, action) for action in range(mask.size)]
    assert (mask == [reason == kernels.LEGAL for reason in reasons]).all()


@given(games())
def test_there_is_a_legal_action_until_the_end(game: Game) -> None:
    assert game.action_mask().any() != game.over


@given(games())
def test_no_card_is_lost_or_made(game: Game) -> None:
    variant = game.variant
    cards = game.deck() + game.hand(0) + game.hand(1)
    for colour in range(variant.n_colours):
        cards += game.pile(colour) + game.expedition(0, colour) + game.expedition(1, colour)
    assert sorted(cards) == sorted(stack(variant=variant))


@given(games())
def test_what_is_kept_about_expeditions_follows_from_their_cards(game: Game) -> None:
    derived = game._states.copy()
    for field in ("top", "length", "total", "colour_scores"):
        derived[field][..., : game.variant.n_colours] = 99
    derived["scores"] = 99
    kernels.derive_scores_at(derived, 0)
    assert np.array_equal(derived, game._states)
