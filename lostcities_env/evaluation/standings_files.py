"""The standings of a tournament as tables of comma-separated values and as JSON."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from lostcities_env.evaluation.evaluation import Figures
from lostcities_env.evaluation.standings import Standings
from lostcities_env.evaluation.standings_text import forfeit_counts
from lostcities_env.evaluation.statistics import CONFIDENCE, Estimate


def table_csv(standings: Standings) -> str:
    """A row for every two agents."""
    rows: list[list[Any]] = [
        ["a", "b", "pairs", "wins", "draws", "losses", "forfeits_a", "forfeits_b"]
        + [name for column in ("margin", "win_rate", "residual") for name in _three(column)]
    ]
    for (a, b), evaluation in zip(standings.protocol.pairings, standings.evaluations, strict=True):
        games = evaluation.matches
        counts = [evaluation.pairs, games.wins, games.draws, games.losses]
        counts += [side.games for side in evaluation.forfeits]
        estimates = (evaluation.margin, games.win_rate, standings.residual(a, b))
        rows.append([*evaluation.agents, *counts, *_ends(estimates)])
    return _csv(rows)


def ratings_csv(standings: Standings) -> str:
    """A row an agent, the best first."""
    columns = [name for name, _ in _agent_estimates(standings, 0)]
    rows: list[list[Any]] = [["agent", "forfeits", *(name for column in columns for name in _three(column))]]
    for k in standings.order:
        estimates = [estimate for _, estimate in _agent_estimates(standings, k)]
        games, _ = forfeit_counts(standings, k)
        rows.append([standings.protocol.agents[k], games, *_ends(estimates)])
    return _csv(rows)


def summary_json(standings: Standings) -> str:
    """Every number, and what it depends on."""
    points = standings.points
    content = {
        **standings.protocol.to_dict(),
        "confidence": CONFIDENCE,
        "ratings": [
            {"agent": standings.protocol.agents[k], "forfeits": forfeit_counts(standings, k)[0]}
            | {name: estimate.to_dict() for name, estimate in _agent_estimates(standings, k)}
            for k in standings.order
        ],
        "unexplained": {"value": points.unexplained, "of_luck_alone": points.noise},
        "residuals": [
            {"agents": [standings.protocol.agents[k] for k in pairing], **residual.to_dict()}
            for pairing, residual in points.residuals.items()
        ],
        "evaluations": [evaluation.to_dict() for evaluation in standings.evaluations],
    }
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def _agent_estimates(standings: Standings, k: int) -> list[tuple[str, Estimate]]:
    style = standings.styles[k]
    named = [("points", standings.points.ratings[k]), ("elo", standings.elo.ratings[k])]
    for measure, nash in (("margin", standings.nash_margins[k]), ("win_rate", standings.nash_win_rates[k])):
        named += [(f"nash_mass_{measure}", nash.mass), (f"nash_skill_{measure}", nash.skill)]
    named += [(field.name, getattr(style.figures, field.name)) for field in fields(Figures)]
    return [*named, ("turns_per_round", style.turns)]


def _three(name: str) -> list[str]:
    return [name, f"{name}_low", f"{name}_high"]


def _ends(estimates: Sequence[Estimate]) -> list[float | None]:
    return [end for estimate in estimates for end in (estimate.value, estimate.low, estimate.high)]


def _csv(rows: Sequence[Sequence[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
