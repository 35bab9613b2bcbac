"""Agents that misbehave: what it costs them, what is said of it, and that the evaluation goes on."""

import json
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

from lostcities_env.agents.attempts import REASONS, AgentFailedError
from lostcities_env.agents.base import Agent
from lostcities_env.agents.registry import make
from lostcities_env.agents.worker import GIVE_UP_AFTER, START_SECONDS
from lostcities_env.evaluation import Forfeit, Forfeits, Hypotheses, Terms, evaluate, sequential_test
from lostcities_env.evaluation import forfeits as forfeits_module
from lostcities_env.evaluation.forfeits import FailureFolder, forfeits_report
from lostcities_env.evaluation.pairs import PlayedPairs, play_pairs
from lostcities_env.evaluation.report import cross_table, full_report, opponents_table, sequential_report
from lostcities_env.evaluation.table import contestant_seed, deal_seed
from lostcities_env.rules.game import Game, IllegalActionError
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import observation_blocks
from lostcities_env.rules.variant import STANDARD, VARIANTS

MINI = Match(VARIANTS["mini3"])
LENIENT = Terms(strict=False)


class Faulty(Agent):
    """Plays like `random`, but fails where the deck of the standard game has come down to `at` cards."""

    at = 20
    fault: Callable[[], Any]

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        (deck,) = (block for block in observation_blocks(self.match) if block.name == "deck")
        left = np.rint(observations[:, deck.start] * self.match.variant.deck_size)
        actions = make("random", self.match, seed=self.seed).act(observations, action_masks)
        if (left <= self.at).any():
            fault = type(self).fault()
            return fault if fault is not None else np.where(left <= self.at, -1, actions)
        return actions


def faulty(fault: Callable[[], Any], match: Match = MINI, at: int = 20) -> Agent:
    kind = type("Bot", (Faulty,), {"fault": staticmethod(fault), "at": at})
    return kind(match)


def crash() -> None:
    raise ValueError("oh no")


def illegal() -> None:
    return None


def game_rows(played: PlayedPairs, forfeit: Forfeit) -> tuple[int, int]:
    return forfeit.pair, forfeit.seat ^ forfeit.contestant


@pytest.mark.parametrize("contestant", [0, 1])
@pytest.mark.parametrize("match", [Match(), Match(STANDARD, 3)], ids=str)
def test_a_forfeited_game_is_lost_and_leaves_no_numbers(match: Match, contestant: int) -> None:
    agents: list[str | Agent] = ["random", "random"]
    agents[contestant] = faulty(illegal, match)
    played = play_pairs(agents[0], agents[1], match, pairs=4, seed=2, terms=LENIENT)
    assert len(played.forfeits) == 8
    assert (played.winners == 1 - contestant).all()
    assert not played.played.any()
    assert (played.rounds == np.zeros((), dtype=played.rounds.dtype)).all()
    for forfeit in played.forfeits:
        assert (forfeit.contestant, forfeit.reason, forfeit.round) == (contestant, "illegal", 1)
        assert forfeit.message == "action -1 is outside 0..599 of variant 'standard'"


def test_other_games_are_played_as_if_nothing_had_happened() -> None:
    match = Match(STANDARD)
    rare = faulty(crash, match, at=0)  # before the last card is drawn the deck has one left: never
    clean = play_pairs(rare, "random", match, pairs=6, seed=3, terms=LENIENT)
    assert clean.forfeits == ()
    np.testing.assert_array_equal(clean.rounds, play_pairs("random", "random", match, pairs=6, seed=3).rounds)

    class Moody(Faulty):
        """Crashes in the games in which it holds the red two."""

        def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
            if (observations[:, 1] > 0).any():
                raise RuntimeError("no red two, please")
            return make("random", self.match, seed=self.seed).act(observations, action_masks)

    some = play_pairs(Moody(match), "random", match, pairs=6, seed=3, terms=LENIENT)
    lost = {game_rows(some, forfeit) for forfeit in some.forfeits}
    assert 0 < len(lost) < 12
    for game in np.ndindex(6, 2):
        if game in lost:
            assert some.played[game] == 0
        else:
            np.testing.assert_array_equal(some.rounds[game], clean.rounds[game])
            assert some.winners[game] == clean.winners[game]


