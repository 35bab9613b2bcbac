"""Results of the benchmark as text and as tables in Markdown. A result is what `run_benchmark` returns."""

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from lostcities_env.evaluation.benchmark import NAME, NOT_A_MEASURE, SCHEMA, BenchmarkError
from lostcities_env.evaluation.naming import short_names
from lostcities_env.evaluation.report import (
    NOTHING,
    align,
    format_number,
    format_percent,
    format_points,
    format_reach,
    markdown,
)
from lostcities_env.evaluation.statistics import Estimate

SMOKE = "A smoke run: a few pairs, to see that it works. These numbers are no benchmark result."
_STYLE = ("expeditions", "wagers", "bonuses")


def benchmark_report(result: dict[str, Any]) -> str:
    """Everything about one result."""
    (agent,) = short_names([result["agent"]])
    standard = result["settings"][0]
    parts = [
        f"{result['protocol']}: {agent}\n"
        f"{result['deals']} deals (seed {result['seed']}), {result['confidence']:.0%} intervals"
    ]
    if result["smoke"]:
        parts.append(SMOKE)
    headline = [["headline: mean margin per round", format_points(_estimate(result["headline"]))]]
    known = [contest for contest in standard["contests"] if contest["margin"]["value"] is not None]
    if known and not standard["forfeits"]:
        worst = min(known, key=lambda contest: contest["margin"]["value"])
        margin = format_points(_estimate(worst["margin"]))
        headline.append(["least margin per round", f"{margin} against {worst['opponent']}"])
    parts.append(align(headline, left=(0, 1)))
    if standard["forfeits"]:
        parts.append(
            "There is no headline for an agent that forfeits games of the standard setting: such a game has\n"
            "no margin, and leaving it out would favour an agent that fails when it is losing."
        )
    parts += [_setting(setting) for setting in result["settings"]]
    return "\n\n".join(parts)


def _setting(setting: dict[str, Any]) -> str:
    match = setting["match"]
    rounds = "1 round" if match["rounds"] == 1 else f"{match['rounds']} rounds"
    title = f"{setting['name']} ({match['variant']['name']}, {rounds} a game, {setting['pairs']} pairs each)"
    if setting["left_out"] is not None:
        return f"{title}:\nleft out: {setting['left_out']}"
    style = ["points", "expeditions", "wagers", "from piles", "turns", "piles closed"]
    rows = [["opponent", "margin per round", "games won", "forfeits", *style]]
    for contest in setting["contests"]:
        own = contest["figures"][0]
        rows.append(
            [
                contest["opponent"],
                format_points(_estimate(contest["margin"])),
                format_percent(_estimate(contest["matches"]["win_rate"])),
                str(contest["forfeits"][0]["games"]),
                *(format_number(own[name]["value"]) for name in ("score", "expeditions", "wagers")),
                _percent(own["pile_draw_share"]["value"]),
                format_number(contest["turns_per_round"]["value"]),
                _percent(contest["piles_closed_share"]["value"]),
            ]
        )
    margin, games = (
        format(_estimate(setting[key]))
        for key, format in (("mean_margin", format_points), ("mean_win_rate", format_percent))
    )
    rows.append([f"mean without {NOT_A_MEASURE}", margin, games, "", *[""] * len(style)])
    return f"{title}:\n{align(rows)}"


def benchmark_tables(results: Sequence[dict[str, Any]]) -> str:
    """Results of several agents as tables in Markdown, the best headline first.

    Raises:
        BenchmarkError: if they do not compare.
    """
    _check(results)
    names = short_names([result["agent"] for result in results])
    order = sorted(range(len(results)), key=lambda k: -(results[k]["headline"]["value"] or float("-inf")))
    ranked = [(f"`{names[k]}`", results[k]["settings"]) for k in order]
    standard, *others = results[0]["settings"]
    opponents = [f"`{name}`" for name in standard["opponents"]]
    mean = f"mean without `{NOT_A_MEASURE}`"
    other_columns = [f"{setting['name']}, {what}" for setting in others for what in ("margin", "won, %")]
    style = [*_STYLE, "from piles, %", "turns", "piles closed, %", "forfeits"]
    tables = [
        (
            f"{NAME}, {results[0]['deals']} deals. Margin per round in the standard setting; "
            "the mean is the headline:",
            ["agent", mean, *opponents],
            [[agent, *_margins(settings[0])] for agent, settings in ranked],
        ),
        (
            "Games won in the standard setting, with half of those drawn, in percent:",
            ["agent", mean, *opponents],
            [[agent, *_wins(settings[0])] for agent, settings in ranked],
        ),
        (
            f"The other settings, {mean}: margin per round, and games (or matches) won:",
            ["agent", *other_columns],
            [
                [agent, *(cell for one in settings[1:] for cell in (_margins(one)[0], _wins(one)[0]))]
                for agent, settings in ranked
            ],
        ),
        (
            f"Style per round in the standard setting, {mean}; forfeits are of all settings:",
            ["agent", *style],
            [
                [agent, *_style(settings[0]["contests"]), str(sum(one["forfeits"] for one in settings))]
                for agent, settings in ranked
            ],
        ),
    ]
    return "\n\n".join(
        f"{title}\n\n{markdown([header, *rows], padded=False, numbers=True)}"
        for title, header, rows in tables
    )


