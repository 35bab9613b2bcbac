"""What there is to see of a game: the table after every deal and every turn, also as a round ends."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lostcities_env.rules import rounds
from lostcities_env.rules.game import Game


@dataclass(frozen=True)
class Moment:
    """The table after a turn, or after the deal of a round.

    Attributes:
        round: from 0.
        mover: who took the turn; None after the deal.
        action: what was done in it; None after the deal.
        table: a game of its own, as `table_after` leaves it.
    """

    round: int
    mover: int | None
    action: int | None
    table: Game

    @property
    def turn(self) -> int:
        """Turns taken in this round; 0 after the deal."""
        return self.table.turn


def moments(game: Game, choose: Callable[[Game], int | None]) -> Iterator[Moment]:
    """Plays a game, from the beginning of a round on, and yields all that there is to see.

    Args:
        game: takes every turn.
        choose: the action of whoever is to move; None leaves the game as it is.

    Raises:
        TypeError, IllegalActionError: if what is chosen cannot be done.

    >>> from lostcities_env import Game
    >>> seen = list(moments(Game("mini3", seed=1), lambda game: int(game.action_mask().argmax())))
    >>> seen[0].turn, seen[-1].table.over
    (0, True)
    """
    while not game.over:
        if game.turn == 0:
            yield Moment(game.round, None, None, game.clone())
        action = choose(game)
        if action is None:
            return
        number, mover, table = game.round, game.mover, table_after(game, action)
        game.step(action)
        yield Moment(number, mover, action, table)


def table_after(game: Game, action: int) -> Game:
    """A copy of a game after a turn, in which a finished round still lies on the table.

    `Game.step` deals the next round of a match at once; here it is not dealt.

    Raises:
        TypeError, IllegalActionError: as for `Game.step`.
    """
    game.check(action)
    after = game.clone()
    rounds.turn_at(after.states, 0, int(action))
    return after


def is_round_over(table: Game) -> bool:
    """Whether the round that lies on the table is over."""
    return bool(table.states[0]["round_over"])


def round_on_table(table: Game) -> int:
    """The round that lies on the table, from 0; `Game.round` counts on as soon as one is over."""
    return table.round - (is_round_over(table) and not table.over)


def round_text(table: Game) -> str:
    """Which round of a match lies on the table.

    >>> round_text(Game("mini3", rounds=3, seed=1))
    'round 1 of 3'
    """
    number, of = round_on_table(table) + 1, table.match.rounds
    return f"round {number} of {of}" if number <= of else "extra round"
