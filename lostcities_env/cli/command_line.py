"""Parses the arguments, runs the command, and turns what goes wrong into one line and an exit code."""

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from importlib.metadata import version

from lostcities_env.agents.attempts import AgentFailedError
from lostcities_env.agents.guest_code import GuestError
from lostcities_env.cli import (
    agents,
    benchmark,
    evaluate,
    exploitability,
    play,
    replay,
    show,
    sprt,
    tournament,
    weights,
)
from lostcities_env.cli.arguments import Parser, UsageError
from lostcities_env.rules.game import IllegalActionError

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command line (default: the process's own) and returns the exit code.

    0: done. 1: a game could not be played to its end, or its result not be written. 2: the arguments are
    wrong, found before anything was played. 130: interrupted.
    """
    try:
        arguments = build_parser().parse_args(argv)
        with warnings.catch_warnings():
            arguments.run(arguments)
        sys.stdout.flush()
    except UsageError as error:
        return _fail(error, EXIT_USAGE)
    except MemoryError as error:
        return _fail(f"not enough memory, ask for fewer pairs: {error}", EXIT_USAGE)
    except (IllegalActionError, AgentFailedError, GuestError) as error:
        return _fail(error, EXIT_FAILED)
    except BrokenProcessPool:
        return _fail("a process that played was ended; the same command goes on from there", EXIT_FAILED)
    except KeyboardInterrupt:
        return _fail("interrupted", EXIT_INTERRUPTED)
    except BrokenPipeError:
        # Whoever read the output has had enough; keep the interpreter from complaining at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FAILED
    except OSError as error:  # such as a disk that is full by now
        where = "" if error.filename is None else f": {error.filename}"
        return _fail(f"{error.strerror or error}{where}", EXIT_FAILED)
    return 0


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = Parser(prog="lostcities", description="The card game Lost Cities for learning agents.")
    parser.add_argument("--version", action="version", version=f"lostcities-env {version('lostcities-env')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    order = (evaluate, tournament, benchmark, sprt, exploitability, show, replay, play, agents, weights)
    for command in order:
        command.add_parser(commands)
    return parser


def _fail(message: object, code: int) -> int:
    print(f"lostcities: {message}", file=sys.stderr)
    return code
