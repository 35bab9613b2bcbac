"""The standings of a tournament as one page of HTML that needs nothing else: no network, no script."""

from html import escape
from importlib.resources import files

from lostcities_env.agents.attempts import REASONS
from lostcities_env.evaluation.contests import FAILURES
from lostcities_env.evaluation.html_tables import (
    agents_table,
    heat_map,
    interval_text,
    percent_text,
    plain_cell,
    points_text,
    share_cell,
)
from lostcities_env.evaluation.naming import short_names
from lostcities_env.evaluation.plots import interval_plot
from lostcities_env.evaluation.report import NOTHING, conditions_of, format_percent, format_points
from lostcities_env.evaluation.standings import Standings
from lostcities_env.evaluation.standings_text import (
    command_of,
    first_forfeits,
    forfeit_counts,
    forfeits_sentence,
    format_elo,
    games_each,
    unexplained_sentence,
    win_rate_against,
)
from lostcities_env.evaluation.statistics import CONFIDENCE, Estimate


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
        *_forfeits(standings),
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
        heat_map(standings, standings.margin, points_text),
    )


def _win_rates(standings: Standings) -> str:
    def lead(row: int, column: int) -> Estimate:
        rate = standings.win_rate(row, column)
        return Estimate(*(None if end is None else end - 0.5 for end in (rate.value, rate.low, rate.high)))

    return _section(
        "Win rates",
        "Games that the row won against the column and half of those drawn, in percent.",
        heat_map(standings, lead, lambda lead: percent_text(lead, 0.5), largest=0.5),
    )


def _residuals(standings: Standings) -> str:
    return _section(
        "What the ratings do not explain",
        "The margin of the row over the column less the difference of their ratings in points. Blue: the row "
        "does better against this opponent than against the others. Coloured where the interval excludes 0.",
        heat_map(standings, standings.residual, points_text, only_sure=True),
        f"<p>{escape(unexplained_sentence(standings))}</p>",
    )


def _nash(standings: Standings) -> str:
    rows = {}
    for k in standings.order:
        margins, rates = standings.nash_margins[k], standings.nash_win_rates[k]
        rows[k] = [
            share_cell(margins.mass),
            plain_cell(interval_text(margins.skill, format_points)),
            share_cell(rates.mass),
            plain_cell(interval_text(win_rate_against(rates), format_percent)),
        ]
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
        agents_table(standings, header, rows),
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
    rows = {}
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
            *map(points_text, numbers),
            percent_text(figures.pile_draw_share),
            points_text(style.turns),
        ]
        rows[k] = list(map(plain_cell, cells))
    return _section(
        "Style",
        "Per round, over all opponents; turns are those of both players.",
        agents_table(standings, header, rows),
    )


def _forfeits(standings: Standings) -> list[str]:
    """The section on forfeits, if there are any."""
    agents = short_names(standings.protocol.agents)
    rows, examples = {}, []
    for k in standings.order:
        games, reasons = forfeit_counts(standings, k)
        if not games:
            continue
        numbers = [str(games), *(str(count) if count else NOTHING for count in reasons.values())]
        against = [f"{escape(agents[j])} {part.games}" for j, part in standings.forfeits(k).items()]
        rows[k] = [*map(plain_cell, numbers), f'<td class="text">{"<br>".join(against)}</td>']
        for opponent, example in first_forfeits(standings, k):
            who = f"{agents[k]} against {agents[opponent]}: {example.reason}"
            saved = f"<br>saved as <code>{escape(example.saved)}</code>" if example.saved else ""
            what = f"{escape(example.message)}<small>{escape(example.where)}{saved}</small>"
            examples.append(f"<dt>{escape(who)}</dt><dd>{what}</dd>")
    if not examples:
        return []
    return [
        _section(
            "Forfeits",
            f"Games that an agent lost by failing, of {games_each(standings)}. "
            + forfeits_sentence(standings),
            agents_table(standings, ["games", *REASONS, "by opponent"], rows),
            f"<p>The first of each kind; positions are saved in the folder <code>{FAILURES}</code> beside "
            "this page, unless another was named.</p>",
            f'<dl class="failures">{"".join(examples)}</dl>',
        )
    ]


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
