"""``lostcities weights``: where the policies that come with the package come from."""

import argparse

from lostcities_env.agents import shipped
from lostcities_env.agents.policy import Policy
from lostcities_env.cli.arguments import Commands
from lostcities_env.evaluation.report import align, format_points
from lostcities_env.evaluation.statistics import Estimate

COMMIT_LENGTH = 7


def add_parser(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "weights",
        help="say where the learned policies of the package come from",
        description="Lists the policies that come with the package: what each was trained for, how, and how "
        "it did when its training ended.",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Prints two tables: the files, and what came out when their training ended."""
    origins = [["file", "variant", "rounds", "turns", "configuration", "seed", "commit", "parameters", "kB"]]
    results = [["file", "against", "margin per round", "win rate", "pairs", "seed"]]
    for path in (path for name in shipped.names() for path in shipped.files(name).values()):
        policy = Policy.read(path)
        origin = policy.provenance
        origins.append(
            [
                path.name,
                policy.match.variant.name,
                str(policy.match.rounds),
                f"{origin['turns']:,}",
                origin["config"]["name"],
                str(origin["config"]["seed"]),
                origin["commit"][:COMMIT_LENGTH],
                f"{sum(tensor.size for tensor in policy.tensors.values()):,}",
                f"{path.stat().st_size / 1000:.0f}",
            ]
        )
        for opponent, result in origin["evaluation"].items():
            margin = format_points(Estimate(*result["margin"]))
            share = f"{100 * result['win_rate']:.1f} %"
            results.append([path.name, opponent, margin, share, str(result["pairs"]), str(result["seed"])])
    print(align(origins, left=(0, 1, 4, 6)))
    print("\nOn paired deals when the training ended, 95% intervals:")
    print(align(results, left=(0, 1)))