def test_the_size_of_a_chunk_changes_nothing_but_the_order() -> None:
    whole = play_pairs(faulty(illegal), "random", MINI, pairs=9, seed=1, terms=LENIENT)
    parts = play_pairs(faulty(illegal), "random", MINI, pairs=9, seed=1, pairs_at_once=2, terms=LENIENT)
    np.testing.assert_array_equal(whole.winners, parts.winners)
    assert sorted(whole.forfeits, key=str) == sorted(parts.forfeits, key=str)


ANSWERS: list[tuple[str, Callable[[], Any], str, str]] = [
    ("exception", crash, "crash", "ValueError: oh no (test_forfeits.py, line "),
    ("illegal", illegal, "illegal", "action -1 is outside 0..47 of variant 'mini3'"),
    ("floats", lambda: np.full(1, 3.0), "answer", "1 integer actions of shape (1,) are wanted, got float64"),
    ("nan", lambda: np.full(1, np.nan), "answer", "1 integer actions of shape (1,) are wanted, got float64"),
    (
        "shape",
        lambda: np.zeros((1, 2), int),
        "answer",
        "1 integer actions of shape (1,) are wanted, got int64",
    ),
    (
        "huge",
        lambda: crash_with("z" * 10**7),
        "crash",
        f"ValueError: {'z' * 297}... (test_forfeits.py, line ",
    ),
    ("exit", lambda: crash_with(SystemExit(1)), "crash", "SystemExit: 1 (test_forfeits.py, line "),
]


def crash_with(what: Any) -> None:
    raise what if isinstance(what, BaseException) else ValueError(what)


@pytest.mark.parametrize(
    ("fault", "reason", "message"), [case[1:] for case in ANSWERS], ids=[case[0] for case in ANSWERS]
)
def test_the_report_and_the_json_say_what_happened(
    fault: Callable[[], Any], reason: str, message: str
) -> None:
    result = evaluate(faulty(fault), "random", variant="mini3", pairs=3, seed=1, terms=LENIENT)
    data = result.to_dict()
    assert data["games_without_margin"] == 6
    own, other = data["forfeits"]
    assert (own["games"], own["reasons"]) == (6, {reason: 6})
    (example,) = own["examples"]
    assert example["message"].startswith(message)
    assert other == {"games": 0, "reasons": {}, "examples": []}
    assert data["margin"] == {"value": None, "low": None, "high": None}
    assert data["rounds"]["losses"] == data["matches"]["losses"] == 6
    json.dumps(data, allow_nan=False)
    report = full_report(result)
    assert f"Forfeits: Bot lost 6 of 6 games by failing ({reason} 6)." in report
    where = f"pair {example['pair']}, seat {example['seat']}, round 1, turn {example['turn']}"
    assert f"\n  Bot, {where}: {reason}: {message}" in report
    assert max(map(len, report.splitlines())) < 500


def test_numbers_are_over_the_games_with_a_margin() -> None:
    """Half of the games of a match of two rounds are forfeited in their second round."""
    match = Match(VARIANTS["mini3"], 2)

    class SecondRound(Agent):
        def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
            (left,) = (b for b in observation_blocks(match) if b.name == "rounds_left")
            actions = make("random", match, seed=self.seed).act(observations, action_masks)
            hand = observations[:, 0] > 0
            return np.where((observations[:, left.start] == 0) & hand, 10**6, actions)

    played = play_pairs(SecondRound(match), "random", match, pairs=30, seed=2, terms=LENIENT)
    result = evaluate(
        SecondRound(match), "random", variant="mini3", rounds=2, pairs=30, seed=2, terms=LENIENT
    )
    lost = len(played.forfeits)
    assert 10 < lost < 50
    assert {forfeit.round for forfeit in played.forfeits} == {2}
    kept = played.played > 0
    assert kept.sum() == 60 - lost
    margins = (played.rounds["score"][..., 0] - played.rounds["score"][..., 1])[kept]
    assert result.margin.value == pytest.approx(margins.mean())
    assert (result.rounds.wins, result.rounds.losses) == ((margins > 0).sum(), (margins < 0).sum() + 2 * lost)
    assert result.rounds.wins + result.rounds.draws + result.rounds.losses == 2 * 60
    assert result.matches.wins + result.matches.draws + result.matches.losses == 60
    assert result.matches.losses == lost + (played.winners[kept] == 1).sum()
    starters = played.rounds["starter"][..., 0]
    first = np.where(starters == 0, 1, -1)[kept] * margins.reshape(-1, 2)[:, 0]
    assert result.first_player_win_rate.value == pytest.approx(((first > 0) + 0.5 * (first == 0)).mean())


