"""Arguments that several commands share, and what is said when they are wrong."""

import argparse
from typing import Any, NoReturn

from lostcities_env.agents.registry import make
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


def add_match_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what says which match is played, and the seed."""
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
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of deals and agents (default: 0)")


def match_of(arguments: argparse.Namespace) -> Match:
    """The match that the arguments describe; checks the seed too.

    Raises:
        UsageError: if there is no such match, or the seed is out of range.
    """
    try:
        check_seed(arguments.seed)
        return Match(arguments.variant, arguments.rounds, arguments.tie)
    except ValueError as error:
        raise UsageError(error) from error


def check_agents(names: list[str], match: Match) -> None:
    """Makes each agent once, so that a wrong name is found before anything is played.

    Raises:
        UsageError: if one cannot be made.
    """
    for name in dict.fromkeys(names):
        try:
            make(name, match)
        except ValueError as error:
            raise UsageError(error) from error
        except (OSError, ImportError) as error:
            raise UsageError(f"agent {name!r}: {error}") from error


def positive(text: str) -> int:
    """An argument that is a whole number from 1 on."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return number