def _margins(setting: dict[str, Any]) -> list[str]:
    """The mean, and each opponent."""
    return [
        _points(setting["mean_margin"]),
        *(_points(contest["margin"]) for contest in setting["contests"]),
    ]


def _wins(setting: dict[str, Any]) -> list[str]:
    return [
        _share(setting["mean_win_rate"]),
        *(_share(contest["matches"]["win_rate"]) for contest in setting["contests"]),
    ]


def _check(results: Sequence[dict[str, Any]]) -> None:
    for result in results:
        if result["smoke"]:
            raise BenchmarkError(f"{result['agent']}: a smoke run is no result")
    deals = {result["deals"] for result in results}
    if len(deals) > 1:
        raise BenchmarkError(f"a table is of one kind of deals, got {' and '.join(sorted(deals))}")
    for result in results:
        if _conditions(result) != _conditions(results[0]):
            both = f"{results[0]['agent']} and {result['agent']}"
            raise BenchmarkError(f"{both} were not measured alike: opponents or pairs differ")
    agents = [result["agent"] for result in results]
    twice = [agent for k, agent in enumerate(agents) if agent in agents[:k]]
    if twice:
        raise BenchmarkError(f"a table has every agent once, got {twice[0]!r} twice")


def _conditions(result: dict[str, Any]) -> list[list[Any]]:
    """What must be the same in all results of a table."""
    fixed = ("name", "match", "pairs", "opponents", "sha256")
    return [[setting[key] for key in fixed] for setting in result["settings"]]


def check_result(content: Any) -> dict[str, Any]:
    """What was read from the file of a result.

    Raises:
        BenchmarkError: if it is none of this version of the benchmark.
    """
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise BenchmarkError(f"no result of a benchmark (its schema is not {SCHEMA!r})")
    if content.get("protocol") != NAME:
        raise BenchmarkError(f"a result of {content.get('protocol')!r}, not of {NAME!r}")
    try:
        benchmark_report(content)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise BenchmarkError(f"no whole result of a benchmark ({error!r})") from None
    return content


def _style(contests: Sequence[dict[str, Any]]) -> list[str]:
    measured = [contest for contest in contests if contest["opponent"] != NOT_A_MEASURE]

    def mean(value: Callable[[dict[str, Any]], float | None]) -> float | None:
        values = [value(contest) for contest in measured]
        known = [number for number in values if number is not None]
        return fmean(known) if known else None

    def own(name: str) -> Callable[[dict[str, Any]], float | None]:
        return lambda contest: contest["figures"][0][name]["value"]

    return [
        *(format_number(mean(own(name))) for name in _STYLE),
        _percent(mean(own("pile_draw_share")), unit=""),
        format_number(mean(lambda contest: contest["turns_per_round"]["value"])),
        _percent(mean(lambda contest: contest["piles_closed_share"]["value"]), unit=""),
    ]


def _estimate(content: dict[str, float | None]) -> Estimate:
    return Estimate(content["value"], content["low"], content["high"])


def _points(content: dict[str, float | None]) -> str:
    estimate = _estimate(content)
    return NOTHING if estimate.value is None else f"{estimate.value:+z.1f}{format_reach(estimate, digits=1)}"


def _share(content: dict[str, float | None]) -> str:
    estimate = _estimate(content)
    return (
        NOTHING if estimate.value is None else f"{100 * estimate.value:.1f}{format_reach(estimate, 100, 1)}"
    )


def _percent(value: float | None, unit: str = " %") -> str:
    return NOTHING if value is None else f"{100 * value:.1f}{unit}"
