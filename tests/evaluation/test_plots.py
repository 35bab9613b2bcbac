"""Plots as HTML."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lostcities_env.evaluation.plots import axis_ticks, interval_plot, typeset
from lostcities_env.evaluation.report import format_points
from lostcities_env.evaluation.statistics import Estimate


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_enclose_the_ends_evenly_and_are_few(low: float, span: float) -> None:
    ticks = axis_ticks(low, low + span)
    assert ticks[0] <= low + 1e-9 * abs(low) + 1e-9
    assert ticks[-1] >= low + span - 1e-9 * abs(low) - 1e-9
    steps = [after - before for before, after in pairwise(ticks)]
    assert steps == pytest.approx([steps[0]] * len(steps), rel=1e-3)
    assert 2 <= len(ticks) <= 8


def test_level_values_have_an_axis_too() -> None:
    assert axis_ticks(0.0, 0.0) == [0.0, 0.2]


def test_dots_and_intervals_lie_where_their_numbers_are() -> None:
    plot = interval_plot(
        ["owl", "<wren>"], [Estimate(0.0, -10.0, 10.0), Estimate(-20.0, None, None)], format_points
    )
    assert '<i class="interval" style="left:33.33%;width:66.67%"></i>' in plot
    assert '<i class="dot" style="left:66.67%"></i><' in plot
    assert '<i class="dot" style="left:0.00%"></i><' in plot
    assert plot.count('class="interval"') == 1
    assert "&lt;wren&gt;" in plot


def test_numbers_are_typeset_with_a_minus() -> None:
    assert typeset("-1.50 [-2.00, -1.00]") == "\N{MINUS SIGN}1.50 [\N{MINUS SIGN}2.00, \N{MINUS SIGN}1.00]"
    assert typeset("-") == "-"
