"""``lostcities benchmark``: an agent against fixed opponents on fixed deals, as a result to compare."""

import argparse
import json
from pathlib import Path
from typing import Any

from lostcities_env.cli.arguments import (
    Commands,
    UsageError,
    add_guest_arguments,
    add_workers,
    check_agents,
    terms_of,
)
from lostcities_env.cli.contests import add_out, playing_into
from lostcities_env.cli.files import replacing
from lostcities_env.cli.saving import write_json
from lostcities_env.evaluation.benchmark import DEALS, DEVELOPMENT, NAME, STANDARD, Benchmark, run_benchmark
from lostcities_env.evaluation.benchmark_report import benchmark_report, benchmark_tables, check_result


def add_parser(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "benchmark",
        help="measure an agent by a fixed protocol, or print a table of results",
        description=f"Plays {NAME}: the agent against fixed opponents on fixed deals, on all cores. "
        "Interrupted, it goes on where it was when called again with the same arguments. Writes the result "
        "as JSON. With --table: prints results as tables in Markdown.",
    )
    parser.add_argument("agent", nargs="?", metavar="AGENT", help="a name, a path of weights, or a guest")
    parser.add_argument(
        "--table", nargs="+", type=Path, metavar="FILE", help="print these results instead of playing"
    )
    parser.add_argument(
        "--deals",
        choices=DEALS,
        default=DEVELOPMENT,
        help="those to work with, or those to play once, at the end (default: %(default)s)",
    )
    parser.add_argument(
        "--quick", action="store_true", help="play a few pairs only, to see that it works: no result"
    )
    add_guest_arguments(parser)
    add_workers(parser)
    add_out(parser, "benchmark")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Plays, writes and prints; or prints what was written before."""
    if (arguments.agent is None) == (arguments.table is None):
        raise UsageError("benchmark takes an agent, or results after --table")
    if arguments.table is not None:
        try:
            print(benchmark_tables([_read(path) for path in arguments.table]))
        except ValueError as error:
            raise UsageError(error) from error
        return
    terms = terms_of(arguments)
    benchmark = Benchmark(arguments.agent, arguments.deals, arguments.quick, terms)
    check_agents([benchmark.agent], STANDARD.match, terms)
    result = _play(benchmark, arguments.out, arguments.workers)
    path = arguments.out / f"{benchmark.file_name}.json"
    with replacing(path) as temporary:
        write_json(temporary, result, indent=1)
    print(f"{benchmark_report(result)}\n\nResult: {path}")


def _play(benchmark: Benchmark, folder: Path, workers: int) -> dict[str, Any]:
    try:
        with playing_into(folder, benchmark.agent) as progress:
            return run_benchmark(benchmark, folder, workers=workers, progress=progress)
    except ValueError as error:
        raise UsageError(error) from error


def _read(path: Path) -> dict[str, Any]:
    try:
        return check_result(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from error
