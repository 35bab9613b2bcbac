"""Evaluations as text: plain aligned tables."""

from collections.abc import Sequence
from statistics import fmean

from lostcities_env.evaluation.evaluation import Evaluation, Outcomes
from lostcities_env.evaluation.forfeits import forfeits_report
from lostcities_env.evaluation.luck import CorrectedMargin
from lostcities_env.evaluation.sequential import H0, H1, Hypotheses, SequentialTest
from lostcities_env.evaluation.statistics import CONFIDENCE, Estimate
from lostcities_env.rules.match import Match

NOTHING = "-"
"""Printed for a number that does not exist."""
_MEASURES = {"margin": "margin of A per round", "elo": "Elo of A minus B"}


def full_report(evaluation: Evaluation) -> str:
    """Everything about one evaluation, A and B side by side."""
    a, b = evaluation.agents
    title = f"{a} (A) against {b} (B)"
    results = [
        ["margin of A per round", format_points(evaluation.margin), ""],
        ["win rate of A", format_percent(evaluation.rounds.win_rate), _counts(evaluation.rounds)],
    ]
    if matches_differ(evaluation.match):
        matches = evaluation.matches
        results.append(["match win rate of A", format_percent(matches.win_rate), _counts(matches)])
    rows = [["", f"A: {a}", f"B: {b}"]]
    for label, name in (
        ("points", "score"),
        ("expeditions opened", "expeditions"),
        ("points per expedition", "points_per_expedition"),
        ("negative expeditions", "negative_expeditions"),
        ("wagers", "wagers"),
        (f"bonuses ({evaluation.match.variant.bonus_length}+ cards)", "bonuses"),
    ):
        rows.append([label, *(format_points(getattr(side, name)) for side in evaluation.figures)])
    draws = [format_percent(side.pile_draw_share) for side in evaluation.figures]
    rows.append(["draws from piles", *draws])
    both = [
        ["turns per round", format_points(evaluation.turns_per_round)],
        ["rounds that closed the piles", format_percent(evaluation.piles_closed_share)],
        ["win rate of the first player", format_percent(evaluation.first_player_win_rate)],
    ]
    parts = [
        heading(title, evaluation),
        align(results, left=(0, 2)),
        "Per round:\n" + align(rows),
        align(both, left=(0, 1)),
    ]
    return "\n\n".join(parts + _forfeits([evaluation]))


def sequential_report(test: SequentialTest) -> str:
    """The verdict of a sequential test, what led to it, and how far its estimates can be trusted."""
    a, b = test.agents
    low, high = test.hypotheses.bounds
    numbers = [
        ["log-likelihood ratio", f"{test.llr:z.2f} (H0 at {low:.2f}, H1 at {high:.2f})"],
        ["pairs", f"{test.pairs} of at most {test.max_pairs}, a look every {test.batch}"],
        ["margin of A per round", format_points(test.margin)],
        [
            "match win rate of A" if matches_differ(test.match) else "win rate of A",
            format_percent(test.win_rate),
        ],
        ["Elo of A minus B", format_points(test.elo)],
        ["pairs by A's points, 0 to 2", " ".join(map(str, test.counts))],
    ]
    parts = [
        f"{a} (A) against {b} (B)\n{_conditions(test.match, test.seed)}",
        _hypotheses(test.hypotheses) + "\n\n" + _verdict(test),
        align(numbers, left=(0, 1)),
    ]
    if test.stopped_early:
        parts.append(
            "The test stopped when the results looked decided, so these estimates lie further out than\n"
            "the truth on average, and their intervals do not allow for that."
        )
    return "\n\n".join(parts + _forfeits([test]))


def _hypotheses(hypotheses: Hypotheses) -> str:
    what = _MEASURES[hypotheses.measure]
    return "\n".join(
        f"{name}: the {what} is {value:g}; wrongly rejected with a chance of about {chance:g}"
        for name, value, chance in (
            (H0, hypotheses.value0, hypotheses.alpha),
            (H1, hypotheses.value1, hypotheses.beta),
        )
    )


def _verdict(test: SequentialTest) -> str:
    hypotheses = test.hypotheses
    what = _MEASURES[hypotheses.measure]
    if test.verdict == H1:
        return f"H1 accepted: the {what} is above {hypotheses.value0:g}."
    if test.verdict == H0:
        return f"H0 accepted: the {what} is below {hypotheses.value1:g}."
    return f"Undecided after {test.pairs} pairs."


def opponents_table(evaluations: Sequence[Evaluation]) -> str:
    """One agent (A of every evaluation) against several: a row an opponent."""
    first = evaluations[0]
    with_matches = matches_differ(first.match)
    header = ["opponent", "margin per round", "win rate"]
    header += ["match win rate"] if with_matches else []
    rows = [[*header, "points", "theirs", "turns"]]
    for evaluation in evaluations:
        row = [evaluation.agents[1], format_points(evaluation.margin)]
        row.append(format_percent(evaluation.rounds.win_rate))
        if with_matches:
            row.append(format_percent(evaluation.matches.win_rate))
        row += [format_number(side.score.value) for side in evaluation.figures]
        row.append(format_number(evaluation.turns_per_round.value))
        rows.append(row)
    parts = [heading(f"{first.agents[0]} against {len(evaluations)} opponents", first), align(rows)]
    return "\n\n".join(parts + _forfeits(evaluations))


