"""``lostcities sprt``: a sequential test of two agents on paired deals."""

import argparse

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
from lostcities_env.cli.progress import sequential_bar
from lostcities_env.cli.saving import add_json_argument, saving_json
from lostcities_env.evaluation.report import sequential_report
from lostcities_env.evaluation.sequential import (
    NO_MARGIN,
    Hypotheses,
    SequentialTest,
    fewest_pairs,
    sequential_test,
)
from lostcities_env.evaluation.terms import Terms
from lostcities_env.rules.match import Match

_DEFAULTS = {"margin0": 0.0, "margin1": 1.0, "elo0": 0.0, "elo1": 5.0}


def add_parser(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "sprt",
        help="play two agents until it is decided whether A is better",
        description="Plays A against B on paired deals until one of two hypotheses is accepted: H0 or H1.",
    )
    parser.add_argument("a", metavar="A", help="an agent: a name, or a path of weights")
    parser.add_argument("b", metavar="B", help="its opponent")
    for name, default in _DEFAULTS.items():
        what = "margin of A per round" if name.startswith("margin") else "Elo of A minus B"
        parser.add_argument(
            f"--{name}", type=float, metavar="X", help=f"the {what} under H{name[-1]} (default: {default:g})"
        )
    parser.add_argument(
        "--alpha",
        type=float,
        default=0.05,
        metavar="P",
        help="chance of accepting H1 when H0 holds (default: %(default)s)",
    )
    parser.add_argument(
        "--beta",
        type=float,
        default=0.05,
        metavar="P",
        help="chance of accepting H0 when H1 holds (default: %(default)s)",
    )
    parser.add_argument(
        "--max-pairs",
        type=positive,
        default=50_000,
        metavar="N",
        help="pairs of games after which to give up (default: %(default)s)",
    )
    parser.add_argument(
        "--batch",
        type=positive,
        default=100,
        metavar="N",
        help="pairs between two looks (default: %(default)s)",
    )
    add_match_arguments(parser)
    add_guest_arguments(parser)
    add_json_argument(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Plays and prints; with ``--json`` writes too."""
    match = match_of(arguments)
    hypotheses = _hypotheses(arguments)
    terms = terms_of(arguments)
    if hypotheses.measure == "margin" and terms.strict is False:
        raise UsageError(f"--no-strict: {NO_MARGIN}")
    check_agents([arguments.a, arguments.b], match, terms)
    with saving_json(arguments.json) as content:
        test = _test(arguments, match, hypotheses, terms)
        content |= test.to_dict()
    print(sequential_report(test))


def _hypotheses(arguments: argparse.Namespace) -> Hypotheses:
    given = {name for name in _DEFAULTS if getattr(arguments, name) is not None}
    about_elo = {name for name in given if name.startswith("elo")}
    if about_elo and about_elo != given:
        raise UsageError(
            "the hypotheses are about the margin or about Elo: not both --margin0/1 and --elo0/1"
        )
    measure = "elo" if about_elo else "margin"
    value0, value1 = (
        getattr(arguments, name) if name in given else _DEFAULTS[name]
        for name in (f"{measure}0", f"{measure}1")
    )
    try:
        fewest_pairs(arguments.batch, arguments.max_pairs)
        return Hypotheses(measure, value0, value1, arguments.alpha, arguments.beta)
    except ValueError as error:
        raise UsageError(error) from error


def _test(
    arguments: argparse.Namespace, match: Match, hypotheses: Hypotheses, terms: Terms
) -> SequentialTest:
    title = f"{arguments.a} - {arguments.b}"
    with sequential_bar(title, arguments.max_pairs, hypotheses.bounds) as progress:
        return sequential_test(
            arguments.a,
            arguments.b,
            hypotheses,
            variant=match.variant,
            rounds=match.rounds,
            tie=match.tie,
            max_pairs=arguments.max_pairs,
            batch=arguments.batch,
            seed=arguments.seed,
            progress=progress,
            terms=terms,
        )
