import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lostcities_env.rules.game import Game
from lostcities_env.rules.serialise import InvalidStateError
from tests.rules.deals import play_out, stack
from tests.strategies import games, play_random_turn

Change = Callable[[dict[str, Any]], Any]


@given(game=games(), choices=st.lists(st.floats(0, 1, exclude_max=True), max_size=40))
def test_a_game_read_back_is_the_same_and_goes_on_alike(game: Game, choices: list[float]) -> None:
    data = json.loads(json.dumps(game.to_dict()))
    assert data == game.to_dict()
    other = Game.from_dict(data)
    assert other.to_dict() == data
    for choice in choices:
        if game.over:
            game.restart()
            other.restart()
        assert play_random_turn(game, choice) == play_random_turn(other, choice)
        assert other.to_dict() == game.to_dict()
        for player in range(2):
            assert (other.observation(player, "full") == game.observation(player, "full")).all()


def test_given_decks_are_kept() -> None:
    game = Game(rounds=3, deck=[stack("R2"), stack("G2"), stack("Y2")])
    play_out(game)
    other = Game.from_dict(game.to_dict())
    play_out(other)
    assert "Y2" in other.hand(0)


def test_what_it_looks_like() -> None:
    game = Game("mini3", seed=1)
    game.play(game.legal()[0])
    assert game.to_dict() == {
        "format": 1,
        "variant": game.variant.to_dict(),
        "rounds": 1,
        "tie": "draw",
        "starter": 0,
        "deck": ["B2"],
        "hands": [["R3", "Bx", "B1"], ["Rx", "R2", "B3"]],
        "known": [[], []],
        "expeditions": [[["R1"], []], [[], []]],
        "piles": [[], []],
        "mover": 1,
        "turn": 1,
        "round": 0,
        "round_scores": [],
        "best_expedition": [0, 0],
        "over": False,
        "winner": None,
        "generator": ["423306f5f7ec88d0", "2f156758ca80578d", "e764a0fcc7a570db", "ac9f9b919f511d46"],
        "next_decks": [],
    }


def example() -> dict[str, Any]:
    """The second round of a match; both players have a card of a pile in hand."""
    game = Game(rounds=3, seed=1, deck=[stack("R8"), stack("R2 R3", "B2 B3", "G2 G3")])
    game.play("R8 deck")
    play_out(game)
    assert game.mover == 1
    for turn in ("-B2 deck", "R3 B", "-B3 deck", "-R2 B", "G2 R"):
        game.play(turn)
    return game.to_dict()


def change(*path: Any, to: Any) -> Change:
    def set_it(data: dict[str, Any]) -> None:
        inner: Any = data
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = to

    return set_it


def finish(data: dict[str, Any]) -> dict[str, Any]:
    """The same match at its end."""
    game = Game.from_dict(data)
    while not game.over:
        play_out(game)
    return game.to_dict()


