"""A game as text, turn by turn: what `show` prints while it plays and `replay` from a record."""

import sys
from collections.abc import Iterable

from lostcities_env.evaluation.report import align
from lostcities_env.render.moments import Moment, is_round_over
from lostcities_env.rules.actions import format_action
from lostcities_env.rules.game import Game

BOARD_EVERY = 10
"""Turns between two boards."""
Names = tuple[str, str]
"""What the players are called, seat 0 first."""


def narrate(seen: Iterable[Moment], names: Names, *, boards: bool) -> None:
    """Prints a whole game.

    Args:
        seen: as they come; each is printed at once.
        names: of the players.
        boards: whether to print boards between the turns.
    """
    for moment in seen:
        if moment.action is None:
            print(f"\nRound {moment.round + 1}")
        else:
            print(turn_line(moment, names))
        round_over = is_round_over(moment.table)
        if boards and (round_over or moment.turn % BOARD_EVERY == 0):
            print(f"\n{board_text(moment.table)}\n")
        if round_over:
            print(f"\n{scores_text(moment, names)}")


def turn_line(moment: Moment, names: Names) -> str:
    """The turn that led to a moment other than a deal, and both scores after it."""
    assert moment.action is not None
    assert moment.mover is not None
    name = f"{names[moment.mover]:{max(map(len, names))}}"
    first, second = moment.table.scores
    move = format_action(moment.table.variant, moment.action)
    return f"{moment.turn:4}  {moment.mover} {name}  {move:<9}  {first:4} {second:4}"


def board_text(table: Game) -> str:
    """The table, in colour if this is a terminal."""
    from lostcities_env.render.text import render_text, supports_colour

    return render_text(table, colour=supports_colour(sys.stdout)).rstrip()


def scores_text(moment: Moment, names: Names) -> str:
    """What made the scores of a round."""
    rows = [["", "colour", "cards", "wagers", "sum", "cost", "bonus", "points"]]
    for player, name in enumerate(names):
        for colour, made in moment.table.score_breakdown(player).items():
            rows.append([f"{player} {name}", colour, *map(str, made)])
        total = str(moment.table.scores[player])
        rows.append([f"{player} {name}", "total", "", "", "", "", "", total])
    return f"Scores after {moment.turn} turns\n{align(rows, left=(0, 1))}"


def end_text(game: Game, names: Names) -> str:
    """How a game ended, if it did."""
    if not game.over:
        return f"Left unfinished in round {game.round + 1} after {game.turn} turns"
    first, second = game.match_scores
    outcome = "a draw" if game.winner is None else f"{names[game.winner]} ({game.winner}) wins"
    return f"Final score {first} : {second}, {outcome}"
