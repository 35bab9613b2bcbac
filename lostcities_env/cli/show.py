"""``lostcities show``: one game as text, and as pictures."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from lostcities_env.agents.choose import choose
from lostcities_env.agents.registry import make
from lostcities_env.cli.arguments import Commands, add_match_arguments, add_trust, check_agents, match_of
from lostcities_env.cli.narration import end_text, narrate
from lostcities_env.cli.pictures import add_picture_arguments, wants_pictures, write_pictures
from lostcities_env.cli.saving import saving_records
from lostcities_env.evaluation.table import contestant_seed
from lostcities_env.evaluation.terms import Terms
from lostcities_env.evaluation.transcript import headers_of
from lostcities_env.records.record import printable
from lostcities_env.records.recorder import Recorder
from lostcities_env.render.moments import Moment, moments
from lostcities_env.rules.game import Game


def add_parser(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "show",
        help="play one game and print it",
        description="Plays one game and prints its turns, boards and scores. A sits at seat 0 and begins.",
    )
    parser.add_argument("a", metavar="A", help="the agent at seat 0: a name, or a path of weights")
    parser.add_argument("b", metavar="B", help="the agent at seat 1")
    add_match_arguments(parser)
    add_trust(parser)
    parser.add_argument("--moves", action="store_true", help="print the turns and scores only, no boards")
    parser.add_argument("--save", type=Path, metavar="FILE", help="also write the record of the game to FILE")
    add_picture_arguments(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Plays, prints, and writes the record and the pictures that are asked for."""
    match = match_of(arguments)
    pictures = wants_pictures(arguments)
    names = (arguments.a, arguments.b)
    check_agents(list(names), match, Terms(trust=arguments.trust))
    agents = [
        make(name, match, seed=contestant_seed(arguments.seed, k), trust=arguments.trust)
        for k, name in enumerate(names)
    ]
    game = Game(match.variant, rounds=match.rounds, tie=match.tie, seed=arguments.seed)
    recorder = Recorder(game, [printable(name) for name in names], headers_of(arguments.seed))

    def decide(game: Game) -> int:
        action = choose(agents[game.mover], names[game.mover], game)
        recorder.add(action)
        return action

    seen: list[Moment] = []

    def noted() -> Iterator[Moment]:
        for moment in moments(game, decide):
            seen.append(moment)
            yield moment

    with saving_records(arguments.save) as records:
        print(f"{names[0]} (0) against {names[1]} (1): {match.variant.name}, seed {arguments.seed}")
        narrate(noted(), names, boards=not arguments.moves)
        print(f"\n{end_text(game, names)}")
        records.append(recorder.record)
    if pictures:
        from lostcities_env.render.film import Film

        write_pictures(arguments, Film(seen, viewer=arguments.viewer, players=names, scale=arguments.scale))
