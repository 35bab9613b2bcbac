"""All that the page is sent of a session: what the person may know, as JSON types.

This module is the only way from a session to the network. The other hand, the order of the deck and the seed
are not in it before the game is over.
"""

from typing import Any

from lostcities_env.play.advice import Mistake, Review, Suggestion
from lostcities_env.play.session import Move, Phase, RoundResult, Session
from lostcities_env.render.view import action_view, table_view
from lostcities_env.rules.variant import Variant


def position(session: Session) -> dict[str, Any]:
    """Where a session stands.

    Returns:
        - ``agent``, ``seat``, ``undo``: as in `Settings`.
        - ``phase``: a `Phase`.
        - ``table``: what `table_view` shows the person; both hands once the game is over.
        - ``moves``: the turns taken, each with the fields of `action_view`, ``round`` and ``turn`` (from 1),
          ``player`` (the seat), and ``drawn``: the card, or None if the person does not know it.
        - ``can_undo``: whether a turn can be taken back now.
        - ``results``: of each finished round ``scores`` (by seat) and ``colours``: for each colour's name, by
          seat, the fields of `ColourScore`.
        - ``seed``: in digits; None before the end.
    """
    settings = session.settings
    over = session.phase is Phase.OVER
    return {
        "agent": settings.agent,
        "seat": settings.seat,
        "undo": settings.undo,
        "phase": session.phase.value,
        "table": table_view(session.table, None if over else settings.seat),
        "moves": [_move(move, session) for move in session.moves],
        "can_undo": session.can_undo,
        "results": [_result(result) for result in session.results],
        "seed": str(session.seed) if over else None,  # a number of JavaScript has 53 bits
    }


def _move(move: Move, session: Session) -> dict[str, Any]:
    return action_view(session.game.variant, move.action) | {
        "round": move.round,
        "turn": move.turn,
        "player": move.seat,
        "drawn": move.drawn_as_seen_by(session.settings.seat),
    }


def _result(result: RoundResult) -> dict[str, Any]:
    first, second = result.breakdown
    return {
        "scores": list(result.scores),
        "colours": {name: [first[name]._asdict(), second[name]._asdict()] for name in first},
    }


def suggestions(variant: Variant, hints: list[Suggestion]) -> dict[str, Any]:
    """A hint: ``suggestions``, each an `action_view` with its ``probability`` and ``value``."""
    return {
        "suggestions": [
            action_view(variant, one.action) | {"probability": one.probability, "value": one.value}
            for one in hints
        ]
    }


def verdict(session: Session, review: Review) -> dict[str, Any]:
    """A review: ``judge``, ``turns``, ``total``, and ``mistakes``.

    A mistake has ``played`` (like the ``moves`` of `position`), ``better`` (an `action_view`) and ``cost``.
    """
    return {
        "judge": review.judge,
        "turns": review.turns,
        "total": review.total,
        "mistakes": [_mistake(mistake, session) for mistake in review.mistakes],
    }


def _mistake(mistake: Mistake, session: Session) -> dict[str, Any]:
    return {
        "played": _move(mistake.move, session),
        "better": action_view(session.game.variant, mistake.better),
        "cost": mistake.cost,
    }
