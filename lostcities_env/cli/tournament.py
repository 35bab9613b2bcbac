"""``lostcities tournament``: every two of several agents on the same deals, rated, with a report."""

import argparse
from importlib.util import find_spec
from pathlib import Path

from lostcities_env.cli.arguments import (
    Commands,
    UsageError,
    add_guest_arguments,
    add_match_arguments,
    add_workers,
    check_agents,
    match_of,
    positive,
    terms_of,
)
from lostcities_env.cli.contests import add_out, playing_into
from lostcities_env.cli.files import replacing
from lostcities_env.cli.saving import add_record_arguments, saving_records
from lostcities_env.evaluation.pairs import PlayedPairs
from lostcities_env.evaluation.tournament import Protocol, play_tournament
from lostcities_env.evaluation.tournament_records import tournament_records

REPORT = "report.html"


def add_parser(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "tournament",
        help="play every two of several agents, rate them and write a report",
        description="Plays every two of the agents on the same paired deals, on all cores. Interrupted, it "
        "goes on where it was when called again with the same arguments. Writes all results, tables, ratings "
        "and a report as one page of HTML. Needs SciPy (the report extra).",
    )
    parser.add_argument(
        "agents", nargs="+", metavar="AGENT", help="names, paths of weights, or guests; each once"
    )
    parser.add_argument(
        "--pairs",
        type=positive,
        default=1000,
        metavar="N",
        help="pairs of games of every two agents (default: %(default)s)",
    )
    add_match_arguments(parser)
    add_record_arguments(parser)
    add_guest_arguments(parser)
    add_workers(parser)
    add_out(parser, "tournament")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Plays, writes and prints."""
    match = match_of(arguments)
    if find_spec("scipy") is None:
        raise UsageError("tournament needs SciPy: pip install 'lostcities-env[report]'")
    terms = terms_of(arguments)
    try:
        protocol = Protocol(tuple(arguments.agents), match, arguments.pairs, arguments.seed, terms)
    except ValueError as error:
        raise UsageError(error) from error
    check_agents(arguments.agents, match, terms)
    folder: Path = arguments.out
    with saving_records(arguments.save_records) as records:
        played = _play(protocol, folder, arguments.workers)
        print(_write(protocol, played, folder))
        if arguments.save_records is not None:
            records += tournament_records(protocol, played, arguments.records_of)
    print(f"\nReport: {folder / REPORT}")


def _play(protocol: Protocol, folder: Path, workers: int) -> list[PlayedPairs]:
    with playing_into(folder, f"{len(protocol.agents)} agents") as progress:
        return play_tournament(protocol, folder, workers=workers, progress=progress)


def _write(protocol: Protocol, played: list[PlayedPairs], folder: Path) -> str:
    """Writes the files, and returns what is printed."""
    # SciPy takes half a second to import: not for the other commands, and not before anything is played.
    from lostcities_env.evaluation.html_report import html_report
    from lostcities_env.evaluation.standings import standings
    from lostcities_env.evaluation.standings_files import ratings_csv, summary_json, table_csv
    from lostcities_env.evaluation.standings_text import standings_report

    found = standings(protocol, played)
    for name, text in (
        ("table.csv", table_csv(found)),
        ("ratings.csv", ratings_csv(found)),
        ("summary.json", summary_json(found)),
        (REPORT, html_report(found)),
    ):
        with replacing(folder / name) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return standings_report(found)