def test_the_example_can_be_read() -> None:
    assert Game.from_dict(example()).to_dict() == example()
    assert Game.from_dict(finish(example())).over


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda data: data.pop("deck"), "^the state: missing deck$"),
        (change("decks", to=[]), "^the state: unknown decks; there are format, variant, "),
        (change("format", to=2), "^format: 2; this version reads format 1$"),
        (change("format", to=True), "^format: True"),
        (change("variant", to="standard"), "^variant: a dict is wanted, got str$"),
        (lambda data: data["variant"].pop("bonus"), "^variant: missing bonus$"),
        (change("variant", "bonus", to=-1), "^variant, rounds, tie: .* bonus=-1 is outside"),
        (change("rounds", to=0), "^variant, rounds, tie: rounds=0 is outside"),
        (change("tie", to=[]), "^variant, rounds, tie: no tie rule"),
        (change("generator", to=[]), "^generator: 4 entries are wanted, got 0$"),
        (change("generator", 2, to="xyz"), r"^generator\[2\]: 16 hexadecimal digits are wanted, got 'xyz'$"),
        (change("generator", 2, to=7), r"^generator\[2\]: 16 hexadecimal digits"),
        (change("generator", to=["0" * 16] * 4), "^generator: its words are all 0"),
        (change("next_decks", to=[stack(), stack()]), r"^next_decks: 2 decks for at most 1 round\(s\)"),
        (change("next_decks", to=[["R2"]]), r"^next_decks\[0\]: a deck of variant 'standard' has 60"),
        (change("next_decks", to=["R2"]), r"^next_decks\[0\]: a list is wanted, got 'R2'$"),
        (change("deck", to=None), "^deck: a list is wanted, got None$"),
        (change("deck", 0, to="R77"), r"^deck\[0\]: card 'R77' has no rank"),
        (change("deck", 0, to=7), r"^deck\[0\]: a card is text"),
        (lambda data: data["deck"].pop(), r"^the cards: Rx lies there 2 time\(s\), not 3$"),
        (lambda data: data["deck"].append("R2"), r"^the cards: R2 lies there 2 time\(s\), not 1$"),
        (lambda data: data["hands"].pop(), "^hands: 2 entries are wanted, got 1$"),
        (lambda data: data["hands"][1].pop(), r"^hands\[1\]: 8 cards are wanted, got 7$"),
        (change("known", 0, to=["W2"]), r"^known\[0\]: W2 is not in that hand$"),
        (change("known", 0, to=["B2", "B2"]), r"^known\[0\]: B2 is not in that hand$"),
        (change("expeditions", 0, to=[]), r"^expeditions\[0\]: 5 entries are wanted, got 0$"),
        (
            change("expeditions", 0, 0, to=["R3", "R2"]),
            r"^expeditions\[0\]\[0\]\[1\]: R2 does not go on R3; wagers come first, then numbers rise$",
        ),
        (change("expeditions", 0, 0, to=["R3", "R3"]), "R3 does not go on R3"),
        (change("expeditions", 0, 0, to=["R3", "Rx"]), "Rx does not go on R3"),
        (change("expeditions", 0, 0, to=["B5"]), r"^expeditions\[0\]\[0\]\[0\]: B5 is not red$"),
        (change("piles", 2, to=["R2"]), r"^piles\[2\]\[0\]: R2 is not green$"),
        (change("piles", 2, to=["G2"] * 13), r"^piles\[2\]: 13 cards, a colour has 12$"),
        (change("piles", to=[]), "^piles: 5 entries are wanted, got 0$"),
        (change("turn", to=-1), r"^turn: an integer from 0 to 244 is wanted, got -1$"),
        (change("turn", to=5.0), "^turn: an integer"),
        (change("turn", to=3), r"^known: more cards than the"),
        (change("turn", to=1), r"^deck: \d+ cards are left of 44 after 1 turn\(s\)$"),
        (change("turn", to=243), r"^turn: 243 with \d cards drawn from the deck makes \d+ from the piles"),
        (change("mover", to=1), "^mover: player 1 is not to move in turn 5"),
        (change("mover", to=2), "^mover: an integer from 0 to 1 is wanted, got 2$"),
        (change("starter", to=None), "^starter: an integer"),
        (change("round", to=2), "^round_scores: 2 entries are wanted, got 1$"),
        (change("round", to="1"), "^round: an integer"),
        (change("round_scores", 0, to=[1, 2, 3]), r"^round_scores\[0\]: 2 entries are wanted, got 3$"),
        (change("round_scores", 0, 0, to=781), r"^round_scores\[0\]\[0\]: an integer from -400 to 780"),
        (change("round_scores", 0, to=[3, 1]), "^starter: the higher scorer of the round before starts, 0$"),
        (change("best_expedition", 0, to=157), r"^best_expedition\[0\]: an integer from -80 to 156"),
        (change("best_expedition", 1, to=-1), r"^best_expedition\[1\]: -1 does not agree"),
        (change("over", to=1), "^over: true or false is wanted, got 1$"),
        (change("over", to=True), r"^over: True with \d+ cards in the deck$"),
        (change("winner", to=0), "^winner: 0, but the scores make it None$"),
    ],
)
def test_a_state_that_no_game_is_in(spoil: Change, message: str) -> None:
    data = example()
    spoil(data)
    with pytest.raises(InvalidStateError, match=message):
        Game.from_dict(data)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (change("over", to=False), "^over: False with 0 cards in the deck$"),
        (change("winner", to=None), "^winner: None, but the scores make it 1$"),
        (change("winner", to=True), "^winner: True, but"),
        (change("rounds", to=4), r"^round: 2 \(over: True\) in a match of 4 round\(s\)$"),
        (change("round_scores", 2, to=[5, 5]), r"^round_scores\[2\]: \[5, 5\], but the expeditions make"),
    ],
)
def test_an_end_that_no_game_has(spoil: Change, message: str) -> None:
    data = finish(example())
    spoil(data)
    with pytest.raises(InvalidStateError, match=message):
        Game.from_dict(data)


@pytest.mark.parametrize("data", [None, [], "{}"])
def test_what_is_no_state(data: Any) -> None:
    with pytest.raises(InvalidStateError, match=r"^the state: a dict is wanted"):
        Game.from_dict(data)
