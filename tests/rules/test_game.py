import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lostcities_env.rules.actions import parse_action
from lostcities_env.rules.cards import NotationError
from lostcities_env.rules.game import ColourScore, Game, IllegalActionError
from lostcities_env.rules.variant import InvalidVariantError, Variant
from tests.rules.deals import discard, play_out, stack
from tests.strategies import games, play_random_turn


def play_on(game: Game, choices: list[float]) -> list[str]:
    """Random turns by given choices, over the ends of matches."""
    turns = []
    for choice in choices:
        if game.over:
            game.restart()
            turns.append(" ".join(game.hand(0)))
        turns.append(play_random_turn(game, choice))
    return turns


# -- Illegal actions -------------------------------------------------------------------------------


def test_a_card_that_is_not_in_hand() -> None:
    game = Game(deck=stack("R2 R3 R4 R5 R6 R7 R8 R9"))
    message = (
        r"^playing B7 and drawing from the deck is illegal for player 0: "
        r"B7 is not in hand \(R2 R3 R4 R5 R6 R7 R8 R9\)$"
    )
    with pytest.raises(IllegalActionError, match=message):
        game.play("B7 deck")


def test_a_number_that_is_too_low() -> None:
    game = Game(deck=stack("R2 R7"))
    game.play("R7 deck")
    game.play(discard(game))
    message = (
        r"^playing R2 and drawing from the deck is illegal for player 0: R2 does not go on the red "
        r"expedition, whose last card is R7 \(numbers must rise\)$"
    )
    with pytest.raises(IllegalActionError, match=message):
        game.play("R2 deck")


def test_a_wager_after_a_number() -> None:
    game = Game(deck=stack("Rx R7"))
    game.play("R7 deck")
    game.play(discard(game))
    with pytest.raises(IllegalActionError, match=r"playing Rx .* R7 \(a wager goes before any number\)$"):
        game.play("Rx deck")


def test_an_empty_pile() -> None:
    game = Game(deck=stack("R2"))
    message = "^discarding R2 and drawing from the green pile is illegal for player 0: that pile is empty$"
    with pytest.raises(IllegalActionError, match=message):
        game.play("-R2 G")


def test_drawing_the_own_discard() -> None:
    game = Game(deck=stack("R2"))
    message = (
        "^discarding R2 and drawing from the red pile is illegal for player 0: "
        "a card may not be drawn back in the turn that discards it$"
    )
    with pytest.raises(IllegalActionError, match=message):
        game.play("-R2 R")


def test_closed_piles() -> None:
    variant = Variant("closing", piles_close_at=1)
    game = Game(variant, deck=stack("R2", "B2", variant=variant))
    game.play("-R2 deck")
    message = (
        r"^playing B2 and drawing from the red pile is illegal for player 1: from turn 1 of a round on "
        r"\(this is turn 1\) only the deck may be drawn$"
    )
    with pytest.raises(IllegalActionError, match=message):
        game.play("B2 R")


def test_after_the_end() -> None:
    game = Game(seed=1)
    play_out(game)
    message = "^playing Rx and drawing from the deck is illegal for player 0: the game is over; reset it"
    with pytest.raises(IllegalActionError, match=message):
        game.play("Rx deck")


@pytest.mark.parametrize("action", [-1, 600, np.int64(600)])
def test_an_action_out_of_range(action: int) -> None:
    with pytest.raises(IllegalActionError, match=rf"action {action} is outside 0\.\.599 of variant"):
        Game(seed=1).step(action)


@pytest.mark.parametrize("action", [1.0, True, "R7 deck", None])
def test_an_action_that_is_no_integer(action: int) -> None:
    with pytest.raises(TypeError, match="an action is an integer, got"):
        Game(seed=1).step(action)


@given(games(), st.integers(0, 10**6))
def test_an_illegal_action_changes_nothing(game: Game, number: int) -> None:
    illegal = np.flatnonzero(game.action_mask() == 0)
    before = game._states.copy()
    with pytest.raises(IllegalActionError):
        game.step(int(illegal[number % illegal.size]))
    assert np.array_equal(game._states, before)


# -- Copies ----------------------------------------------------------------------------------------


def pickled(game: Game) -> Game:
    return pickle.loads(pickle.dumps(game))


def restored(game: Game) -> Game:
    other = Game(game.variant, rounds=game.match.rounds, tie=game.match.tie, seed=99)
    other.set_state(game.get_state())
    return other


@pytest.mark.parametrize("copied", [Game.clone, copy.deepcopy, pickled, restored])
@given(game=games(), choices=st.lists(st.floats(0, 1, exclude_max=True), max_size=30))
def test_a_copy_goes_on_alike_and_apart(
    copied: Callable[[Game], Game], game: Game, choices: list[float]
) -> None:
    before = game.to_dict()
    other = copied(game)
    turns = play_on(other, choices)
    assert game.to_dict() == before
    assert play_on(game, choices) == turns
    assert game.to_dict() == other.to_dict()


def test_a_copy_keeps_the_given_decks() -> None:
    decks = [stack("R2"), stack("G2")]
    game = Game(rounds=2, deck=decks)
    snapshot = game.get_state()
    for other in (game.clone(), pickled(game)):
        play_out(other)
        assert "G2" in other.hand(0)
    play_out(game)
    game.set_state(snapshot)
    play_out(game)
    assert "G2" in game.hand(0)


