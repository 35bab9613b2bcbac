"""A recorder notes a game while it is played."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lostcities_env.records import InvalidRecordError, Record, Recorder
from lostcities_env.rules.game import Game, IllegalActionError
from tests.records.strategies import play


def recorder_of(game: Game) -> Recorder:
    return Recorder(game, ("ann", "bob"), {"Seed": "4"})


@given(st.integers(0, 2**32), st.integers(0, 40))
def test_the_record_so_far_replays_to_the_game(seed: int, turns: int) -> None:
    game = Game("mini3", rounds=3, tie="extra_round", seed=seed, first_player=seed % 2)
    recorder = recorder_of(game)
    play(game, recorder, turns, seed)
    final = recorder.record.final()
    state, replayed = game.to_dict(), final.to_dict()
    for one in (state, replayed):
        del one["generator"]  # a replay shuffles nothing
    assert replayed == state
    assert recorder.record.players == ("ann", "bob")
    assert recorder.record.headers == {"Seed": "4"}


def test_given_decks_are_noted_too() -> None:
    decks = [deck.split() for deck in ("Bx R2 R1 B3 R3 Rx B1 B2", "R3 R2 B1 R1 B3 B2 Rx Bx")]
    game = Game("mini3", rounds=2, deck=decks)
    recorder = recorder_of(game)
    play(game, recorder, 100, seed=0)
    assert [list(one.deck) for one in recorder.record.rounds] == decks


@given(st.integers(0, 2**32), st.integers(1, 12))
def test_undone_turns_are_forgotten(seed: int, undone: int) -> None:
    """Round ends in between included."""
    game = Game("mini3", rounds=3, seed=seed)
    recorder = recorder_of(game)
    before: list[tuple[dict[str, object], Record]] = []
    while not game.over and len(before) < 12:
        before.append((game.get_state(), recorder.record))
        play(game, recorder, 1, seed)
    for snapshot, record in reversed(before[-undone:]):
        game.set_state(snapshot)
        recorder.undo()
        assert recorder.record == record


def test_what_a_recorder_refuses() -> None:
    game = Game("mini3", seed=4)
    recorder = recorder_of(game)
    with pytest.raises(ValueError, match="no turn is noted"):
        recorder.undo()
    with pytest.raises(IllegalActionError, match="is illegal for player 0"):
        recorder.add(int(game.action_mask().argmin()))
    play(game, recorder, 1, seed=0)
    with pytest.raises(ValueError, match="the game has begun; a recorder watches it from its first turn"):
        recorder_of(game)
    game.step(int(game.action_mask().argmax()))
    with pytest.raises(InvalidRecordError, match="the game has taken turns that were not noted"):
        _ = recorder.record