@pytest.mark.parametrize(
    ("fault", "error", "message"),
    [
        (illegal, IllegalActionError, r"agent 'Bot' at seat [01] \(pair \d+, round 1, turn \d+\): action -1"),
        (crash, ValueError, "^oh no$"),
        (lambda: np.zeros(1), TypeError, "agent 'Bot' must return"),
    ],
)
def test_agents_of_the_package_are_held_to_the_rules(
    fault: Callable[[], Any], error: type[Exception], message: str
) -> None:
    for terms in (Terms(), Terms(strict=True)):
        with pytest.raises(error, match=message):
            evaluate(faulty(fault), "random", variant="mini3", pairs=2, seed=1, terms=terms)


# Guests, by name.

GUESTS = """
import os, time

calls = 0

def crash_at_once(observation, action_mask):
    raise ValueError("first move")

def crash_at_the_fiftieth(observation, action_mask):
    global calls
    calls += 1
    if calls == 50:
        raise ValueError("fiftieth move")
    return action_mask.argmax()

def negative(observation, action_mask):
    return -5

def never_legal(observation, action_mask):
    return action_mask.argmin()

def hang(observation, action_mask):
    time.sleep(60)

def leave(observation, action_mask):
    os._exit(9)

def print_and_play(observation, action_mask):
    print("x" * 1000)
    return action_mask.argmax()
"""


@pytest.fixture
def guests(tmp_path: Path) -> str:
    path = tmp_path / "bots.py"
    path.write_text(GUESTS)
    return str(path)


@pytest.mark.parametrize(
    ("function", "seconds", "reason", "message"),
    [
        ("crash_at_once", None, "crash", "ValueError: first move (bots.py, line 7)"),
        ("negative", None, "illegal", "action -5 is outside 0..47 of variant 'mini3'"),
        ("hang", 0.2, "time", "no answer within 0.2 s"),
        ("leave", 5.0, "crash", "its process ended with exit code 9"),
    ],
)
def test_a_guest_forfeits_by_default(
    guests: str, function: str, seconds: float | None, reason: str, message: str
) -> None:
    terms = Terms(move_seconds=seconds)
    result = evaluate("random", f"{guests}:{function}", variant="mini3", pairs=2, seed=1, terms=terms)
    assert result.forfeits[0] == Forfeits()
    assert (result.forfeits[1].games, result.forfeits[1].reasons) == (4, {reason: 4})
    assert result.forfeits[1].examples[0].message == message
    assert (result.matches.wins, result.margin.value) == (4, None)


def test_a_guest_that_fails_once_loses_one_game(guests: str) -> None:
    result = evaluate(f"{guests}:crash_at_the_fiftieth", "random", pairs=4, seed=1)
    assert result.forfeits[0].games == result.games_without_margin == 1
    assert result.margin.value is not None
    assert "Forfeits: " in full_report(result)


def test_an_illegal_action_of_a_guest_is_explained(guests: str) -> None:
    (first, *_) = play_pairs(f"{guests}:never_legal", "random", Match(), pairs=1).forfeits
    assert first.message.startswith("playing Rx and drawing from the deck is illegal for player 0: Rx is not")


