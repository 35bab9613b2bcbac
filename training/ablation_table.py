"""What the runs of a study are worth: their evaluations, kept beside the policies, and one table of all."""

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from lostcities_env.agents import make
from lostcities_env.agents.policy import PolicyAgent
from lostcities_env.cli.evaluate import FILE_SCHEMA
from lostcities_env.evaluation import evaluate
from lostcities_env.evaluation.report import NOTHING
from lostcities_env.files import replace_file
from training.study import Run, Study

STYLE = {"wagers": "{:.2f}", "expeditions": "{:.2f}", "pile_draw_share": "{:.1%}"}
"""The figures of an evaluation that tell how a policy plays, and how each is shown."""


@dataclass(frozen=True)
class Result:
    """What one trained run is worth.

    Attributes:
        run: which.
        evaluations: as `Evaluation.to_dict`, by opponent.
        turns_per_second: of its training; None if unknown.
    """

    run: Run
    evaluations: dict[str, dict[str, Any]]
    turns_per_second: float | None

    def margin(self, opponent: str) -> float:
        """Points per round over an opponent."""
        return float(self.evaluations[opponent]["margin"]["value"])


def read_result(study: Study, run: Run) -> Result:
    """What is known of a run; evaluations on other deals than the study's don't count.

    Raises:
        ValueError: if a file is damaged.
    """
    file = run.directory / "evaluation.json"
    known: dict[str, dict[str, Any]] = {}
    if file.exists():
        try:
            for evaluation in json.loads(file.read_text())["evaluations"]:
                opponent = evaluation["agents"][1]
                how = (evaluation["pairs"], evaluation["seed"], evaluation["opponent_is"])
                float(evaluation["margin"]["value"])
                if how == (study.pairs, study.deals, what_it_is(opponent, run)):
                    known[opponent] = evaluation
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise ValueError(f"{file} is damaged ({error!r}); without it, the run is judged anew") from None
    return Result(run, known, _turns_per_second(run))


def judge(study: Study, run: Run) -> Result:
    """Plays the opponents that a trained run has not played yet, and keeps the evaluations.

    Raises:
        ValueError: if the policy or a file is damaged.
    """
    result = read_result(study, run)
    missing = [opponent for opponent in study.opponents if opponent not in result.evaluations]
    for opponent in missing:
        result.evaluations[opponent] = evaluate(
            str(run.policy_file),
            opponent,
            variant=run.match.variant,
            rounds=run.match.rounds,
            tie=run.match.tie,
            pairs=study.pairs,
            seed=study.deals,
        ).to_dict() | {"opponent_is": what_it_is(opponent, run)}
    if missing:
        content = {"schema": FILE_SCHEMA, "evaluations": list(result.evaluations.values())}
        text = json.dumps(content, indent=2, allow_nan=False) + "\n"
        replace_file(run.directory / "evaluation.json", text.encode())
    return result


def what_it_is(opponent: str, run: Run) -> str:
    """What tells an opponent from others that had its name before: its class, and a digest of its weights."""
    agent = make(opponent, run.match)
    if isinstance(agent, PolicyAgent):
        digest = hashlib.sha256()
        for name in sorted(agent.policy.tensors):
            digest.update(agent.policy.tensors[name].tobytes())
        return f"policy {digest.hexdigest()[:16]}"
    return type(agent).__name__


def _turns_per_second(run: Run) -> float | None:
    """As the run noted it last."""
    file = run.directory / "metrics.jsonl"
    lines = file.read_text().splitlines() if file.exists() else []
    for line in reversed(lines):
        with suppress(ValueError):  # a line that a kill cut short
            figure = json.loads(line).get("time/turns_per_second")
            if figure is not None:
                return float(figure)
    return None


def markdown_table(study: Study, variants: Sequence[str], results: Sequence[Result]) -> str:
    """A row a variant: means over its seeds, of the margins also the lowest and the highest seed.

    The style is that against the first opponent.
    """
    against = [f"against {opponent}" for opponent in study.opponents]
    rows = [["variant", "seeds", *against, "turns/s", "wagers", "expeditions", "draws from piles", "turns"]]
    first = study.opponents[0]
    for variant in variants:
        own = [result for result in results if result.run.variant == variant]
        own = [result for result in own if result.evaluations.keys() & set(study.opponents)]
        margins = [
            _with_spread([result.margin(opponent) for result in own if opponent in result.evaluations])
            for opponent in study.opponents
        ]
        speeds = [result.turns_per_second for result in own if result.turns_per_second is not None]
        seen = [result.evaluations[first] for result in own if first in result.evaluations]
        style = [
            _mean([evaluation["figures"][0][key]["value"] for evaluation in seen], form)
            for key, form in STYLE.items()
        ]
        turns = _mean([evaluation["turns_per_round"]["value"] for evaluation in seen], "{:.1f}")
        rows.append([variant, str(len(own)), *margins, _mean(speeds, "{:,.0f}"), *style, turns])
    caption = (
        f"Points per round, the mean over seeds (lowest..highest); {study.pairs} pairs, seed {study.deals}. "
        f"Turns/s are those of one process. The style, per round, is that against {first}."
    )
    return f"{_markdown(rows)}\n\n{caption}"


def _with_spread(values: Sequence[float]) -> str:
    text = _mean(values, "{:+.1f}")
    return text if len(values) < 2 else f"{text} ({min(values):+.1f}..{max(values):+.1f})"


def _mean(values: Sequence[float], form: str) -> str:
    return form.format(fmean(values)) if values else NOTHING


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    header, *body = ([cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows)
    lines = [header, ["-" * width for width in widths], *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
