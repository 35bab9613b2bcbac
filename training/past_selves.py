"""How a run's past selves do against an agent: a learning curve against anyone, drawn afterwards.

    python -m training.past_selves runs/ppo-champion --against quick [--every 4] [--pairs 500] [--out FILE]

A run keeps its averaged weights every `past_every` updates in its checkpoint, the last `past_kept` of them.
Each of these plays the agent on the same paired deals, and so does what the run has come to. ``--out`` writes
rows as ``metrics.jsonl`` holds them.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lostcities_env.agents.policy import Policy
from lostcities_env.agents.policy_agent import PolicyAgent
from lostcities_env.agents.registry import make
from lostcities_env.cli.arguments import positive
from lostcities_env.evaluation import evaluate
from lostcities_env.evaluation.evaluation import Evaluation
from lostcities_env.evaluation.report import markdown
from lostcities_env.files import replace_file
from lostcities_env.rules.match import Match
from training.config import from_dict
from training.ppo import new_net
from training.ppo_config import Config, settings
from training.run_directory import RunDirectory


def main(arguments: Sequence[str] | None = None) -> int:
    """Does what the command line says; returns the exit code, 2 if that is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m training.past_selves",
        description="Plays the past selves of a PPO run against an agent.",
    )
    parser.add_argument("run", type=Path, metavar="DIRECTORY", help="of the run")
    parser.add_argument("--against", required=True, metavar="AGENT", help="a name, or a policy file")
    parser.add_argument(
        "--every", type=positive, default=1, metavar="N", help="only each Nth of them (default: all)"
    )
    parser.add_argument(
        "--pairs", type=positive, default=500, metavar="N", help="pairs of games (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=7, metavar="S", help="of the deals (default: 7)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="also write the figures to FILE")
    known = parser.parse_args(arguments)
    try:
        config, policies = past_selves(known.run)
        match = Match(config.variant, config.rounds, config.tie)  # type: ignore[arg-type]
        make(known.against, match)
        rows = []
        for turns, policy in policies[:-1][:: known.every] + policies[-1:]:
            played = evaluate(
                PolicyAgent(match, policy),
                known.against,
                variant=match.variant,
                rounds=match.rounds,
                tie=match.tie,
                pairs=known.pairs,
                seed=known.seed,
            )
            rows.append(_figures(turns, known.against, played))
            print(f"{turns / 1e6:8.1f} M turns  {played.margin.value:+7.2f}", file=sys.stderr)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if known.out is not None:
        replace_file(known.out, "".join(json.dumps(row) + "\n" for row in rows).encode())
    print(table(rows, known.against))
    return 0


def past_selves(run: Path) -> tuple[Config, list[tuple[int, Policy]]]:
    """A run's configuration, and its averaged policies with the turns after which they were kept.

    The last one is what the run has come to.

    Raises:
        ValueError: if there is no such run, or a file of it is damaged.
    """
    file = run / "config.json"
    config = from_dict(Config, json.loads(file.read_text()), str(file))
    directory = RunDirectory(run, settings(config), resume=True, defaults=settings(Config()))
    arrays, state = directory.read_checkpoint()
    match = Match(config.variant, config.rounds, config.tie)  # type: ignore[arg-type]
    net = new_net(config, match)
    per_update = config.shards * config.games * config.turns_per_rollout
    first = -(-state["updates"] // config.past_every) - state["past_selves"]
    labels = [
        ((first + k) * config.past_every * per_update, f"past.{k}.") for k in range(state["past_selves"])
    ]
    labels.append((state["turns"], "average."))
    return config, [
        (turns, Policy(match, "recall", net.kind, net.shape, dict(_under(prefix, arrays))))
        for turns, prefix in labels
    ]


def _under(prefix: str, arrays: Mapping[str, np.ndarray]) -> Iterator[tuple[str, np.ndarray]]:
    for name, array in arrays.items():
        if name.startswith(prefix):
            yield name[len(prefix) :], array


def _figures(turns: int, opponent: str, played: Evaluation) -> dict[str, Any]:
    margin = played.margin
    figures = {
        "margin": margin.value,
        "margin_low": margin.low,
        "margin_high": margin.high,
        "win_rate": played.rounds.win_rate.value,
    }
    return {"turns": turns} | {f"{opponent}/{key}": value for key, value in figures.items()}


def table(rows: Sequence[Mapping[str, Any]], opponent: str) -> str:
    """Turns, margin with its interval, and win rate, a row for each past self."""
    cells = [["turns, millions", f"margin over {opponent}", "won"]]
    for row in rows:
        margin, low, high = (row[f"{opponent}/margin{end}"] for end in ("", "_low", "_high"))
        cells.append(
            [
                f"{row['turns'] / 1e6:.1f}",
                f"{margin:+.2f}" + ("" if low is None else f" [{low:+.2f}, {high:+.2f}]"),
                f"{row[f'{opponent}/win_rate']:.1%}",
            ]
        )
    return markdown(cells)


if __name__ == "__main__":
    raise SystemExit(main())
