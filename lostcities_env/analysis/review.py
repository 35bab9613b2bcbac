"""Reviews of recorded games: what a judge makes of every turn that was taken."""

from collections.abc import Sequence
from dataclasses import dataclass

from lostcities_env.analysis.judge import Judge, Judgement
from lostcities_env.records.record import Record


@dataclass(frozen=True, eq=False)
class Review:
    """What a judge makes of a turn.

    Attributes:
        round: as `Game.round` before the turn: from 0.
        turn: as `Game.turn` before it: turns taken in the round, from 0.
        mover: whose turn it was.
        action: the code of what was done.
        judgement: of the position before it, for the mover.
        cost: see `Judgement.cost`.
    """

    round: int
    turn: int
    mover: int
    action: int
    judgement: Judgement
    cost: float


def judge_record(judge: Judge, record: Record) -> list[Review]:
    """Reviews every turn of a record, in order.

    Raises:
        ValueError: if the record is not of the match that the judge's agent was made for.
    """
    reviews = []
    for game, action in record.positions():
        judgement = judge.judge(game)
        cost = judgement.cost(action)
        reviews.append(Review(game.round, game.turn, game.mover, action, judgement, cost))
    return reviews


def worst(reviews: Sequence[Review], n: int) -> list[Review]:
    """The turns that cost most, dearest first: at most `n`, and none that cost nothing."""
    dear = [review for review in reviews if review.cost > 0]
    return sorted(dear, key=lambda review: -review.cost)[:n]
