"""What the two Gymnasium faces have in common: the learner's seat."""

from lostcities_env.rules.match import Match
from lostcities_env.rules.players import is_player

MAX_AGENT_SEED = 2**63
"""Seeds of the opponent are drawn below this."""


def check_seat(seat: int | None) -> int | None:
    """The learner's seat: 0, 1, or None for a random one each episode.

    Raises:
        ValueError: if it is something else.
    """
    if seat is not None and not is_player(seat):
        raise ValueError(f"seat={seat!r} is neither None, 0 nor 1")
    return seat


def check_learner_moves(match: Match, max_turns: int | None) -> None:
    """Checks that every episode has a turn for the learner, even if the opponent starts.

    Raises:
        ValueError: if the opponent's first turn may end the episode.
    """
    if match.variant.deck_size < 2:
        raise ValueError(
            f"variant {match.variant.name!r} has a deck of one card: the opponent may end it before the "
            "learner's first turn"
        )
    if max_turns is not None and max_turns < 2:
        raise ValueError(
            f"max_turns={max_turns} ends the episode before the learner's first turn as player 1"
        )
