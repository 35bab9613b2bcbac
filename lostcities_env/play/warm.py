"""Loads the compiled kernels before they are needed."""

from lostcities_env.play.advice import hint
from lostcities_env.play.public import position
from lostcities_env.play.session import Phase, Session

_TURNS = 2


def warm_up(session: Session) -> None:
    """Plays a turn of either player in a game that nobody sees, and asks for a hint."""
    for _ in range(_TURNS):
        if session.phase is Phase.PERSON:
            position(session)
            hint(session)
            session.play(session.game.legal()[0])
        elif session.phase is Phase.AGENT:
            session.answer()
