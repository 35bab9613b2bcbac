"""Trains variants of a PPO configuration on several seeds, and tabulates what each is worth.

    python -m training.ablations --config configs/ppo/ablations.yaml [--jobs 2] [--only NAME ...] [--table]

The file is a `Study`; `training.study_runs` says how it is carried out.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from lostcities_env.evaluation.report import NOTHING, markdown
from training.config import read_config
from training.study import Study
from training.study_results import Result
from training.study_runs import add_study_arguments, end_runs_with_us, study_command

STYLE = {"wagers": "{:.2f}", "expeditions": "{:.2f}", "pile_draw_share": "{:.1%}"}
"""The figures of an evaluation that tell how a policy plays, and how each is shown."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Does what the command line says; returns the exit code, see `study_command`."""
    parser = argparse.ArgumentParser(
        prog="python -m training.ablations",
        description="Trains variants of a PPO configuration, and tabulates what each is worth.",
    )
    parser.add_argument("--config", type=Path, required=True, metavar="FILE", help="the study, as YAML")
    add_study_arguments(parser)
    known = parser.parse_args(arguments)
    return study_command(known, lambda: read_config(Study, known.config), markdown_table)


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
    return f"{markdown(rows)}\n\n{caption}"


def _with_spread(values: Sequence[float]) -> str:
    text = _mean(values, "{:+.1f}")
    return text if len(values) < 2 else f"{text} ({min(values):+.1f}..{max(values):+.1f})"


def _mean(values: Sequence[float], form: str) -> str:
    return form.format(fmean(values)) if values else NOTHING


if __name__ == "__main__":
    end_runs_with_us()
    raise SystemExit(main())
