"""Arguments that several commands share, and what is said when they are wrong."""

import argparse
import sys
import warnings
from pathlib import Path
from typing import Any, NoReturn

from lostcities_env.agents.guests import TrustWarning
from lostcities_env.agents.registry import make
from lostcities_env.evaluation.terms import DEFAULT_TERMS, Terms
from lostcities_env.evaluation.workers import usable_cores
from lostcities_env.rules.generator import check_seed
from lostcities_env.rules.match import Match
from lostcities_env.rules.state import TIE_RULES
from lostcities_env.rules.variant import VARIANTS

Commands = Any
"""What `add_subparsers` returns; its class is private to argparse."""


class UsageError(Exception):
    """Arguments that cannot be carried out; the message is one line for the user."""


class Parser(argparse.ArgumentParser):
    """An argument parser that raises `UsageError` instead of printing its usage and exiting."""

    def error(self, message: str) -> NoReturn:
        """Called by argparse with what is wrong."""
        raise UsageError(f"{message} (see {self.prog} --help)")


def add_match_arguments(parser: argparse.ArgumentParser, seed: int | None = 0) -> None:
    """Adds what says which match is played, and the seed (by default; None for one that is drawn)."""
    parser.add_argument(
        "--variant", default="standard", help=f"the rules: {', '.join(VARIANTS)} (default: %(default)s)"
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=1,
        metavar="R",
        help="rounds a game; the printed game has 3 (default: 1)",
    )
    parser.add_argument(
        "--tie",
        default="draw",
        metavar="RULE",
        help=f"what a tied game is: {', '.join(TIE_RULES)} (default: %(default)s)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=seed,
        metavar="S",
        help=f"of deals and agents (default: {'drawn anew' if seed is None else seed})",
    )


def add_guest_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what says how agents from outside are treated."""
    add_trust(parser)
    parser.add_argument(
        "--move-seconds",
        type=float,
        metavar="S",
        help="guests play in a process of their own and forfeit a game in which a move takes longer",
    )
    parser.add_argument(
        "--strict",
        action=argparse.BooleanOptionalAction,
        help="whether the first failure of an agent ends the command, rather than its game with a forfeit "
        "(default: guests forfeit, other agents end it)",
    )
    parser.add_argument(
        "--save-failures",
        type=Path,
        metavar="DIR",
        help="save the positions of the first forfeits of every two agents to DIR",
    )


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Adds how many processes play."""
    parser.add_argument(
        "--workers",
        type=positive,
        default=usable_cores(),
        metavar="W",
        help="processes that play; changes no result (default: one a core)",
    )


def add_trust(parser: argparse.ArgumentParser) -> None:
    """Adds the consent to load files that can run code."""
    parser.add_argument(
        "--trust",
        action="store_true",
        help="load the Stable-Baselines3 files that are named, which can run any code",
    )


def terms_of(arguments: argparse.Namespace) -> Terms:
    """How the arguments want agents treated.

    Raises:
        UsageError: if that cannot be done.
    """
    folder = arguments.save_failures
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"cannot save failures to {folder}: {error.strerror}") from error
    try:
        return Terms(arguments.trust, arguments.move_seconds, arguments.strict, folder)
    except ValueError as error:
        raise UsageError(f"--move-seconds: {error}") from error


def match_of(arguments: argparse.Namespace) -> Match:
    """The match that the arguments describe; checks the seed too.

    Raises:
        UsageError: if there is no such match, or the seed is out of range.
    """
    try:
        if arguments.seed is not None:
            check_seed(arguments.seed)
        return Match(arguments.variant, arguments.rounds, arguments.tie)
    except ValueError as error:
        raise UsageError(error) from error


def check_agents(names: list[str], match: Match, terms: Terms = DEFAULT_TERMS) -> None:
    """Makes each agent once, so that a wrong name is found before anything is played.

    Warns on stderr of files that are loaded because they are trusted, this once.

    Raises:
        UsageError: if one cannot be made.
    """
    for name in dict.fromkeys(names):
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", TrustWarning)
                make(name, match, trust=terms.trust, move_seconds=terms.move_seconds)
        except ValueError as error:
            raise UsageError(error) from error
        except (OSError, ImportError) as error:
            raise UsageError(f"agent {name!r}: {error}") from error
        for warning in caught:
            print(f"lostcities: warning: {warning.message}", file=sys.stderr)
    warnings.simplefilter("ignore", TrustWarning)  # `main` undoes it


def positive(text: str) -> int:
    """An argument that is a whole number from 1 on."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return number
