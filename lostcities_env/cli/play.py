"""``lostcities play``: a person against an agent, in the browser or in the terminal."""

import argparse
import sys
import webbrowser
from importlib.util import find_spec
from pathlib import Path

from lostcities_env.agents.registry import make
from lostcities_env.cli.arguments import (
    Commands,
    UsageError,
    add_match_arguments,
    add_trust,
    check_agents,
    match_of,
)
from lostcities_env.evaluation.table import contestant_seed
from lostcities_env.evaluation.terms import Terms
from lostcities_env.play.session import Session, Settings
from lostcities_env.rules.generator import MAX_SEED, random_seed

_SERVER = ("starlette", "uvicorn")


def add_parser(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "play",
        help="play against an agent yourself",
        description="Serves a page on this machine, and to nobody else, on which you play against an agent; "
        "or plays in the terminal. Finished games are saved as records. The page needs Starlette and uvicorn "
        "(the play extra).",
    )
    parser.add_argument(
        "agent",
        nargs="?",
        default="champion",
        metavar="AGENT",
        help="a name, or a path of weights (default: %(default)s)",
    )
    add_match_arguments(parser, seed=None)
    parser.add_argument(
        "--seat",
        type=int,
        choices=(0, 1),
        default=0,
        help="which cards of a deal you get (default: %(default)s)",
    )
    parser.add_argument(
        "--first", choices=("you", "agent"), default="you", help="who begins (default: %(default)s)"
    )
    parser.add_argument("--undo", action="store_true", help="allow turns to be taken back")
    parser.add_argument("--terminal", action="store_true", help="play here instead of in the browser")
    parser.add_argument(
        "--port",
        type=int,
        metavar="P",
        help="of the page; 0 for any that is free (default: 8642, or any if that is in use)",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open the page")
    parser.add_argument(
        "--save",
        type=Path,
        default=Path("games"),
        metavar="DIR",
        help="folder of the records of finished games (default: %(default)s)",
    )
    add_trust(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Plays in the terminal, or serves until interrupted."""
    match = match_of(arguments)
    check_agents([arguments.agent], match, Terms(trust=arguments.trust))
    settings = Settings(
        agent=arguments.agent,
        match=match,
        seat=arguments.seat,
        begins=arguments.first == "you",
        undo=arguments.undo,
    )
    if arguments.save.exists() and not arguments.save.is_dir():
        raise UsageError(f"--save {arguments.save}: it is not a folder")
    dealer = _Dealer(arguments.seed, arguments.trust)
    if arguments.terminal:
        from lostcities_env.play.terminal import Terminal

        Terminal(dealer.new_session(settings), arguments.save, sys.stdin, sys.stdout).run()
    else:
        _serve(arguments, settings, dealer)


class _Dealer:
    """Begins games: the first with the seed of the command line, each other with the seed after it."""

    def __init__(self, seed: int | None, trust: bool) -> None:
        self._seed = seed
        self._trust = trust

    def new_session(self, settings: Settings) -> Session:
        seed = random_seed() if self._seed is None else self._seed
        agent = make(settings.agent, settings.match, seed=contestant_seed(seed, 1), trust=self._trust)
        if self._seed is not None:
            self._seed = (self._seed + 1) % (MAX_SEED + 1)
        return Session(settings, agent, seed=seed)

    def rehearsal(self, settings: Settings) -> Session:
        """A game that is not counted."""
        return Session(settings, make(settings.agent, settings.match, trust=self._trust), seed=0)


def _serve(arguments: argparse.Namespace, settings: Settings, dealer: _Dealer) -> None:
    missing = [name for name in _SERVER if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"the page needs {' and '.join(missing)}: pip install 'lostcities-env[play]', "
            "or play with --terminal"
        )
    if arguments.port is not None and not 0 <= arguments.port < 2**16:
        raise UsageError(f"--port {arguments.port} is outside 0..65535")
    from lostcities_env.play.games import Games
    from lostcities_env.play.menu import Menu
    from lostcities_env.play.server import build_app
    from lostcities_env.play.serving import HOST, PortError, listen, serve
    from lostcities_env.play.warm import warm_up

    try:
        listener = listen(arguments.port)
    except PortError as error:
        raise UsageError(error) from error
    port = listener.getsockname()[1]
    address = f"http://{HOST}:{port}/"
    print(
        f"Play at {address}", f"Finished games go to {arguments.save}. Ctrl-C ends it.", sep="\n", flush=True
    )
    if not arguments.no_browser:
        webbrowser.open(address)
    app = build_app(Menu(settings), Games(dealer.new_session, arguments.save), port)
    serve(app, listener, meanwhile=lambda: warm_up(dealer.rehearsal(settings)))
    print("\nStopped.")
