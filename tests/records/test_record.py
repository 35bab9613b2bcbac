"""A record replays to the game that it is of, and refuses what no game can have been."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from lostcities_env.records import InvalidRecordError, Record, Recorder, RoundRecord
from lostcities_env.rules.actions import parse_action
from lostcities_env.rules.game import Game
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import MINI_3, Variant
from tests.records.strategies import play, records

MATCH = Match(MINI_3, rounds=2, tie="extra_round")
DECKS = [deck.split() for deck in ("Bx R2 R1 B3 R3 Rx B1 B2", "R3 R2 B1 R1 B3 B2 Rx Bx")]
TURNS = [["-Rx deck", "-Bx R", "R2 B", "R1 deck"], ["R1 deck", "-B1 deck"]]
ACTIONS = [tuple(parse_action(MATCH.variant, turn) for turn in turns) for turns in TURNS]
ROUNDS = tuple(RoundRecord(tuple(deck), 1, turns) for deck, turns in zip(DECKS, ACTIONS, strict=True))
RECORD = Record(MATCH, ("ann", "bob"), ROUNDS, {"Seed": "1", "Date": "2026-11-30"})


def test_positions_are_the_games_before_each_action() -> None:
    game = Game("mini3", rounds=2, tie="extra_round", deck=DECKS, first_player=1, seed=0)
    for position, action in RECORD.positions():
        assert position.to_dict() == game.to_dict()
        game.step(action)
    assert RECORD.final().to_dict() == game.to_dict()
    assert game.over
    assert game.round_scores == [(-2, -1), (0, -2)]


def test_positions_are_independent_games() -> None:
    positions = list(RECORD.positions())
    assert [game.turn for game, _ in positions] == [0, 1, 2, 3, 0, 1]
    positions[0][0].step(positions[0][1])
    assert positions[1][0].to_dict() == positions[0][0].to_dict()
    assert next(RECORD.positions())[0].turn == 0


@given(records())
def test_records_are_values(record: Record) -> None:
    assert copy.deepcopy(record) == record
    assert pickle.loads(pickle.dumps(record)) == record
    assert hash(replace(record)) == hash(record)
    assert replace(record, players=(*record.players[:1], "someone else")) != record


def test_a_game_may_be_left_unfinished() -> None:
    record = replace(RECORD, rounds=(replace(ROUNDS[0], actions=ACTIONS[0][:1]),))
    assert not record.final().over
    assert [action for _, action in record.positions()] == list(ACTIONS[0][:1])
    dealt = replace(RECORD, rounds=(ROUNDS[0], replace(ROUNDS[1], actions=())))
    assert dealt.final().round == 1


def test_numpy_integers_are_actions() -> None:
    rounds = tuple(replace(one, actions=tuple(np.array(one.actions))) for one in ROUNDS)
    assert replace(RECORD, rounds=rounds).final().over


def round_with(number: int, **changes: object) -> tuple[RoundRecord, ...]:
    rounds = list(ROUNDS)
    rounds[number] = replace(rounds[number], **changes)  # type: ignore[arg-type]
    return tuple(rounds)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rounds": ()}, "a record has at least one round"),
        ({"rounds": ROUNDS[:1]}, "round 2: the match goes on, so the deal of the next round is wanted"),
        ({"rounds": (*ROUNDS, ROUNDS[1])}, "round 3: the match was over before this round"),
        ({"rounds": (*ROUNDS, *ROUNDS)}, "round 4: a match of at most 3 round(s) has no such round"),
        ({"rounds": round_with(0, first_player=2)}, "round 1: first_player=2 is neither 0 nor 1"),
        ({"rounds": round_with(1, first_player=0)}, "round 2: player 1 begins: the higher scorer of"),
        (
            {"rounds": round_with(0, deck=DECKS[0][1:])},
            "round 1: a deck of variant 'mini3' has 8 cards, got 7",
        ),
        ({"rounds": round_with(1, deck=["R9", *DECKS[1][1:]])}, "round 2: card 'R9' has no rank of variant"),
        (
            {"rounds": round_with(0, actions=ACTIONS[0][:2])},
            "round 1, turn 3: the turn is missing: a round follows, and 1 cards of this one's deck are not",
        ),
        (
            {"rounds": round_with(0, actions=(*ACTIONS[0], 3))},
            "round 1, turn 5: the round was over before this turn",
        ),
        (
            {"rounds": round_with(1, actions=(*ACTIONS[1], 3))},
            "round 2, turn 3: the round was over before this turn",
        ),
        ({"rounds": round_with(1, actions=(99,))}, "round 2, turn 1: action 99 is outside 0..47 of variant"),
        ({"rounds": round_with(1, actions=("R1",))}, "round 2, turn 1: an action is an integer, got 'R1'"),
        (
            {"rounds": round_with(1, actions=(ACTIONS[1][1],))},
            "round 2, turn 1: discarding B1 and drawing from the deck is illegal for player 1: B1 is not in",
        ),
        ({"players": ("ann",)}, "a game has two players, got 1"),
        ({"players": ("ann", "")}, "the name of player 1 is empty"),
        ({"players": ("ann", 7)}, "the name of player 1 must be text, got 7"),
        ({"players": ("a\nb", "bob")}, "the name of player 0 has the character U+000A, which does not print"),
        ({"players": ("\u202eann", "bob")}, "the name of player 0 has the character U+202E"),
        ({"players": ("ann ", "bob")}, "the name of player 0 begins or ends with a space: 'ann '"),
        ({"players": ("ann", "b" * 501)}, "the name of player 1 has 501 characters, 500 are allowed"),
        (
            {"match": replace(MATCH, variant=Variant(name="a\tb"))},
            "the name of the variant has the character",
        ),
        ({"headers": {"Date:": "today"}}, "'Date:' is no name of a header: a letter, then up to 39"),
        ({"headers": {"deck": "x"}}, "header 'deck': the format has a place of its own for that"),
        ({"headers": {"Date": "a", "DATE": "b"}}, "header 'DATE' is there twice"),
        ({"headers": {"Date": "a\x1b[2J"}}, "header 'Date' has the character U+001B"),
    ],
)
def test_what_no_game_can_have_been_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidRecordError) as caught:
        replace(RECORD, **changes)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)


def test_a_long_game_is_recorded_as_it_was_played() -> None:
    game = Game(seed=5, rounds=3)
    recorder = Recorder(game, ("ann", "bob"))
    play(game, recorder, 1000, seed=1)
    record = recorder.record
    assert game.over
    assert record.final().round_scores == game.round_scores
    assert record.final().winner == game.winner
