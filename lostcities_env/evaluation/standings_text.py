"""The standings of a tournament as text."""

import shlex
from collections.abc import Callable, Sequence
from textwrap import fill

from lostcities_env.agents.attempts import REASONS
from lostcities_env.evaluation.forfeits import Forfeit, example_lines
from lostcities_env.evaluation.naming import short_names
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
        _forfeits(standings, agents),
    ]
    return "\n\n".join(part for part in parts if part)


def unexplained_sentence(standings: Standings) -> str:
    """How far the margins add up."""
    points = standings.points
    if not standings.rated:
        return "No two agents have a margin: all of their games were forfeited."
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
    terms = protocol.terms
    if terms.move_seconds is not None:
        words += ["--move-seconds", f"{terms.move_seconds:g}"]
    if terms.strict is not None:
        words += ["--strict" if terms.strict else "--no-strict"]
    if terms.trust:
        words += ["--trust"]
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


def forfeits_sentence(standings: Standings) -> str:
    """What forfeits mean for the other numbers; who has no rating for them. Nothing without any."""
    agents = short_names(standings.protocol.agents)
    if not standings.any_forfeits:
        return ""
    unrated = [agents[k] for k in standings.order if k not in standings.rated]
    without = f" Not rated by margins, for want of them: {', '.join(unrated)}." if unrated else ""
    return (
        "Win rates and Elo count a forfeited game as lost. It has no margin: margins, ratings in points, "
        "Nash averaging over margins and style leave it out, which favours an agent that "
        f"fails when it is losing; so agents stand in the order of their Elo.{without}"
    )


def forfeit_counts(standings: Standings, agent: int) -> tuple[int, dict[str, int]]:
    """Games that an agent lost by failing, against all opponents: how many, and how many for each reason."""
    parts = standings.forfeits(agent).values()
    reasons = {reason: sum(part.reasons.get(reason, 0) for part in parts) for reason in REASONS}
    return sum(part.games for part in parts), reasons


def first_forfeits(standings: Standings, agent: int) -> list[tuple[int, Forfeit]]:
    """The first failure of an agent for each reason, with the opponent."""
    firsts: dict[str, tuple[int, Forfeit]] = {}
    for opponent, forfeits in standings.forfeits(agent).items():
        for example in forfeits.examples:
            firsts.setdefault(example.reason, (opponent, example))
    return list(firsts.values())


def _forfeits(standings: Standings, agents: Sequence[str]) -> str:
    rows = [["", "games lost by failing", *REASONS]]
    examples = []
    for k in standings.order:
        games, reasons = forfeit_counts(standings, k)
        if games:
            rows.append([agents[k], f"{games} of {games_each(standings)}", *map(str, reasons.values())])
        for opponent, example in first_forfeits(standings, k):
            examples += example_lines(f"{agents[k]} against {agents[opponent]}", example)
    if not examples:
        return ""
    sentence = fill(forfeits_sentence(standings), 100, break_long_words=False, break_on_hyphens=False)
    return "\n".join(["Forfeits:", align(rows), *examples, sentence])


def games_each(standings: Standings) -> int:
    """Games that every agent played."""
    return 2 * standings.protocol.pairs * (len(standings.protocol.agents) - 1)


def win_rate_against(nash: NashStanding) -> Estimate:
    """The skill over win rates as the win rate that it stands for."""
    ends = (nash.skill.value, nash.skill.low, nash.skill.high)
    return Estimate(*(None if end is None else end + 0.5 for end in ends))
