"""The command line, ``lostcities``: one module a command."""

from lostcities_env.cli.command_line import main

__all__ = ["main"]