@pytest.mark.parametrize("other", [Game("six", seed=1), Game(seed=1, rounds=3)])
def test_a_snapshot_of_another_match_is_refused(other: Game) -> None:
    with pytest.raises(ValueError, match="the snapshot is of another variant, number of rounds or tie rule"):
        Game(seed=1).set_state(other.get_state())


# -- Seeds and decks -------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_deals() -> None:
    first, second, other = Game(seed=7), Game(seed=7), Game(seed=8)
    assert first.to_dict() == second.to_dict() != other.to_dict()
    for game in (first, second):
        game.restart()
    assert first.to_dict() == second.to_dict()
    assert first.deck() != Game(seed=7).deck()
    first.seed(7)
    first.restart()
    assert first.to_dict() == Game(seed=7).to_dict()


def test_without_a_seed_every_deal_is_another() -> None:
    assert Game().deck() != Game().deck()


def test_one_deck_is_of_the_first_round() -> None:
    game = Game(rounds=2, seed=3, deck=stack("R2"))
    assert "R2" in game.hand(0)
    play_out(game)
    shuffled = Game(seed=3)  # the generator has not been used for the given deck
    assert game.deck() == shuffled.deck()


def test_a_deck_for_each_round_and_for_the_extra_one() -> None:
    deck = stack("R2")
    game = Game(rounds=2, tie="extra_round", deck=[deck, deck, stack("G2")])
    play_out(game)
    play_out(game)
    assert game.round == 2
    assert "G2" in game.hand(0)


@pytest.mark.parametrize(
    ("deck", "error", "message"),
    [
        ([], ValueError, "a deck of variant 'standard' has 60 cards, got 0"),
        (stack()[1:], ValueError, "has 60 cards, got 59"),
        (stack()[:-1] + stack()[:1], ValueError, r"time\(s\) instead of"),
        ([*stack()[:-1], "P2"], NotationError, "card 'P2' does not begin with a colour"),
        ("R7", NotationError, "a deck is a list of cards"),
        (5, NotationError, "a deck is a list of cards such as .*, got 5"),
        ([stack()] * 4, ValueError, r"4 decks given for a match of at most 3 round\(s\)"),
        ([stack(), stack()[1:]], ValueError, "^deck of round 1: a deck of variant"),
        ([stack(), ["R"]], NotationError, "^deck of round 1: card 'R' has no rank"),
    ],
)
def test_a_bad_deck(deck: list[str], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Game(rounds=3, deck=deck)


def test_a_bad_deck_changes_nothing() -> None:
    game = Game(seed=1)
    before = game.to_dict()
    with pytest.raises(ValueError, match="60 cards"):
        game.restart(deck=[])
    assert game.to_dict() == before


# -- Arguments and accessors -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"variant": "seven"}, InvalidVariantError, "no variant 'seven'"),
        ({"rounds": 0}, ValueError, "rounds=0 is outside"),
        ({"tie": "toss"}, ValueError, "no tie rule 'toss'"),
        ({"seed": -1}, ValueError, "seed -1 is outside"),
        ({"seed": 1.5}, TypeError, "a seed is an integer"),
        ({"first_player": 2}, ValueError, "first_player=2 is neither 0 nor 1"),
        ({"first_player": True}, ValueError, "first_player=True is neither"),
    ],
)
def test_a_bad_argument(arguments: dict[str, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Game(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("player", [-1, 2])
def test_a_player_that_is_not_there(player: int) -> None:
    game = Game(seed=1)
    for ask in (game.hand, game.known, game.observation, game.score_breakdown):
        with pytest.raises(ValueError, match=f"player {player} is neither 0 nor 1"):
            ask(player)
    with pytest.raises(ValueError, match=f"player {player} is neither 0 nor 1"):
        game.expedition(player, 0)


@pytest.mark.parametrize("colour", [-1, 5])
def test_a_colour_that_is_not_there(colour: int) -> None:
    game = Game(seed=1)
    with pytest.raises(ValueError, match=rf"colour {colour} is outside 0\.\.4"):
        game.pile(colour)
    with pytest.raises(ValueError, match=rf"colour {colour} is outside 0\.\.4"):
        game.expedition(0, colour)


def test_the_gain_of_a_turn() -> None:
    game = Game(deck=stack("R7 R9", "B2"))
    assert game.clone().step(parse_action(game.variant, "-R7 deck")) == 0
    assert game.step(parse_action(game.variant, "R7 deck")) == -13
    assert game.scores == (-13, 0)


def test_what_made_a_score() -> None:
    game = Game(deck=stack("Rx R7"))
    for card in ("Rx", "R7"):
        game.play(f"{card} deck")
        game.play(discard(game))
    breakdown = game.score_breakdown(0)
    assert list(breakdown) == ["red", "blue", "green", "yellow", "white"]
    assert breakdown["red"] == ColourScore(cards=2, wagers=1, total=7, cost=20, bonus=0, points=-26)
    assert breakdown["blue"] == ColourScore(0, 0, 0, 0, 0, 0)


@given(games())
def test_the_breakdown_adds_up(game: Game) -> None:
    for player in range(2):
        breakdown = game.score_breakdown(player).values()
        for score in breakdown:
            assert score.points == (score.total - score.cost) * (1 + score.wagers) + score.bonus
        assert sum(score.points for score in breakdown) == game.scores[player]
