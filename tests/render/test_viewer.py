import json
import re
from typing import Any

import numpy as np
import pytest

from lostcities_env.records import Record
from lostcities_env.render.viewer import changes, make_judge, script_json, viewer_page
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import VARIANTS
from tests.render.games import random_record

HOSTILE = ("</script><script>alert(1)</script>", "\"'<!--&amp;{{styles}}")
GAMES = re.compile(r'<script type="application/json" id="games">(.*?)</script>', re.DOTALL)


def games_of(page: str) -> Any:
    match = GAMES.search(page)
    assert match
    return json.loads(match[1])


def merged(old: Any, change: Any) -> Any:
    """What `changes` is undone with."""
    if isinstance(old, dict):
        return old | {key: merged(old[key], one) for key, one in change.items()}
    if isinstance(old, list) and isinstance(change, dict):
        return [merged(one, change[str(k)]) if str(k) in change else one for k, one in enumerate(old)]
    return change


def views_of(game: dict[str, Any]) -> list[dict[str, Any]]:
    views = [game["frames"][0]["view"]]
    for frame in game["frames"][1:]:
        views.append(merged(views[-1], frame["view"]))
    return views


class TestViewerPage:
    @pytest.mark.parametrize("variant", VARIANTS)
    def test_has_the_table_before_each_turn_and_at_the_end_of_each_round(self, variant: str) -> None:
        record = random_record(variant, rounds=2)
        [game] = games_of(viewer_page([record], [None]))
        views, final = views_of(game), record.final()
        turns = [len(one.actions) for one in record.rounds]
        assert [view["turn"] for view in views] == [turn for n in turns for turn in range(n + 1)]
        assert [view["round_over"] for view in views] == [turn == n for n in turns for turn in range(n + 1)]
        ends = [[one["score"] for one in view["players"]] for view in views if view["round_over"]]
        assert ends == [list(scores) for scores in final.round_scores]
        assert views[-1]["match_scores"] == list(final.match_scores) == game["scores"]
        assert (game["over"], game["winner"]) == (True, final.winner)

    def test_says_what_was_drawn(self) -> None:
        record = random_record("mini3")
        [game] = games_of(viewer_page([record], [None]))
        views = views_of(game)
        for k, frame in enumerate(game["frames"][:-1]):
            move = frame["move"]
            after = [held["card"] for held in views[k + 1]["players"][move["player"]]["hand"]]
            before = [held["card"] for held in views[k]["players"][move["player"]]["hand"]]
            before.remove(move["card"])
            assert sorted([*before, move["drawn"]]) == sorted(after)

    @pytest.mark.parametrize("turns", [0, 5])
    def test_an_unfinished_game_ends_with_its_last_table(self, turns: int) -> None:
        [game] = games_of(viewer_page([random_record(turns=turns)], [None]))
        assert [frame["move"] is None for frame in game["frames"]] == [False] * turns + [True]
        assert views_of(game)[-1]["turn"] == turns
        assert not game["over"]

    def test_names_cannot_break_out_of_their_place(self) -> None:
        harmless = viewer_page([random_record("mini1")], [None])
        page = viewer_page([random_record("mini1", players=HOSTILE)], [None])
        for text in ("<script", "</script", "<!--"):
            assert page.count(text) == harmless.count(text)
        assert games_of(page)[0]["players"] == list(HOSTILE)

    def test_namesakes_are_told_apart_by_their_seats(self) -> None:
        page = viewer_page([random_record("mini1", players=("ann", "ann"))], [None])
        assert games_of(page)[0]["players"] == ["ann (0)", "ann (1)"]

    def test_loads_nothing(self) -> None:
        page = viewer_page([random_record("mini1")], [None])
        assert set(re.findall(r"\w+://[^\"'\s]+", page)) == {"http://www.w3.org/2000/svg"}
        assert "default-src 'none'" in page

    def test_reports_progress(self) -> None:
        shares: list[float] = []
        viewer_page([random_record("mini3"), random_record("mini2")], [None, None], progress=shares.append)
        assert shares == sorted(shares)
        assert shares[-1] == 1

    def test_needs_a_game(self) -> None:
        with pytest.raises(ValueError, match="no game"):
            viewer_page([], [])


class TestJudgement:
    def judged(self, record: Record) -> list[Any]:
        [game] = games_of(viewer_page([record], ["quick"]))
        return [frame["move"] for frame in game["frames"][:-1]]

    def test_each_turn_has_what_the_judge_thinks(self) -> None:
        record = random_record(turns=3)
        judge = make_judge("quick", record.match)
        for move, (game, action) in zip(self.judged(record), record.positions(), strict=True):
            want, got = judge.judge(game), move["judgement"]
            assert sorted(text for text, _, _ in got["actions"]) == sorted(game.legal())
            chances = [chance for _, chance, _ in got["actions"]]
            assert chances == sorted(chances, reverse=True)
            assert sum(chances) == pytest.approx(1, abs=0.01)
            assert got["value"] == pytest.approx(want.value, abs=0.01)
            gains = {text: gain for text, _, gain in got["actions"]}
            assert got["actions"][0][2] == 0  # points count from the agent's own choice
            assert got["cost"] == pytest.approx(max(-gains[move["text"]], 0), abs=0.011)
            assert got["cost"] == pytest.approx(want.cost(action), abs=0.01)

    @pytest.mark.parametrize(("name", "why"), [("greedy", "no values"), ("nobody", "no agent 'nobody'")])
    def test_who_cannot_judge(self, name: str, why: str) -> None:
        with pytest.raises(ValueError, match=why):
            make_judge(name, Match())


class TestScriptJson:
    def test_ends_no_script(self) -> None:
        data = {"names": [*HOSTILE, "\u2028\u2029"], "value": 1.5}
        text = script_json(data)
        assert not set(text) & set("<>&\u2028\u2029")
        assert json.loads(text) == data

    def test_refuses_what_is_not_json(self) -> None:
        with pytest.raises(ValueError, match="not JSON compliant"):
            script_json(float(np.nan))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"a": 1, "b": {"c": [1, 2], "d": None}}, {"a": 1, "b": {"c": [1], "d": 3}}),
        ({"hand": [{"card": "R7"}, {"card": None}]}, {"hand": [{"card": "R7"}, {"card": "B2"}]}),
        ({"hand": [{"card": "R7"}]}, {"hand": []}),
        ({"scores": []}, {"scores": [[1, 2]]}),
    ],
)
def test_changes_lead_from_old_to_new(old: Any, new: Any) -> None:
    assert merged(old, changes(old, new)) == new
    assert changes(new, new) == {}
