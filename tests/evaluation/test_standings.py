"""The standings of made-up tournaments, by hand."""

import numpy as np
import pytest

from lostcities_env.evaluation.standings import Standings, negated
from lostcities_env.evaluation.statistics import Estimate

from .made_up import Result, rock_paper_scissors, standings_of, with_a_guest_that_fails


@pytest.fixture(scope="module")
def ladder() -> Standings:
    """owl beats wren by 10 and magpie by 30, wren beats magpie by 20: margins add up."""
    luck = [(k % 5 - 2, 2 - k % 5) for k in range(20)]
    return standings_of(
        ("magpie", "owl", "wren"),
        {
            (0, 1): [(a - 30, b - 30) for a, b in luck],
            (0, 2): [(a - 20, b - 20) for a, b in luck],
            (1, 2): [(a + 10, b + 10) for a, b in luck],
        },
    )


def test_a_ladder_is_explained_by_its_ratings(ladder: Standings) -> None:
    assert [each.value for each in ladder.points.ratings] == pytest.approx([-50 / 3, 40 / 3, 10 / 3])
    assert ladder.points.unexplained == pytest.approx(0)
    assert ladder.order == [1, 2, 0]
    assert [each.mass.value for each in ladder.nash_margins] == [0, 1, 0]
    assert [each.skill.value for each in ladder.nash_margins] == [-30, 0, -10]
    assert [each.skill.value for each in ladder.nash_win_rates] == [-0.5, 0, -0.5]


def test_rock_paper_scissors_is_explained_by_nothing() -> None:
    cycle = rock_paper_scissors()
    assert cycle.points.unexplained == pytest.approx(1, abs=0.01)
    assert {key: round(each.value or 0) for key, each in cycle.points.residuals.items()} == {
        (0, 1): -10,
        (0, 2): 10,
        (1, 2): -10,
    }
    for nash in (cycle.nash_margins, cycle.nash_win_rates):
        assert [each.mass.value for each in nash] == pytest.approx([1 / 3] * 3, abs=0.02)
        assert [each.skill.value for each in nash] == pytest.approx([0] * 3, abs=1e-4)
    for each in cycle.nash_margins:
        assert (each.mass.low or 0) <= (each.mass.value or 0) <= (each.mass.high or 0)


def test_the_tables_mirror(ladder: Standings) -> None:
    assert ladder.margin(1, 0) == negated(ladder.margin(0, 1))
    assert ladder.margin(1, 0).value == 30
    assert ladder.win_rate(0, 1).value == 0
    assert ladder.win_rate(1, 0).value == 1
    assert ladder.win_rate(1, 0).low == pytest.approx(1 - (ladder.win_rate(0, 1).high or 0))
    assert ladder.residual(1, 0) == negated(ladder.residual(0, 1))


def test_the_error_of_a_margin_is_that_of_its_evaluation(ladder: Standings) -> None:
    # With two agents, each is half the margin from the mean.
    luck = [(k % 7, k % 3) for k in range(30)]
    two = standings_of(("owl", "wren"), {(0, 1): luck})
    margin, rating = two.evaluations[0].margin, two.points.ratings[0]
    ends = [(2 * (end or 0)) for end in (rating.value, rating.low, rating.high)]
    assert ends == pytest.approx([margin.value, margin.low, margin.high])


def test_style_is_over_all_opponents_from_either_side(ladder: Standings) -> None:
    magpie, owl, wren = ladder.styles  # in their two pairings: A and A, B and A, B and B
    assert [style.figures.wagers.value for style in (magpie, owl, wren)] == [3, 2, 1]
    assert [style.figures.expeditions.value for style in (magpie, owl, wren)] == [4, 3, 2]
    assert owl.figures.pile_draw_share.value == pytest.approx(5 / 44)
    assert magpie.turns.value == 44
    assert magpie.figures.score.value == -25  # A has its margin as score, and B nothing
    assert owl.figures.score.value == 5


