"""A game as text, turn by turn: what `show` prints while it plays and `replay` from a record."""

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from lostcities_env.evaluation.report import align
from lostcities_env.rules.actions import format_action
from lostcities_env.rules.game import Game

BOARD_EVERY = 10
"""Turns between two boards."""
Names = tuple[str, str]
"""What the players are called, seat 0 first."""


@dataclass(frozen=True)
class Moment:
    """What there is to see after a turn, or after the deal of a round.

    Attributes:
        round: from 0.
        turn: turns taken in this round; 0 after the deal.
        mover: who took the last of them; None after the deal.
        action: what was done in it; None after the deal.
        board: the table, a copy of its own. When a round is over it is what is left of it: a game of that
            round alone if the match goes on.
        round_over: whether that was the last turn of the round.
    """

    round: int
    turn: int
    mover: int | None
    action: int | None
    board: Game
    round_over: bool


def moments(game: Game, choose: Callable[[Game], int | None]) -> Iterator[Moment]:
    """Plays a game, from the beginning of a round on, and yields all that there is to see.

    Args:
        game: takes every turn.
        choose: the action of whoever is to move; None leaves the game as it is.
    """
    while not game.over:
        number, table = game.round, _round_alone(game)
        yield Moment(number, 0, None, None, game.clone(), round_over=False)
        while not table.over:
            action, mover = choose(game), game.mover
            if action is None:
                return
            game.step(action)
            table.step(action)
            yield Moment(number, table.turn, mover, action, _board(game, table).clone(), table.over)


def _round_alone(game: Game) -> Game:
    """The round that `game` has just dealt as a game of its own, whose table stays as it is at the end."""
    hands = zip(game.hand(0), game.hand(1), strict=True)
    deck = [card for pair in hands for card in pair] + game.deck()
    return Game(game.variant, deck=deck, first_player=game.mover, seed=0)


def _board(game: Game, table: Game) -> Game:
    """What lies on the table: at the end of a round `game` has dealt the next one."""
    return table if table.over and not game.over else game


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
        if boards and (moment.round_over or moment.turn % BOARD_EVERY == 0):
            print(f"\n{board_text(moment.board)}\n")
        if moment.round_over:
            print(f"\n{scores_text(moment, names)}")


def turn_line(moment: Moment, names: Names) -> str:
    """The turn that led to a moment other than a deal, and both scores after it."""
    assert moment.action is not None
    assert moment.mover is not None
    name = f"{names[moment.mover]:{max(map(len, names))}}"
    first, second = moment.board.scores
    move = format_action(moment.board.variant, moment.action)
    return f"{moment.turn:4}  {moment.mover} {name}  {move:<9}  {first:4} {second:4}"


def board_text(board: Game) -> str:
    """The table, in colour if this is a terminal."""
    from lostcities_env.render.text import render_text, supports_colour

    return render_text(board, colour=supports_colour(sys.stdout)).rstrip()


def scores_text(moment: Moment, names: Names) -> str:
    """What made the scores of a round."""
    rows = [["", "colour", "cards", "wagers", "sum", "cost", "bonus", "points"]]
    for player, name in enumerate(names):
        for colour, made in moment.board.score_breakdown(player).items():
            rows.append([f"{player} {name}", colour, *map(str, made)])
        total = str(moment.board.scores[player])
        rows.append([f"{player} {name}", "total", "", "", "", "", "", total])
    return f"Scores after {moment.turn} turns\n{align(rows, left=(0, 1))}"


def end_text(game: Game, names: Names) -> str:
    """How a game ended, if it did."""
    if not game.over:
        return f"Left unfinished in round {game.round + 1} after {game.turn} turns"
    first, second = game.match_scores
    outcome = "a draw" if game.winner is None else f"{names[game.winner]} ({game.winner}) wins"
    return f"Final score {first} : {second}, {outcome}"
