"""``lostcities evaluate``: agents against each other on paired deals."""

import argparse
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from lostcities_env.agents import Agent, NoValuesError, make
from lostcities_env.cli.arguments import (
    Commands,
    UsageError,
    add_guest_arguments,
    add_match_arguments,
    check_agents,
    match_of,
    positive,
    terms_of,
)
from lostcities_env.cli.progress import progress_bar
from lostcities_env.cli.saving import add_json_argument, add_record_arguments, saving_json, saving_records
from lostcities_env.evaluation.evaluation import Evaluation, evaluate
from lostcities_env.evaluation.luck import MIN_PAIRS, CorrectedMargin, without_luck
from lostcities_env.evaluation.report import cross_table, full_report, luck_table, opponents_table
from lostcities_env.evaluation.terms import Terms
from lostcities_env.evaluation.transcript import Transcript
from lostcities_env.records import Record
from lostcities_env.rules.match import Match

FILE_SCHEMA = "lostcities.evaluations/1"


def add_parser(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "evaluate",
        help="compare agents on paired deals",
        description="Plays agent A against each of the others, every deal twice with the seats swapped.",
    )
    parser.add_argument(
        "agents", nargs="+", metavar="AGENT", help="names, paths of weights, or guests; A first"
    )
    parser.add_argument("--all", action="store_true", help="play every pair of the agents")
    parser.add_argument(
        "--pairs", type=positive, default=1000, metavar="N", help="pairs of games (default: %(default)s)"
    )
    add_match_arguments(parser)
    add_guest_arguments(parser)
    add_json_argument(parser)
    add_record_arguments(parser)
    parser.add_argument(
        "--luck",
        metavar="JUDGE",
        help="also take the luck of the deck out of the margins, by the values of this agent",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Plays and prints; with ``--json`` and ``--save-records`` writes too."""
    agents: list[str] = arguments.agents
    match = match_of(arguments)
    if len(agents) < 2:
        raise UsageError("evaluate takes at least two agents")
    if arguments.all and len(set(agents)) < len(agents):
        raise UsageError("--all takes every agent once")
    terms = terms_of(arguments)
    check_agents(agents, match, terms)
    judge = _judge(arguments, match)
    corrected: list[CorrectedMargin] = []
    with saving_records(arguments.save_records) as records, saving_json(arguments.json) as content:
        evaluations = _evaluations(arguments, match, terms, records, judge, corrected)
        content |= to_dict(evaluations, corrected)
    print(_report(arguments, evaluations))
    if judge is not None:
        print("\n" + luck_table(arguments.luck, evaluations, corrected))


def _judge(arguments: argparse.Namespace, match: Match) -> Agent | None:
    """Whose values tell luck from play, if anybody's."""
    if arguments.luck is None:
        return None
    if arguments.pairs < MIN_PAIRS:
        raise UsageError(f"--luck takes at least {MIN_PAIRS} pairs, got {arguments.pairs}")
    check_agents([arguments.luck], match)
    judge = make(arguments.luck, match)
    try:
        judge.values(np.empty((0, judge.observation_size), np.float32))
    except NoValuesError as error:
        raise UsageError(f"--luck: {error}") from error
    return judge


def _evaluations(
    arguments: argparse.Namespace,
    match: Match,
    terms: Terms,
    records: list[Record],
    judge: Agent | None,
    corrected: list[CorrectedMargin],
) -> list[Evaluation]:
    """Plays; adds the games that are to be saved to `records`, and margins without luck to `corrected`."""
    agents: list[str] = arguments.agents
    contests = list(combinations(agents, 2)) if arguments.all else [(agents[0], b) for b in agents[1:]]
    evaluations = []
    for a, b in contests:
        saved = 0 if arguments.save_records is None else arguments.records_of
        noted = saved if judge is None else max(saved, arguments.pairs)
        transcript = Transcript(noted) if noted else None
        with progress_bar(f"{a} - {b}") as progress:
            evaluation = evaluate(
                a,
                b,
                variant=match.variant,
                rounds=match.rounds,
                tie=match.tie,
                pairs=arguments.pairs,
                seed=arguments.seed,
                progress=progress,
                terms=terms,
                transcript=transcript,
            )
        evaluations.append(evaluation)
        if transcript is not None:
            records += transcript.records(saved)
            if judge is not None:
                with progress_bar(f"{a} - {b}: luck") as progress:
                    corrected.append(without_luck(judge, transcript, arguments.pairs, progress=progress))
    return evaluations


def _report(arguments: argparse.Namespace, evaluations: Sequence[Evaluation]) -> str:
    if arguments.all:
        return cross_table(arguments.agents, evaluations)
    if len(evaluations) == 1:
        return full_report(evaluations[0])
    return opponents_table(evaluations)


def to_dict(evaluations: Sequence[Evaluation], corrected: Sequence[CorrectedMargin] = ()) -> dict[str, Any]:
    """What a file of evaluations holds, and their margins without luck if there are any."""
    content: dict[str, Any] = {
        "schema": FILE_SCHEMA,
        "evaluations": [evaluation.to_dict() for evaluation in evaluations],
    }
    if corrected:
        content["without_luck"] = [one.to_dict() for one in corrected]
    return content
