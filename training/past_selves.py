"""How a run's past selves do against an agent: a learning curve against anyone, drawn afterwards.

    python -m training.past_selves runs/ppo-champion --against quick [--every 4] [--pairs 500] [--out FILE]

A run keeps its averaged weights every `past_every` updates in its checkpoint, the last `past_kept` of them.
Each of these plays the agent on the same paired deals, and so does what the run has come to. ``--out`` writes
the turns, margins and win rates by the names that they have in ``metrics.jsonl``.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lostcities_env.agents.attempts import AgentFailedError
from lostcities_env.agents.policy import Policy
from lostcities_env.agents.policy_agent import PolicyAgent
from lostcities_env.cli.arguments import UsageError, positive
from lostcities_env.cli.files import check_writable
from lostcities_env.evaluation import evaluate
from lostcities_env.evaluation.report import markdown
from lostcities_env.evaluation.terms import Terms
from lostcities_env.files import replace_file
from lostcities_env.rules.match import Match
from training.ppo import new_net
from training.ppo_checkpoint import read_averages
from training.ppo_config import Config, read_run_config, settings
from training.ppo_log import margin_figures
from training.run_directory import RunDirectory

MIN_PAIRS = 2


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
    if known.pairs < MIN_PAIRS:
        parser.error(f"--pairs {known.pairs}: at least {MIN_PAIRS}, for an interval")
    try:
        if known.out is not None:
            check_writable(known.out)
        config, policies = past_selves(known.run)
        rows = []
        for turns, policy in policies[:-1][:: known.every] + policies[-1:]:
            played = evaluate(
                PolicyAgent(policy.match, policy),
                known.against,
                variant=policy.match.variant,
                rounds=config.rounds,
                tie=config.tie,
                pairs=known.pairs,
                seed=known.seed,
                terms=Terms(strict=True),
            )
            rows.append({"turns": turns} | margin_figures(known.against, played))
            print(f"{turns / 1e6:8.1f} M turns  {played.margin.value:+7.2f}", file=sys.stderr)
    except (OSError, ValueError, UsageError, AgentFailedError) as error:
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
        ConfigError: if there is no such run.
        CheckpointError: if its checkpoint is damaged.
    """
    config = read_run_config(run)
    directory = RunDirectory(run, settings(config), resume=True, defaults=settings(Config()))
    match = Match(config.variant, config.rounds, config.tie)  # type: ignore[arg-type]
    net = new_net(config, match)
    return config, [
        (updates * config.turns_per_update, Policy(match, "recall", net.kind, net.shape, weights))
        for updates, weights in read_averages(directory, config.past_every)
    ]


def table(rows: Sequence[Mapping[str, Any]], opponent: str) -> str:
    """Turns, margin with its interval, and win rate, a row for each past self."""
    cells = [["turns, millions", f"margin over {opponent}", "won"]]
    for row in rows:
        margin, low, high = (row[f"{opponent}/margin{end}"] for end in ("", "_low", "_high"))
        cells.append(
            [
                f"{row['turns'] / 1e6:.1f}",
                f"{margin:+.2f} [{low:+.2f}, {high:+.2f}]",
                f"{row[f'{opponent}/win_rate']:.1%}",
            ]
        )
    return markdown(cells)


if __name__ == "__main__":
    raise SystemExit(main())