def cross_table(agents: Sequence[str], evaluations: Sequence[Evaluation]) -> str:
    """All agents against each other: margins and win rates of the row's agent against the column's."""
    margins: dict[tuple[str, str], str] = {}
    wins: dict[tuple[str, str], str] = {}
    means: dict[str, list[float]] = {agent: [] for agent in agents}
    for evaluation in evaluations:
        a, b = evaluation.agents
        margin = evaluation.margin.value
        rate = evaluation.rounds.win_rate.value or 0.0
        for row, column, sign, won in ((a, b, 1, rate), (b, a, -1, 1 - rate)):
            wins[row, column] = f"{100 * won:.1f} %"
            if margin is not None:  # else every game was forfeited
                margins[row, column] = f"{sign * margin:z.2f}{format_reach(evaluation.margin)}"
                means[row].append(sign * margin)
    mean_column = {agent: format_number(fmean(values) if values else None) for agent, values in means.items()}
    parts = [
        heading(f"{len(agents)} agents against each other", evaluations[0]),
        "Margin per round of the row against the column:\n" + square(agents, margins, mean_column),
        "Win rate of the row against the column:\n" + square(agents, wins),
    ]
    return "\n\n".join(parts + _forfeits(evaluations))


def luck_table(judge: str, evaluations: Sequence[Evaluation], corrected: Sequence[CorrectedMargin]) -> str:
    """Margins with and without the luck of the deck, a row a contest."""
    rows = [["A", "B", "margin per round", "without luck", "worth pairs"]]
    for evaluation, one in zip(evaluations, corrected, strict=True):
        worth = NOTHING if one.factor is None else f"x {one.factor:.2f}"
        rows.append([*evaluation.agents, format_points(evaluation.margin), format_points(one.margin), worth])
    text = f"Without the luck of the deck, by the values of {judge}:\n" + align(rows, left=(0, 1))
    if any(evaluation.games_without_margin for evaluation in evaluations):
        text += (
            "\nThere is no such margin where games were forfeited: luck has a part in which games are left."
        )
    return text


def _forfeits(evaluations: Sequence[Evaluation | SequentialTest]) -> list[str]:
    """What there is to say about forfeits: a paragraph for each contest that has any."""
    paragraphs = [forfeits_report(one.agents, one.forfeits, 2 * one.pairs) for one in evaluations]
    return [paragraph for paragraph in paragraphs if paragraph]


def square(
    agents: Sequence[str], cells: dict[tuple[str, str], str], means: dict[str, str] | None = None
) -> str:
    """A table with the agents as rows and columns; cells by row and column, and a last column."""
    rows = [["", *agents] + (["mean"] if means else [])]
    for row in agents:
        line = [row, *(cells.get((row, column), NOTHING) for column in agents)]
        rows.append(line + ([means[row]] if means else []))
    return align(rows)


def heading(title: str, evaluation: Evaluation) -> str:
    """A title, and what was played."""
    return f"{title}\n{conditions_of(evaluation)}"


def conditions_of(evaluation: Evaluation) -> str:
    """What was played, on one line."""
    pairs = "1 pair" if evaluation.pairs == 1 else f"{evaluation.pairs} pairs"
    return _conditions(evaluation.match, evaluation.seed, f", {pairs} of games")


def _conditions(match: Match, seed: int, pairs: str = "") -> str:
    rounds = "1 round" if match.rounds == 1 else f"{match.rounds} rounds"
    tie = "" if match.tie == "draw" else f" (tie: {match.tie})"
    return f"{match.variant.name}, {rounds} a game{tie}{pairs}, seed {seed}, {CONFIDENCE:.0%} intervals"


def matches_differ(match: Match) -> bool:
    """Whether winning the match says something else than winning the round."""
    return match.rounds > 1 or match.tie != "draw"


def _counts(outcomes: Outcomes) -> str:
    return f"{outcomes.wins} won, {outcomes.draws} drawn, {outcomes.losses} lost"


def format_points(estimate: Estimate) -> str:
    """``1.25 [0.50, 2.00]``; without an interval if there is none."""
    text = format_number(estimate.value)
    if estimate.low is None or estimate.high is None:
        return text
    return f"{text} [{estimate.low:z.2f}, {estimate.high:z.2f}]"


def format_percent(estimate: Estimate) -> str:
    """``52.5 % [50.0, 55.0]``; without an interval if there is none."""
    if estimate.value is None:
        return NOTHING
    text = f"{100 * estimate.value:.1f} %"
    if estimate.low is None or estimate.high is None:
        return text
    return f"{text} [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"


def format_number(value: float | None) -> str:
    """``1.25``."""
    return NOTHING if value is None else f"{value:z.2f}"


def format_reach(estimate: Estimate, scale: float = 1, digits: int = 2) -> str:
    """`` ± 0.75``, half the length of the interval; nothing without one."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f" ± {scale * (estimate.high - estimate.low) / 2:.{digits}f}"


def align(rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Rows of cells as lines of columns two spaces apart; columns `left` flush left, the others right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if k in left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def markdown(rows: Sequence[Sequence[str]], *, padded: bool = True, numbers: bool = False) -> str:
    """A table in Markdown.

    Args:
        rows: of cells, the header first.
        padded: whether columns are as wide as their widest cell, to be read as they are.
        numbers: whether all columns but the first are flush right on a page.

    >>> print(markdown([["agent", "points"], ["owl", "7"]], padded=False, numbers=True))
    | agent | points |
    | --- | ---: |
    | owl | 7 |
    """
    widths = [max(map(len, column)) if padded else 0 for column in zip(*rows, strict=True)]
    header, *body = ([cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows)
    rule = ["-" * max(width, 3) for width in widths]
    if numbers:
        rule[1:] = [f"{dashes}:" for dashes in rule[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, rule, *body))
