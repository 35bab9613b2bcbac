"""What there is to see of a game."""

import pytest

from lostcities_env.render.moments import (
    Moment,
    is_round_over,
    moments,
    round_on_table,
    round_text,
    table_after,
)
from lostcities_env.rules.game import Game, IllegalActionError
from tests.render.games import random_record


def replayed(rounds: int = 2, turns: int = 10**6) -> list[Moment]:
    record = random_record("mini3", rounds=rounds, turns=turns)
    actions = iter([action for one in record.rounds for action in one.actions])
    return list(moments(record.deal(), lambda game: next(actions, None)))


def test_every_deal_and_every_turn_is_seen() -> None:
    record = random_record("mini3", rounds=2)
    turns = [
        (number, turn) for number, one in enumerate(record.rounds) for turn in range(len(one.actions) + 1)
    ]
    seen = replayed()
    assert [(moment.round, moment.turn) for moment in seen] == turns
    assert [moment.action for moment in seen if moment.turn] == [
        action for one in record.rounds for action in one.actions
    ]
    assert all(moment.action is None and moment.mover is None for moment in seen if moment.turn == 0)


def test_a_finished_round_still_lies_on_the_table() -> None:
    ends = [moment.table for moment in replayed() if is_round_over(moment.table)]
    assert [end.deck_count for end in ends] == [0, 0]
    assert [end.scores for end in ends] == ends[-1].round_scores
    assert ends[0].match_scores == ends[0].scores
    assert [round_on_table(end) for end in ends] == [0, 1]
    assert [round_text(end) for end in ends] == ["round 1 of 2", "round 2 of 2"]


def test_a_game_that_is_left_is_seen_up_to_there() -> None:
    seen = replayed(turns=1)
    assert [moment.turn for moment in seen] == [0, 1]
    assert not is_round_over(seen[-1].table)


def test_an_extra_round_is_called_so() -> None:
    game = Game(
        "mini1", rounds=1, tie="extra_round", seed=25
    )  # a tie, if all do the first thing that is legal
    while game.round == 0:
        game.step(int(game.action_mask().argmax()))
    assert round_text(game) == "extra round"


class TestTableAfter:
    def test_leaves_the_game_as_it_was(self) -> None:
        game = Game(seed=1)
        before = game.to_dict()
        assert table_after(game, int(game.action_mask().argmax())).turn == 1
        assert game.to_dict() == before

    def test_refuses_an_illegal_turn(self) -> None:
        game = Game(seed=1)
        with pytest.raises(IllegalActionError):
            table_after(game, int(game.action_mask().argmin()))
