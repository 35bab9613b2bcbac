"""The standings of a tournament as one page of HTML that needs nothing else: no network, no script."""

from collections.abc import Callable, Sequence
from html import escape
from importlib.resources import files

from lostcities_env.evaluation.plots import interval_plot, typeset
from lostcities_env.evaluation.report import (
    NOTHING,
    conditions_of,
    format_number,
    format_percent,
    format_points,
    format_reach,
)
from lostcities_env.evaluation.standings import Standings
from lostcities_env.evaluation.standings_text import (
    command_of,
    format_elo,
    short_names,
    unexplained_sentence,
    win_rate_against,
)
from lostcities_env.evaluation.statistics import CONFIDENCE, Estimate

STRONGEST = 0.75
"""Opacity of the strongest colour of a heat map: text stays readable on it."""

_Value = Callable[[int, int], Estimate]


def html_report(standings: Standings) -> str:
    """The page, the best agent first."""
    agents = standings.protocol.agents
    title = f"Tournament of {len(agents)} agents"
    sections = [
        f"<h1>{title}</h1>",
        f'<p class="soft">{escape(conditions_of(standings.evaluations[0]))}</p>',
        _ratings(standings),
        _margins(standings),
        _win_rates(standings),
        _residuals(standings),
        _nash(standings),
        _styles(standings),
        _origin(standings),
    ]
    style = (files("lostcities_env.evaluation") / "report.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(sections)
        + "\n</main>\n</body>\n</html>\n"
    )


def _ratings(standings: Standings) -> str:
    order = standings.order
    agents = short_names(standings.protocol.agents)
    names = [agents[k] for k in order]
    points = [standings.points.ratings[k] for k in order]
    elo = [standings.elo.ratings[k] for k in order]
    return _section(
        "Ratings",
        f"0 is the mean of the agents. Bars are {100 * CONFIDENCE:.0f} % intervals. All agents had the same "
        "deals, so their ratings go up and down together with the luck of the cards.",
        "<h3>Points per round (least squares on the margins)</h3>",
        interval_plot(names, points, format_points),
        "<h3>Elo (Bradley-Terry on the results of games)</h3>",
        interval_plot(names, elo, format_elo),
    )


def _margins(standings: Standings) -> str:
    return _section(
        "Margins",
        "Points per round of the row over the column.",
        _heat_map(standings, standings.margin, _points_text),
    )


def _win_rates(standings: Standings) -> str:
    def lead(row: int, column: int) -> Estimate:
        rate = standings.win_rate(row, column)
        return Estimate(*(None if end is None else end - 0.5 for end in (rate.value, rate.low, rate.high)))

    return _section(
        "Win rates",
        "Games that the row won against the column and half of those drawn, in percent.",
        _heat_map(standings, lead, lambda lead: _percent_text(lead, 0.5), largest=0.5),
    )


def _residuals(standings: Standings) -> str:
    return _section(
        "What the ratings do not explain",
        "The margin of the row over the column less the difference of their ratings in points. Blue: the row "
        "does better against this opponent than against the others. Coloured where the interval excludes 0.",
        _heat_map(standings, standings.residual, _points_text, only_sure=True),
        f"<p>{escape(unexplained_sentence(standings))}</p>",
    )


def _nash(standings: Standings) -> str:
    rows = []
    for k in standings.order:
        margins, rates = standings.nash_margins[k], standings.nash_win_rates[k]
        rows.append(
            [
                _share_cell(margins.mass),
                _cell(_interval(margins.skill, format_points)),
                _share_cell(rates.mass),
                _cell(_interval(win_rate_against(rates), format_percent)),
            ]
        )
    header = [
        "mass by margins",
        "points against the mixture",
        "mass by win rates",
        "win rate against the mixture",
    ]
    return _section(
        "Nash averaging",
        "The mixture of agents that no agent beats (of several, that of the greatest entropy). An agent "
        "without mass is dispensable; copies of an agent change nothing. Intervals from resampled deals.",
        _table(standings, header, rows),
    )


def _styles(standings: Standings) -> str:
    header = [
        "points",
        "expeditions",
        "points per expedition",
        "negative expeditions",
        "wagers",
        "bonuses",
        "draws from piles, %",
        "turns",
    ]
    rows = []
    for k in standings.order:
        style = standings.styles[k]
        figures = style.figures
        numbers = [
            figures.score,
            figures.expeditions,
            figures.points_per_expedition,
            figures.negative_expeditions,
            figures.wagers,
            figures.bonuses,
        ]
        cells = [
            *map(_points_text, numbers),
            _percent_text(figures.pile_draw_share),
            _points_text(style.turns),
        ]
        rows.append(list(map(_cell, cells)))
    return _section(
        "Style",
        "Per round, over all opponents; turns are those of both players.",
        _table(standings, header, rows),
    )


def _origin(standings: Standings) -> str:
    protocol = standings.protocol.to_dict()
    versions = ", ".join(f"{name} {number}" for name, number in protocol["versions"].items())
    files_used = "".join(
        f"<dt>{escape(name)}</dt><dd><code>sha256 {escape(digest)}</code></dd>"
        for name, digest in protocol["sha256"].items()
    )
    return _section(
        "How to repeat this",
        "Every two agents played every deal twice, with the seats swapped; all had the same deals.",
        f"<pre>{escape(command_of(standings.protocol))}</pre>",
        f"<dl><dt>Versions</dt><dd>{escape(versions)}</dd>{files_used}</dl>",
    )


def _section(title: str, explanation: str, *parts: str) -> str:
    inner = "\n".join(parts)
    return f"<section>\n<h2>{escape(title)}</h2>\n<p>{escape(explanation)}</p>\n{inner}\n</section>"


def _heat_map(
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
                line.append(_cell(NOTHING))
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


def _table(standings: Standings, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A row of cells an agent."""
    agents = short_names(standings.protocol.agents)
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    lines = [
        f"<tr>{_row_header(number, agents[k])}" + "".join(row) + "</tr>"
        for number, (k, row) in enumerate(zip(standings.order, rows, strict=True), 1)
    ]
    return (
        f'<div class="wide"><table class="plain">\n<thead><tr><th></th>{head}</tr></thead>\n<tbody>\n'
        + "\n".join(lines)
        + "\n</tbody>\n</table></div>"
    )


def _cell(inner: str) -> str:
    return f"<td>{inner}</td>"


def _share_cell(share: Estimate) -> str:
    """A cell coloured by a number from 0 to 1."""
    return _heat_cell(share.value or 0.0, "", _interval(share, format_percent))


def _row_header(number: int, agent: str) -> str:
    return (
        f'<th scope="row"><span class="number">{number}</span><span class="agent">{escape(agent)}</span></th>'
    )


def _excludes_zero(estimate: Estimate) -> bool:
    return estimate.low is not None and estimate.high is not None and not estimate.low <= 0 <= estimate.high


def _points_text(estimate: Estimate) -> str:
    return f"{typeset(format_number(estimate.value))}{_small(format_reach(estimate))}"


def _percent_text(estimate: Estimate, offset: float = 0.0) -> str:
    if estimate.value is None:
        return NOTHING
    return f"{100 * (estimate.value + offset):.1f}{_small(format_reach(estimate, 100, 1))}"


def _interval(estimate: Estimate, text: Callable[[Estimate], str]) -> str:
    """The number, and its interval below it."""
    value, _, interval = text(estimate).partition(" [")
    return f"{typeset(value)}<small>{typeset('[' + interval)}</small>" if interval else typeset(value)


def _small(reach: str) -> str:
    return f"<small>{reach.strip()}</small>" if reach else ""
