"""Records of a tournament: its games, forfeits and all."""

from pathlib import Path

import pytest

from lostcities_env.agents.attempts import AgentFailedError
from lostcities_env.evaluation.pairs import play_pairs
from lostcities_env.evaluation.terms import Terms
from lostcities_env.evaluation.tournament import Protocol, play_tournament
from lostcities_env.evaluation.tournament_records import tournament_records
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import VARIANTS

MATCH = Match(VARIANTS["mini3"])
FEW_LEGAL = """
def play(observation, action_mask):
    return action_mask.argmax() if action_mask.sum() > 8 else -1
"""


def test_games_that_were_forfeited_are_records_too(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(FEW_LEGAL)
    protocol = Protocol(("random", f"{tmp_path}/bot.py:play"), MATCH, 5, seed=1)
    played = play_tournament(protocol, tmp_path / "out", workers=1)
    records = tournament_records(protocol, played, 3)
    assert len(records) == 6
    forfeited = [record.headers["Forfeit"] for record in records if "Forfeit" in record.headers]
    assert len(forfeited) == sum(forfeit.pair < 3 for forfeit in played[0].forfeits) > 0
    assert "illegal: action -1 is outside 0..47" in forfeited[0]


def test_other_games_are_no_records_of_a_tournament(tmp_path: Path) -> None:
    protocol = Protocol(("random", "greedy"), MATCH, 2, seed=1, terms=Terms())
    others = play_pairs("random", "greedy", MATCH, pairs=2, seed=2)
    with pytest.raises(AgentFailedError, match="no records of random against greedy: played again"):
        tournament_records(protocol, [others], 2)
