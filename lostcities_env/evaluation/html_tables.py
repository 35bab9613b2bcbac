"""Tables of a report as HTML: agents as rows, numbers with their intervals, heat maps."""

from collections.abc import Callable, Mapping, Sequence
from html import escape

from lostcities_env.evaluation.naming import short_names
from lostcities_env.evaluation.plots import typeset
from lostcities_env.evaluation.report import NOTHING, format_number, format_percent, format_reach
from lostcities_env.evaluation.standings import Standings
from lostcities_env.evaluation.statistics import Estimate

STRONGEST = 0.75
"""Opacity of the strongest colour of a heat map: text stays readable on it."""

_Value = Callable[[int, int], Estimate]


def heat_map(
    standings: Standings,
    value: _Value,
    text: Callable[[Estimate], str],
    largest: float | None = None,
    only_sure: bool = False,
) -> str:
    """Agents against agents, coloured by `value`; columns are numbered like the rows."""
    agents, order = short_names(standings.protocol.agents), standings.order
    cells = {(row, column): value(row, column) for row in order for column in order if row != column}
    reach = largest or max(abs(cell.value or 0.0) for cell in cells.values()) or 1.0
    numbers = "".join(f'<th scope="col" title="{escape(agents[k])}">{n}</th>' for n, k in enumerate(order, 1))
    rows = []
    for number, row in enumerate(order, 1):
        line = [_row_header(number, agents[row])]
        for column in order:
            if row == column:
                line.append(plain_cell(NOTHING))
                continue
            cell = cells[row, column]
            heat = 0.0 if only_sure and not _excludes_zero(cell) else (cell.value or 0.0) / reach
            title = f"{agents[row]} against {agents[column]}"
            line.append(_heat_cell(heat, title, text(cell)))
        rows.append(f"<tr>{''.join(line)}</tr>")
    ends = [text(Estimate(end, None, None)) for end in (-reach, reach)]
    return (
        f'<div class="wide"><table class="heat">\n<thead><tr><th></th>{numbers}</tr></thead>\n<tbody>\n'
        + "\n".join(rows)
        + f'\n</tbody>\n</table></div>\n<p class="key">{ends[0]}<span></span>{ends[1]}</p>'
    )


def _heat_cell(heat: float, title: str, inner: str) -> str:
    """A cell of a heat map; `heat` is between -1 and 1."""
    sign = "minus" if heat < 0 else "plus"
    opacity = f"{STRONGEST * abs(heat):.3f}"
    label = f' title="{escape(title)}"' if title else ""
    return f'<td class="{sign}" style="--heat:{opacity}"{label}>{inner}</td>'


def agents_table(standings: Standings, header: Sequence[str], rows: Mapping[int, Sequence[str]]) -> str:
    """A row of cells an agent, by its index; those that have one, in the order of the standings."""
    agents = short_names(standings.protocol.agents)
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    lines = [
        f"<tr>{_row_header(number, agents[k])}" + "".join(rows[k]) + "</tr>"
        for number, k in enumerate(standings.order, 1)
        if k in rows
    ]
    return (
        f'<div class="wide"><table class="plain">\n<thead><tr><th></th>{head}</tr></thead>\n<tbody>\n'
        + "\n".join(lines)
        + "\n</tbody>\n</table></div>"
    )


def plain_cell(inner: str) -> str:
    """A cell of a table, around HTML."""
    return f"<td>{inner}</td>"


def share_cell(share: Estimate) -> str:
    """A cell coloured by a number from 0 to 1."""
    return _heat_cell(share.value or 0.0, "", interval_text(share, format_percent))


def _row_header(number: int, agent: str) -> str:
    name = escape(agent).replace(":", ":<wbr>")  # where a guest's name may be broken
    return f'<th scope="row"><span class="number">{number}</span><span class="agent">{name}</span></th>'


def _excludes_zero(estimate: Estimate) -> bool:
    return estimate.low is not None and estimate.high is not None and not estimate.low <= 0 <= estimate.high


def points_text(estimate: Estimate) -> str:
    """The number, and half its interval below it."""
    return f"{typeset(format_number(estimate.value))}{_small(format_reach(estimate))}"


def percent_text(estimate: Estimate, offset: float = 0.0) -> str:
    """The same of a share, in percent, after adding the offset."""
    if estimate.value is None:
        return NOTHING
    return f"{100 * (estimate.value + offset):.1f}{_small(format_reach(estimate, 100, 1))}"


def interval_text(estimate: Estimate, text: Callable[[Estimate], str]) -> str:
    """The number, and its interval below it."""
    value, _, interval = text(estimate).partition(" [")
    return f"{typeset(value)}<small>{typeset('[' + interval)}</small>" if interval else typeset(value)


def _small(reach: str) -> str:
    return f"<small>{reach.strip()}</small>" if reach else ""
