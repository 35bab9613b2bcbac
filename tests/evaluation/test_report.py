"""Reports as text, whole."""

from dataclasses import replace
from textwrap import dedent

import pytest

from lostcities_env.evaluation.evaluation import Evaluation, Figures, Outcomes
from lostcities_env.evaluation.report import (
    align,
    cross_table,
    format_percent,
    format_points,
    full_report,
    opponents_table,
)
from lostcities_env.evaluation.statistics import Estimate
from lostcities_env.rules.match import Match


def figures(score: float) -> Figures:
    some = Estimate(1.5, 1.25, 1.75)
    nothing = Estimate(None, None, None)
    points = Estimate(score, score - 2, score + 2)
    return Figures(points, some, nothing, some, Estimate(0.0, 0.0, 0.0), some, Estimate(0.125, 0.1, 0.15))


@pytest.fixture
def evaluation() -> Evaluation:
    return Evaluation(
        agents=("owl", "magpie"),
        match=Match(),
        pairs=500,
        seed=1,
        margin=Estimate(-3.0, -5.5, -0.5),
        rounds=Outcomes(430, 20, 550, Estimate(0.44, 0.41, 0.47)),
        matches=Outcomes(480, 40, 480, Estimate(0.5, 0.45, 0.55)),
        figures=(figures(10.0), figures(13.0)),
        turns_per_round=Estimate(47.5, 47.0, 48.0),
        piles_closed_share=Estimate(0.0, 0.0, 0.002),
        first_player_win_rate=Estimate(0.51, 0.48, 0.54),
    )


def test_the_full_report(evaluation: Evaluation) -> None:
    assert full_report(evaluation) == dedent("""\
        owl (A) against magpie (B)
        standard, 1 round a game, 500 pairs of games, seed 1, 95% intervals

        margin of A per round  -3.00 [-5.50, -0.50]
        win rate of A           44.0 % [41.0, 47.0]  430 won, 20 drawn, 550 lost

        Per round:
                                            A: owl             B: magpie
        points                 10.00 [8.00, 12.00]  13.00 [11.00, 15.00]
        expeditions opened       1.50 [1.25, 1.75]     1.50 [1.25, 1.75]
        points per expedition                    -                     -
        negative expeditions     1.50 [1.25, 1.75]     1.50 [1.25, 1.75]
        wagers                   1.50 [1.25, 1.75]     1.50 [1.25, 1.75]
        bonuses (8+ cards)       0.00 [0.00, 0.00]     0.00 [0.00, 0.00]
        draws from piles       12.5 % [10.0, 15.0]   12.5 % [10.0, 15.0]

        turns per round               47.50 [47.00, 48.00]
        rounds that closed the piles  0.0 % [0.0, 0.2]
        win rate of the first player  51.0 % [48.0, 54.0]""")


def test_matches_are_reported_when_they_differ_from_rounds(evaluation: Evaluation) -> None:
    three = replace(evaluation, match=Match(rounds=3, tie="extra_round"), pairs=1)
    report = full_report(three)
    assert "standard, 3 rounds a game (tie: extra_round), 1 pair of games, seed 1" in report
    assert "match win rate of A     50.0 % [45.0, 55.0]  480 won, 40 drawn, 480 lost" in report
    assert "match win rate" in opponents_table([three])
    assert "match win rate" not in full_report(evaluation) + opponents_table([evaluation])


def test_the_table_of_opponents(evaluation: Evaluation) -> None:
    other = replace(evaluation, agents=("owl", "wren"), margin=Estimate(12.0, 10.0, 14.0))
    assert opponents_table([evaluation, other]) == dedent("""\
        owl against 2 opponents
        standard, 1 round a game, 500 pairs of games, seed 1, 95% intervals

        opponent      margin per round             win rate  points  theirs  turns
        magpie    -3.00 [-5.50, -0.50]  44.0 % [41.0, 47.0]   10.00   13.00  47.50
        wren      12.00 [10.00, 14.00]  44.0 % [41.0, 47.0]   10.00   13.00  47.50""")


def test_the_cross_table(evaluation: Evaluation) -> None:
    evaluations = [
        evaluation,
        replace(evaluation, agents=("owl", "wren"), margin=Estimate(12.0, 10.0, 14.0)),
        replace(evaluation, agents=("magpie", "wren"), margin=Estimate(0.0, None, None)),
    ]
    assert cross_table(["owl", "magpie", "wren"], evaluations) == dedent("""\
        3 agents against each other
        standard, 1 round a game, 500 pairs of games, seed 1, 95% intervals

        Margin per round of the row against the column:
                          owl        magpie          wren   mean
        owl                 -  -3.00 ± 2.50  12.00 ± 2.00   4.50
        magpie    3.00 ± 2.50             -          0.00   1.50
        wren    -12.00 ± 2.00          0.00             -  -6.00

        Win rate of the row against the column:
                   owl  magpie    wren
        owl          -  44.0 %  44.0 %
        magpie  56.0 %       -  44.0 %
        wren    56.0 %  56.0 %       -""")


def test_numbers_that_do_not_exist_are_left_out() -> None:
    assert format_points(Estimate(None, None, None)) == format_percent(Estimate(None, None, None)) == "-"
    assert format_points(Estimate(-0.001, None, None)) == "0.00"
    assert format_percent(Estimate(0.5, None, None)) == "50.0 %"


def test_columns_are_aligned_and_lines_have_no_trailing_blanks() -> None:
    assert align([["a", "1", "x"], ["bcd", "100", ""]], left=(0, 2)) == "a      1  x\nbcd  100"
