"""The last round of a match, entered with a margin."""

import pytest

from benchmarks.last_round import main, play_last_round
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import MINI_3


def test_a_policy_that_only_counts_points_plays_alike_whatever_the_margin() -> None:
    rows = [play_last_round(("greedy", "greedy"), Match(MINI_3, 3), margin, 200, 1) for margin in (-9, 0, 9)]
    for name in ("wagers", "expeditions", "points", "opponent_points", "deviation", "turns"):
        assert len({getattr(row, name) for row in rows}) == 1, name
    assert rows[0].won < rows[1].won < rows[2].won
    assert rows[1].won == pytest.approx(0.5, abs=0.15)


def test_a_bolder_policy_plays_more_wagers() -> None:
    wagers = [
        play_last_round(("quick", "greedy"), Match(rounds=3), 0, 40, 1, bolder=nats).wagers
        for nats in (-9.0, 0.0, 9.0)
    ]
    assert wagers[0] < wagers[1] < wagers[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["greedy", "nobody"], "no agent 'nobody'"),
        (["greedy", "greedy", "--games", "0"], "--games 0: at least 2"),
        (["greedy", "greedy", "--bolder", "1"], "--bolder is for learned policies, and 'greedy' is none"),
        (["greedy", "greedy", "--rounds", "1"], "--rounds 1: at least 2"),
        (["greedy", "greedy", "--rounds", "0"], "rounds=0 is outside 1..9"),
    ],
)
def test_wrong_arguments(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert message in capsys.readouterr().err
