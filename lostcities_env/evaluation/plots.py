"""Plots as HTML: a row a name, positions in percent, so that text keeps its size on any screen."""

import math
from collections.abc import Callable, Sequence
from html import escape

from lostcities_env.evaluation.report import NOTHING
from lostcities_env.evaluation.statistics import Estimate

_STEPS = (1.0, 2.0, 5.0, 10.0)
_MOST_STEPS = 5
"""Between two ticks of an axis, and how many of them fit."""


def interval_plot(
    names: Sequence[str], estimates: Sequence[Estimate], text: Callable[[Estimate], str]
) -> str:
    """Dots with their intervals on one axis, a row a name.

    Args:
        names: of the rows.
        estimates: of the rows; one without a value has no dot.
        text: the number beside a row.
    """
    ends = [end for each in estimates for end in (each.value, each.low, each.high) if end is not None]
    ticks = axis_ticks(min(ends, default=0.0), max(ends, default=0.0))
    low, span = ticks[0], ticks[-1] - ticks[0]

    def place(value: float) -> str:
        return f"{100 * (value - low) / span:.2f}%"

    lines = "".join(
        f'<i class="tick{" zero" if tick == 0 else ""}" style="left:{place(tick)}"></i>' for tick in ticks
    )
    rows = []
    for name, each in zip(names, estimates, strict=True):
        marks = ""
        if each.low is not None and each.high is not None:
            width = f"{100 * (each.high - each.low) / span:.2f}%"
            marks = f'<i class="interval" style="left:{place(each.low)};width:{width}"></i>'
        if each.value is not None:
            marks += f'<i class="dot" style="left:{place(each.value)}"></i>'
        rows.append(_row(name, lines + marks, text(each)))
    labels = "".join(f'<span style="left:{place(tick)}">{typeset(f"{tick:g}")}</span>' for tick in ticks)
    axis = f'<div class="row axis-row"><span></span><div class="axis">{labels}</div><span></span></div>'
    return f'<div class="plot">\n{"".join(rows)}{axis}\n</div>'


def typeset(number: str) -> str:
    """With the sign of a minus instead of a hyphen, but for a number that does not exist."""
    return number if number == NOTHING else number.replace("-", "\N{MINUS SIGN}")


def axis_ticks(low: float, high: float) -> list[float]:
    """Round numbers, evenly spaced, that enclose both ends.

    >>> axis_ticks(-12.0, 31.0)
    [-20.0, -10.0, 0.0, 10.0, 20.0, 30.0, 40.0]
    """
    span = high - low or 1.0
    power = 10.0 ** math.floor(math.log10(span / _MOST_STEPS))
    step = next(power * step for step in _STEPS if span / (power * step) <= _MOST_STEPS)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(step * k, 12) for k in range(first, max(last, first + 1) + 1)]


def _row(name: str, marks: str, text: str) -> str:
    return (
        f'<div class="row"><span class="name">{escape(name)}</span><div class="track">{marks}</div>'
        f'<span class="value">{escape(typeset(text))}</span></div>\n'
    )