def test_a_single_pair_has_no_intervals() -> None:
    single = standings_of(("owl", "wren"), {(0, 1): [(4, 2)]})
    assert single.points.ratings[0] == Estimate(1.5, None, None)
    assert single.nash_margins[0].mass == Estimate(1.0, None, None)


def test_the_same_results_give_the_same_standings() -> None:
    first, second = rock_paper_scissors(), rock_paper_scissors()
    assert first.nash_margins == second.nash_margins
    np.testing.assert_array_equal(first.elo.win_rates, second.elo.win_rates)


def test_an_agent_without_a_margin_against_another_is_not_rated_by_margins() -> None:
    """The others are rated as if it had not taken part; results of games count as ever."""
    found = with_a_guest_that_fails()
    owl, wren, bot = range(3)
    assert found.rated == (owl, wren)
    assert found.order == [owl, wren, bot]
    assert found.points.ratings[owl].value == pytest.approx(5)
    assert found.points.ratings[bot] == found.residual(owl, bot) == Estimate(None, None, None)
    assert found.nash_margins[bot].mass == found.nash_margins[bot].skill == Estimate(None, None, None)
    assert [nash.mass.value for nash in found.nash_margins[:2]] == [1.0, 0.0]
    assert found.margin(owl, bot).value == pytest.approx(6)
    assert found.margin(bot, wren).value is None
    assert found.win_rate(wren, bot).value == 1.0
    assert found.nash_win_rates[bot].mass.value == 0.0
    assert (found.elo.ratings[bot].value or 0.0) < -100
    assert found.elo.ratings[wren].value == pytest.approx(0), (
        "lost all against one, won all against the other"
    )
    assert found.styles[bot].figures.score.value == 0  # B scores nothing in the games that there are
    assert found.styles[bot].turns.value == 44


def test_forfeits_are_told_apart_by_opponent() -> None:
    found = with_a_guest_that_fails()
    assert found.forfeits(0) == found.forfeits(1) == {}
    against_owl, against_wren = found.forfeits(2).values()
    assert (against_owl.games, against_owl.reasons) == (20, {"crash": 20})
    assert (against_wren.games, against_wren.reasons) == (40, {"illegal": 20, "time": 20})


def test_a_tournament_in_which_every_game_was_forfeited() -> None:
    found = standings_of(("owl", "bot"), {(0, 1): [("crash", "crash")] * 5})
    assert found.rated == ()
    assert [rating.value for rating in found.points.ratings] == [None, None]
    assert found.points.residuals == {}
    assert found.order == [0, 1]
    assert found.win_rate(0, 1).value == 1.0


def test_whoever_fails_when_losing_is_not_put_first() -> None:
    """The only game that bot finishes is the one that it wins."""
    margins: list[tuple[Result, Result]] = [("crash", "crash")] * 9
    found = standings_of(("bird", "bot"), {(0, 1): [*margins, ("crash", -30)]})
    assert [rating.value for rating in found.points.ratings] == [-15, 15]
    assert found.any_forfeits
    assert found.order == [0, 1]


def test_resampled_deals_may_hold_no_margin() -> None:
    """One game of 40 has a margin: a third of the resamples miss it, and count it as level."""
    margins: list[tuple[Result, Result]] = [("crash", "crash")] * 19
    found = standings_of(("owl", "bot"), {(0, 1): [*margins, ("crash", 12)]})
    assert found.rated == (0, 1)
    assert found.points.ratings[0].value == 6
    assert np.isfinite(
        [found.nash_margins[1].skill.low or 0.0, found.nash_margins[1].skill.high or 0.0]
    ).all()


def test_negated() -> None:
    assert negated(Estimate(1.0, -2.0, 4.0)) == Estimate(-1.0, -4.0, 2.0)
    assert negated(Estimate(None, None, None)) == Estimate(None, None, None)