def test_what_a_guest_prints_stays_out_of_the_report(guests: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = evaluate(f"{guests}:print_and_play", "random", variant="mini3", pairs=1)
    assert result.games_without_margin == 0
    assert capsys.readouterr().out == ""


def test_strict_terms_end_at_the_first_failure_of_a_guest(guests: str) -> None:
    where = r"at seat 0 \(pair 0, round 1, turn 1\): crash: ValueError: first move \(bots\.py, line 7\)"
    with pytest.raises(AgentFailedError, match=where) as caught:
        evaluate(f"{guests}:crash_at_once", "random", variant="mini3", pairs=1, terms=Terms(strict=True))
    causes = (caught.value.__cause__, caught.value.__cause__.__cause__)  # type: ignore[union-attr]
    assert isinstance(causes[1], ValueError), "the guest's own traceback is kept"
    with pytest.raises(IllegalActionError, match="action -5"):
        evaluate(f"{guests}:negative", "random", variant="mini3", pairs=1, terms=Terms(strict=True))


def test_two_guests_may_both_fail(guests: str) -> None:
    result = evaluate(f"{guests}:crash_at_once", f"{guests}:negative", variant="mini3", pairs=3)
    assert [side.games for side in result.forfeits] == [3, 3], "who moves first fails first"
    assert result.matches.win_rate.value == 0.5


def test_a_guest_is_seeded_like_any_other_agent(tmp_path: Path) -> None:
    (tmp_path / "copy.py").write_text(
        "from lostcities_env.agents import make\n\n\n"
        "def bot(match, seed):\n    return make('random', match, seed=seed)\n"
    )
    match = Match()
    expected = play_pairs("random", "random", match, pairs=3, seed=4)
    played = play_pairs(f"{tmp_path}/copy.py:bot", "random", match, pairs=3, seed=4)
    np.testing.assert_array_equal(played.rounds, expected.rounds)


# Positions.


def test_a_saved_position_replays_the_game(tmp_path: Path) -> None:
    agent = faulty(illegal, Match())
    folder = tmp_path / "made" / "here"
    played = play_pairs(
        agent, "random", Match(), pairs=3, seed=8, terms=Terms(strict=False, save_failures=folder)
    )
    assert len(list(folder.iterdir())) == 6
    for forfeit in played.forfeits:
        name = f"Bot-random-seed8-pair{forfeit.pair}-seat{forfeit.seat}.json"
        content = json.loads((folder / name).read_text())
        assert content["schema"] == "lostcities.forfeit/1"
        assert (content["agents"], content["seed"]) == (["Bot", "random"], 8)
        assert content["forfeit"] == forfeit.to_dict()
        assert forfeit.saved == name
        game = Game.from_dict(content["game"])
        assert (game.mover, game.turn + 1, game.over) == (forfeit.seat, forfeit.turn, False)

        again = Game(seed=deal_seed(8, forfeit.pair))
        players = [make("random", seed=contestant_seed(8, k ^ forfeit.seat)) for k in range(2)]
        while again.turn < game.turn:
            (action,) = players[again.mover].act(
                again.observation(again.mover)[np.newaxis], again.action_mask()[np.newaxis]
            )
            again.step(action)
        assert again.to_dict() == game.to_dict()


def test_only_the_first_positions_are_saved(tmp_path: Path) -> None:
    terms = Terms(strict=False, save_failures=tmp_path, most_saved=3)
    played = play_pairs(faulty(illegal), "random", MINI, pairs=5, pairs_at_once=1, terms=terms)
    assert len(played.forfeits) == 10
    assert [forfeit.saved is not None for forfeit in played.forfeits] == [True] * 3 + [False] * 7
    assert len(list(tmp_path.iterdir())) == 3


def test_the_first_of_each_reason_is_saved_in_any_case(tmp_path: Path) -> None:
    folder = FailureFolder(tmp_path, ("owl", "magpie"), 1, most=0)
    failures = [(0, "crash"), (0, "crash"), (1, "crash"), (0, "time"), (1, "crash")]
    saved = [
        folder.save(Forfeit(contestant, pair, 0, 1, 1, reason, "x"), Game(seed=1)).saved is not None
        for pair, (contestant, reason) in enumerate(failures)
    ]
    assert saved == [True, False, True, True, False]


def test_names_of_agents_become_names_of_files(tmp_path: Path) -> None:
    folder = FailureFolder(tmp_path, ("../bots/mine.py:f", "a" * 500), 1)
    folder.save(Forfeit(0, 2, 1, 1, 1, "crash", "x"), Game(seed=1))
    (saved,) = tmp_path.iterdir()
    assert saved.name.startswith(".._bots_mine.py_f-")
    assert saved.name.endswith(f"_{'a' * 51}-seed1-pair2-seat1.json")


# Words.


def test_forfeits_are_told_by_reason_with_an_example_each() -> None:
    first = Forfeit(0, 4, 1, 1, 9, "time", "no answer within 1 s", "owl-pair4.json")
    own = [first, Forfeit(0, 0, 0, 2, 3, "crash", "KeyError: 'R2'"), Forfeit(0, 5, 1, 1, 1, "time", "...")]
    other = Forfeit(1, 6, 0, 1, 2, "illegal", "action 600 is outside 0..599")
    sides = [Forfeits.of([*own, other], contestant) for contestant in range(2)]
    assert sides[0] == Forfeits(3, {"crash": 1, "time": 2}, (own[1], first))
    assert forfeits_report(["owl", "magpie"], sides, 100) == dedent("""\
        Forfeits: owl lost 3 of 100 games by failing (crash 1, time 2); magpie lost 1 of 100 games by failing (illegal 1).
        Those 4 games have no margin: margins and figures are over the other 96; win rates count them as lost.
        Leaving games out favours an agent that fails when it is losing.
          owl, pair 0, seat 0, round 2, turn 3: crash: KeyError: 'R2'
          owl, pair 4, seat 1, round 1, turn 9: time: no answer within 1 s
            saved as owl-pair4.json
          magpie, pair 6, seat 0, round 1, turn 2: illegal: action 600 is outside 0..599""")  # noqa: E501
    one = forfeits_report(["owl", "magpie"], [Forfeits(), Forfeits(1, {"crash": 1})], 2)
    assert "That game has no margin" in one
    assert "win rates count it as lost." in one
    assert "margins and figures do not exist" in forfeits_report(
        "ab", [Forfeits(2, {"crash": 2}), Forfeits()], 2
    )
    assert forfeits_report(["owl", "magpie"], [Forfeits(), Forfeits()], 100) == ""


def test_every_table_tells_of_forfeits_and_makes_up_no_margin() -> None:
    lost = evaluate(faulty(crash), "random", variant="mini3", pairs=2, seed=1, terms=LENIENT)
    for text in (opponents_table([lost, lost]), cross_table(["Bot", "random"], [lost])):
        assert "Forfeits: Bot lost 4 of 4 games by failing (crash 4)." in text
    rows = cross_table(["Bot", "random"], [lost]).splitlines()
    assert [row.split() for row in rows if row.startswith("Bot")] == [
        ["Bot", "-", "-", "-"],
        ["Bot", "-", "0.0", "%"],
    ]


def test_the_documentation_names_every_reason_and_limit() -> None:
    page = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")
    assert [reason for reason in REASONS if f"| `{reason}` |" not in page] == []
    assert f"the first {forfeits_module.MOST_SAVED} forfeits of two agents" in page
    assert (GIVE_UP_AFTER, START_SECONDS) == (10, 120)
    assert "After ten such ends" in page
    assert "Imports have two minutes" in page


# Sequential tests.


def test_a_test_of_elo_counts_forfeits_as_losses(guests: str) -> None:
    test = sequential_test(f"{guests}:negative", "random", Hypotheses("elo", 0, 50), variant="mini3", seed=1)
    assert test.verdict == "H0"
    assert test.counts == (test.pairs, 0, 0, 0, 0)
    assert test.to_dict()["forfeits"][0]["reasons"] == {"illegal": 2 * test.pairs}
    assert "Forfeits: " in sequential_report(test)


def test_a_test_of_margins_ends_at_a_forfeit(guests: str) -> None:
    with pytest.raises(IllegalActionError, match="action -5"):
        sequential_test(f"{guests}:negative", "random", variant="mini3", seed=1)
