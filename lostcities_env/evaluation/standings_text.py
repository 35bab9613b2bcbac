"""The standings of a tournament as text."""

import shlex
from collections.abc import Callable, Sequence
from pathlib import PurePath

from lostcities_env.agents.safetensors_file import WEIGHTS_SUFFIX
from lostcities_env.evaluation.report import (
    NOTHING,
    align,
    format_number,
    format_percent,
    format_points,
    format_reach,
    heading,
    square,
)
from lostcities_env.evaluation.standings import NashStanding, Standings
from lostcities_env.evaluation.statistics import Estimate
from lostcities_env.evaluation.tournament import Protocol
from lostcities_env.rules.match import Match


def standings_report(standings: Standings) -> str:
    """Cross tables and ratings, the best agent first."""
    agents = short_names(standings.protocol.agents)
    names = [agents[k] for k in standings.order]
    title = heading(f"{len(agents)} agents against each other", standings.evaluations[0])
    parts = [
        title,
        "Margin per round of the row against the column:\n" + _cross(standings, names, _margin_cell),
        "Win rate of the row against the column, %:\n" + _cross(standings, names, _win_cell),
        "Ratings, 0 is the mean of the agents:\n" + _ratings(standings, names),
        "Nash averaging:\n" + _nash(standings, names),
        unexplained_sentence(standings),
    ]
    return "\n\n".join(parts)


def unexplained_sentence(standings: Standings) -> str:
    """How far the margins add up."""
    points = standings.points
    if points.unexplained is None:
        return "All margins are 0."
    text = (
        f"Ratings in points leave {100 * points.unexplained:.1f} % of the variance of the margins unexplained"
    )
    if points.noise is not None:
        text += f" ({100 * points.noise:.1f} % would be luck alone)"
    (a, b), most = max(points.residuals.items(), key=lambda item: abs(item[1].value or 0.0))
    agents = short_names(standings.protocol.agents)
    return f"{text};\nmost for {agents[a]} against {agents[b]}: {format_points(most)} a round."


def short_names(agents: Sequence[str]) -> list[str]:
    """Agents without the suffix of weights, and without the folders that are not needed to tell them apart.

    >>> short_names(["random", "runs/a/policy.safetensors", "runs/b/policy.safetensors"])
    ['random', 'a/policy', 'b/policy']
    """
    paths = [_parts(agent) for agent in agents]
    short = [_tail(path, [other for other in paths if other is not path]) for path in paths]
    return short if len(set(short)) == len(agents) else list(agents)


def _parts(agent: str) -> tuple[str, ...]:
    if not agent.endswith(WEIGHTS_SUFFIX):
        return (agent,)
    return PurePath(agent.removesuffix(WEIGHTS_SUFFIX)).parts


def _tail(path: tuple[str, ...], others: Sequence[tuple[str, ...]]) -> str:
    """The fewest of its last parts that are not those of another."""
    for count in range(1, len(path)):
        if all(path[-count:] != other[-count:] for other in others):
            return "/".join(path[-count:])
    return str(PurePath(*path))


def command_of(protocol: Protocol) -> str:
    """The command line that plays it."""
    match = protocol.match
    words = ["lostcities", "tournament", *protocol.agents, "--pairs", str(protocol.pairs)]
    words += ["--seed", str(protocol.seed)]
    for option, value, default in (
        ("--variant", match.variant.name, Match().variant.name),
        ("--rounds", str(match.rounds), str(Match().rounds)),
        ("--tie", match.tie, Match().tie),
    ):
        if value != default:
            words += [option, value]
    return shlex.join(words)


def _cross(standings: Standings, names: Sequence[str], cell: Callable[[Standings, int, int], str]) -> str:
    order = standings.order
    cells = {
        (names[i], names[j]): cell(standings, order[i], order[j])
        for i in range(len(names))
        for j in range(len(names))
        if i != j
    }
    return square(names, cells)


def _margin_cell(standings: Standings, row: int, column: int) -> str:
    margin = standings.margin(row, column)
    return format_number(margin.value) + format_reach(margin)


def _win_cell(standings: Standings, row: int, column: int) -> str:
    rate = standings.win_rate(row, column)
    if rate.value is None:
        return NOTHING
    return f"{100 * rate.value:.1f}{format_reach(rate, 100, 1)}"


def _ratings(standings: Standings, names: Sequence[str]) -> str:
    rows = [["", "points per round", "Elo"]]
    for name, k in zip(names, standings.order, strict=True):
        elo = standings.elo.ratings[k]
        rows.append([name, format_points(standings.points.ratings[k]), format_elo(elo)])
    return align(rows)


def format_elo(estimate: Estimate) -> str:
    """``25 [10, 40]``; without an interval if there is none."""
    text = NOTHING if estimate.value is None else f"{estimate.value:z.0f}"
    if estimate.low is None or estimate.high is None:
        return text
    return f"{text} [{estimate.low:z.0f}, {estimate.high:z.0f}]"


def _nash(standings: Standings, names: Sequence[str]) -> str:
    rows = [["", "mass by margins", "points against it", "mass by win rates", "win rate against it"]]
    for name, k in zip(names, standings.order, strict=True):
        margins, rates = standings.nash_margins[k], standings.nash_win_rates[k]
        rows.append(
            [
                name,
                format_percent(margins.mass),
                format_points(margins.skill),
                format_percent(rates.mass),
                format_percent(win_rate_against(rates)),
            ]
        )
    return align(rows)


def win_rate_against(nash: NashStanding) -> Estimate:
    """The skill over win rates as the win rate that it stands for."""
    ends = (nash.skill.value, nash.skill.low, nash.skill.high)
    return Estimate(*(None if end is None else end + 0.5 for end in ends))
