"""``lostcities agents``: what can play."""

import argparse

from lostcities_env.agents.guest_code import PYTHON_SUFFIX
from lostcities_env.agents.guests import SB3_SUFFIX
from lostcities_env.agents.registry import describe, names
from lostcities_env.agents.safetensors_file import WEIGHTS_SUFFIX
from lostcities_env.cli.arguments import Commands
from lostcities_env.evaluation.report import align


def add_parser(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "agents", help="list the agents that can play", description="Lists the agents that can play."
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Prints a line an agent."""
    rows = [[name, describe(name)] for name in names()]
    rows += [
        [f"PATH{WEIGHTS_SUFFIX}", "A policy, from the file of its weights."],
        ["MODULE:FUNCTION", "Code of your own, from the working directory or what is installed."],
        [f"PATH{PYTHON_SUFFIX}:FUNCTION", "Code of your own, from a file."],
        [f"PATH{SB3_SUFFIX}", "A policy saved by Stable-Baselines3, only with --trust."],
    ]
    print(align(rows, left=(0, 1)))
