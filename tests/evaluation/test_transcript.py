"""The games that an evaluation writes down are those that it counts."""

import re
from datetime import UTC, datetime
from importlib.metadata import version

import numpy as np
import pytest

from lostcities_env.agents.attempts import AgentFailedError
from lostcities_env.agents.base import Agent
from lostcities_env.agents.registry import make
from lostcities_env.evaluation import Terms, evaluate
from lostcities_env.evaluation.pairs import play_pairs
from lostcities_env.evaluation.table import contestant_seed, deal_seed
from lostcities_env.evaluation.transcript import Transcript
from lostcities_env.records import parse_records
from lostcities_env.records.format import format_records
from lostcities_env.rules.game import Game
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import MINI_3, STANDARD

MATCH = Match(MINI_3, rounds=3, tie="extra_round")


class OfTheWorld(Agent):
    """Draws from a generator of its own, so that what it does is not to be had again."""

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        noise = np.random.default_rng().random(action_masks.shape)
        return (noise * action_masks).argmax(axis=1)


def test_the_records_add_up_to_the_margin() -> None:
    transcript = Transcript(pairs=20)
    result = evaluate("threshold", "greedy", pairs=20, seed=5, transcript=transcript)
    margins = []
    for record in transcript.records():
        first, second = record.final().match_scores
        margins.append(first - second if record.players[0] == "threshold" else second - first)
    assert len(margins) == 40
    assert sum(margins) / 40 == result.margin.value
    assert sum(margin > 0 for margin in margins) == result.matches.wins


@pytest.mark.parametrize("pairs_at_once", [2, 3, 100])
def test_every_round_of_the_first_pairs_is_as_it_was_played(pairs_at_once: int) -> None:
    transcript = Transcript(pairs=5)
    world = OfTheWorld(MATCH)
    played = play_pairs(
        world, "random", MATCH, pairs=9, seed=2, pairs_at_once=pairs_at_once, transcript=transcript
    )
    records = transcript.records()
    assert [(r.headers["Pair"], r.headers["Seat of A"]) for r in records] == [
        (str(pair), str(seat)) for pair in range(5) for seat in range(2)
    ]
    for record in records:
        pair, seat = int(record.headers["Pair"]), int(record.headers["Seat of A"])
        final = record.final()
        assert record.players[seat] == "OfTheWorld"
        assert final.over
        assert len(final.round_scores) == played.played[pair, seat]
        scores = played.rounds["score"][pair, seat, : len(final.round_scores)]
        assert [[first, second][:: 1 - 2 * seat] for first, second in final.round_scores] == scores.tolist()


def test_both_games_of_a_pair_are_one_deal() -> None:
    transcript = Transcript(pairs=3)
    evaluate("random", "greedy", pairs=3, seed=8, transcript=transcript)
    for record in transcript.records():
        deal = Game(seed=deal_seed(8, int(record.headers["Pair"])))
        assert record.headers["Deal seed"] == str(deal_seed(8, int(record.headers["Pair"])))
        assert record.deal().to_dict()["hands"] == deal.to_dict()["hands"]
        assert record.deal().deck() == deal.deck()


def test_agents_of_this_package_choose_the_recorded_actions_again() -> None:
    transcript = Transcript(pairs=1)
    evaluate("random", "random", pairs=4, seed=8, transcript=transcript)
    agents = [make("random", seed=contestant_seed(8, k)) for k in range(2)]
    for record in transcript.records():
        for game, action in record.positions():
            contestant = game.mover ^ int(record.headers["Seat of A"])
            observation = game.observation(game.mover)[np.newaxis]
            assert agents[contestant].act(observation, game.action_mask()[np.newaxis]) == [action]


def test_the_headers_say_where_a_game_comes_from() -> None:
    transcript = Transcript(pairs=1, names=("new\npolicy", "old"))
    evaluate("random", "greedy", variant="mini3", pairs=1, seed=3, transcript=transcript)
    first, second = transcript.records()
    assert first.players == ("new?policy", "old")
    assert second.players == ("old", "new?policy")
    assert first.headers == {
        "Date": datetime.now(UTC).date().isoformat(),
        "Software": f"lostcities-env {version('lostcities-env')}",
        "Seed": "3",
        "Pair": "0",
        "Deal seed": str(deal_seed(3, 0)),
        "Seat of A": "0",
    }
    assert parse_records(format_records([first, second])) == [first, second]


def hopeless(observation: np.ndarray, action_mask: np.ndarray) -> int:
    if action_mask.sum() % 3 == 0:
        raise KeyError("R2")
    return int(action_mask.argmax())


def test_a_forfeited_game_is_unfinished_and_says_why() -> None:
    transcript = Transcript(pairs=4)
    result = evaluate(f"{__name__}:hopeless", "greedy", pairs=6, seed=1, terms=Terms(), transcript=transcript)
    assert result.forfeits[0].games
    records = transcript.records()
    assert len(records) == 8
    lost = [record for record in records if "Forfeit" in record.headers]
    assert lost
    for record in records:
        assert record.final().over == (record not in lost)
    for record in lost:
        mover = record.final().mover
        assert record.players[mover] == f"{__name__}:hopeless"
        assert re.match(f"player {mover}, crash: KeyError: 'R2' ", record.headers["Forfeit"])


def test_nothing_is_noted_beyond_the_pairs_asked_for() -> None:
    transcript = Transcript(pairs=2)
    transcript.begin(("a", "b"), Match(STANDARD), seed=0)
    transcript.note(2, np.arange(4), np.zeros(4, dtype=np.int64))
    assert transcript.records() == []
    few = Transcript(pairs=100)
    evaluate("random", "greedy", variant="mini3", pairs=2, transcript=few)
    assert len(few.records()) == 4


def test_an_evaluation_that_fails_leaves_what_was_played() -> None:
    transcript = Transcript(pairs=1)
    with pytest.raises(AgentFailedError):
        evaluate(f"{__name__}:hopeless", "greedy", pairs=1, terms=Terms(strict=True), transcript=transcript)
    assert not all(record.final().over for record in transcript.records())
