"""``lostcities show``: one game as text, and as pictures."""

import argparse
import sys
from typing import TYPE_CHECKING

import numpy as np

from lostcities_env.agents.attempts import AgentFailedError
from lostcities_env.agents.base import Agent
from lostcities_env.agents.registry import make
from lostcities_env.cli.arguments import Commands, add_match_arguments, add_trust, check_agents, match_of
from lostcities_env.cli.pictures import add_picture_arguments, wants_pictures, write_pictures
from lostcities_env.evaluation.report import align
from lostcities_env.evaluation.table import contestant_seed
from lostcities_env.evaluation.terms import Terms
from lostcities_env.rules.actions import format_action
from lostcities_env.rules.game import Game, IllegalActionError

if TYPE_CHECKING:
    from lostcities_env.render.film import Moment

BOARD_EVERY = 10
"""Turns between two boards."""


def add_parser(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "show",
        help="play one game and print it, draw it or film it",
        description="Plays one game and prints its turns, boards and scores. A sits at seat 0 and begins.",
    )
    parser.add_argument("a", metavar="A", help="the agent at seat 0: a name, or a path of weights")
    parser.add_argument("b", metavar="B", help="the agent at seat 1")
    add_match_arguments(parser)
    add_trust(parser)
    parser.add_argument("--moves", action="store_true", help="print the turns and scores only, no boards")
    add_picture_arguments(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Plays, prints, and writes the pictures that are asked for."""
    match = match_of(arguments)
    moments: list[Moment] | None = [] if wants_pictures(arguments) else None
    names = (arguments.a, arguments.b)
    check_agents(list(names), match, Terms(trust=arguments.trust))
    agents = [
        make(name, match, seed=contestant_seed(arguments.seed, k), trust=arguments.trust)
        for k, name in enumerate(names)
    ]
    game = Game(match.variant, rounds=match.rounds, tie=match.tie, seed=arguments.seed)
    print(f"{names[0]} (0) against {names[1]} (1): {match.variant.name}, seed {arguments.seed}")
    while not game.over:
        _show_round(game, names, agents, boards=not arguments.moves, moments=moments)
    _show_winner(game, names)
    if moments is not None:
        from lostcities_env.render.film import Film

        write_pictures(
            arguments, Film(moments, viewer=arguments.viewer, players=names, scale=arguments.scale)
        )


def _show_round(
    game: Game, names: tuple[str, str], agents: list[Agent], boards: bool, moments: "list[Moment] | None"
) -> None:
    """Plays a round of `game`, which deals the next one as it ends; adds to `moments` if they are wanted."""
    print(f"\nRound {game.round + 1}")
    table = _single_round(game)
    widest = max(map(len, names))
    _show_board(game, boards)
    if moments is not None:
        from lostcities_env.render.film import Moment, after

        moments.append(Moment(game.clone(), None))
    while not table.over:
        mover, turn = table.mover, table.turn + 1
        action = _choose(game, names[mover], agents[mover])
        if moments is not None:
            moments.append(after(game, action))
        game.step(action)
        table.step(action)
        move = format_action(table.variant, action)
        first, second = table.scores
        print(f"{turn:4}  {mover} {names[mover]:{widest}}  {move:<9}  {first:4} {second:4}")
        if turn % BOARD_EVERY == 0 and not table.over:
            _show_board(game, boards)
    _show_board(game if game.over else table, boards)
    _show_scores(table, names)


def _single_round(game: Game) -> Game:
    """The round that `game` has just dealt as a game of its own, whose table stays as it is at the end."""
    hands = zip(game.hand(0), game.hand(1), strict=True)
    deck = [card for pair in hands for card in pair] + game.deck()
    return Game(game.variant, deck=deck, first_player=game.mover, seed=0)


def _choose(game: Game, name: str, agent: Agent) -> int:
    observation = game.observation(game.mover, "recall")[np.newaxis]
    try:
        (action,) = agent.act(observation, game.action_mask()[np.newaxis])
        game.check(action)
    except (IllegalActionError, AgentFailedError) as error:
        raise type(error)(f"agent {name!r}, turn {game.turn + 1}: {error}") from error
    return int(action)


def _show_board(game: Game, wanted: bool) -> None:
    if wanted:
        from lostcities_env.render.text import render_text, supports_colour

        print(f"\n{render_text(game, colour=supports_colour(sys.stdout)).rstrip()}\n")


def _show_scores(table: Game, names: tuple[str, str]) -> None:
    print(f"\nScores after {table.turn} turns")
    rows = [["", "colour", "cards", "wagers", "sum", "cost", "bonus", "points"]]
    for player, name in enumerate(names):
        for colour, made in table.score_breakdown(player).items():
            rows.append([f"{player} {name}", colour, *map(str, made)])
        rows.append([f"{player} {name}", "total", "", "", "", "", "", str(table.scores[player])])
    print(align(rows, left=(0, 1)))


def _show_winner(game: Game, names: tuple[str, str]) -> None:
    first, second = game.match_scores
    outcome = "a draw" if game.winner is None else f"{names[game.winner]} ({game.winner}) wins"
    print(f"\nFinal score {first} : {second}, {outcome}")
