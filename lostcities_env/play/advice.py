"""What an agent says to the person: hints during the game, and afterwards what their turns cost."""

from dataclasses import dataclass

import numpy as np

from lostcities_env.agents.base import Agent, NoValuesError
from lostcities_env.agents.registry import make
from lostcities_env.analysis.judge import DEFAULT_WORLDS, Judge, default_judge
from lostcities_env.play.session import Move, Phase, Session
from lostcities_env.rules.game import Game

MISTAKE = 1.0
"""Points that a turn must cost to be listed."""


@dataclass(frozen=True)
class Suggestion:
    """A turn that the agent might take.

    Attributes:
        action: its code.
        probability: of the agent taking it.
        value: the margin of the round that it expects after it, in points; None if it has no values.
    """

    action: int
    probability: float
    value: float | None


@dataclass(frozen=True)
class Mistake:
    """A turn of the person that the judge thinks less of than of its own choice.

    Attributes:
        move: the turn.
        better: the code of the judge's own choice.
        cost: how much less the turn is worth than that in the judge's eyes, in points of the round's margin.
    """

    move: Move
    better: int
    cost: float


@dataclass(frozen=True)
class Review:
    """The person's turns as a judge sees them.

    Attributes:
        judge: the name of the agent that judges; None if no agent can.
        turns: how many were judged.
        mistakes: those that cost at least `MISTAKE` points, the dearest first.
    """

    judge: str | None
    turns: int
    mistakes: tuple[Mistake, ...]

    @property
    def total(self) -> float:
        """Points that the mistakes cost together."""
        return sum(mistake.cost for mistake in self.mistakes)


def hint(session: Session, most: int = 5) -> list[Suggestion]:
    """What the session's agent would play in the person's place, knowing what they know; likeliest first.

    Raises:
        NotNowError: if it is not the person's turn.
        AgentFailedError, IllegalActionError: if the agent gives no action.
    """
    session.expect(Phase.PERSON)
    session.hints += 1
    game = session.game
    suggestions = _suggestions(session.agent, game)
    suggestions.sort(key=lambda one: (-one.probability, -(one.value or 0.0)))
    return suggestions[:most]


def _suggestions(agent: Agent, game: Game) -> list[Suggestion]:
    try:
        judgement = Judge(agent).judge(game)
    except NoValuesError:
        mask = game.action_mask()
        actions = np.flatnonzero(mask)
        observation = game.observation(game.mover, "recall")
        probabilities = agent.probabilities(observation[np.newaxis], mask[np.newaxis])[0, actions]
        values: list[float | None] = [None] * len(actions)
    else:
        actions, probabilities = judgement.actions, judgement.probabilities
        values = judgement.values.tolist()
    return [
        Suggestion(action, probability, value)
        for action, probability, value in zip(actions.tolist(), probabilities.tolist(), values, strict=True)
        if probability > 0 or value is not None
    ]


def review(session: Session, *, worlds: int = DEFAULT_WORLDS) -> Review:
    """Judges every turn of the person in a finished game, with the knowledge that they had.

    The session's agent judges; if it has no values, `default_judge`.

    Args:
        session: a game that is over.
        worlds: see `Judge`; the time that a review takes is proportional to it.

    Raises:
        NotNowError: if the game is not over.
    """
    session.expect(Phase.OVER)
    name, judge = _judge(session, worlds)
    if judge is None:
        return Review(None, 0, ())
    turns = 0
    mistakes: list[Mistake] = []
    for move, (game, action) in zip(session.moves, session.record().positions(), strict=True):
        if move.seat != session.settings.seat:
            continue
        turns += 1
        judgement = judge.judge(game)
        cost = judgement.cost(action)
        if cost >= MISTAKE:
            mistakes.append(Mistake(move, judgement.choice, cost))
    mistakes.sort(key=lambda mistake: -mistake.cost)
    return Review(name, turns, tuple(mistakes))


def _judge(session: Session, worlds: int) -> tuple[str | None, Judge | None]:
    name, match = session.settings.agent, session.settings.match
    try:
        return name, Judge(session.agent, worlds=worlds)
    except NoValuesError:
        default = default_judge(match)
        return default, Judge(make(default, match), worlds=worlds) if default else None
