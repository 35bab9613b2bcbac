"""What a turn pays, and when an episode is cut: one rule for every face.

The game is zero-sum, so what player 1 gets is always the negative of what player 0 gets.

- ``"margin"``: at the end, the difference of the points (of the whole match); 0 before.
- ``"win"``: at the end, +1 to the winner and -1 to the loser, 0 for a draw; 0 before.
- ``"dense"``: at each turn, the change of the difference of the points; adds up to the margin.

A round that has taken `max_turns` turns is truncated: nobody has won, and ``"margin"`` and ``"win"`` pay
nothing (a learner bootstraps from its value estimate, as after every truncation).
"""

import numpy as np

from lostcities_env.rules import rounds
from lostcities_env.rules import state as kernels
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.state import State
from lostcities_env.rules.variant import Variant

REWARDS = ("margin", "win", "dense")
_MARGIN, _WIN, _DENSE = range(3)

MOST_TURNS = 2**31 - 1
"""The highest `max_turns`: what a record's count of turns can hold."""

NO_LIMIT = 0
"""What the kernels take for ``max_turns=None``."""


def check_reward(reward: str) -> int:
    """The index of a reward.

    Raises:
        ValueError: if it is not one of `REWARDS`.
    """
    if reward not in REWARDS:
        raise ValueError(f"no reward {reward!r}; there are {', '.join(REWARDS)}")
    return REWARDS.index(reward)


def check_max_turns(max_turns: int | None, variant: Variant) -> int:
    """`max_turns` as the kernels take it.

    Raises:
        ValueError: if it is out of range, or None although the variant's piles never close.
    """
    if max_turns is None:
        if variant.piles_close_at is None:
            raise ValueError(
                f"variant {variant.name!r} never closes its piles (piles_close_at=None), so a round "
                "may never end: give max_turns"
            )
        return NO_LIMIT
    whole = isinstance(max_turns, (int, np.integer)) and not isinstance(max_turns, bool)
    if not whole or not 1 <= max_turns <= MOST_TURNS:
        raise ValueError(f"max_turns={max_turns!r} is neither None nor an integer in 1..{MOST_TURNS}")
    return int(max_turns)


def illegal_reward(reward: str, variant: Variant) -> float:
    """What an illegal action pays where it ends the game instead of raising an error.

    -1 with ``"win"``, else the lowest score that a player can have in a round (-400 in the standard game).
    """
    return -1.0 if reward == "win" else float(variant.round_score_range[0])


@kernel
def take_turn(state: State, action: int, reward: int, max_turns: int) -> tuple[float, bool, bool]:
    """Takes a legal action: (what it pays player 0, terminated, truncated).

    A round that is over has been counted; if the match goes on, the next deal is the caller's to make.
    """
    mover = state.mover
    gain = kernels.apply(state, action)
    if state.round_over:
        rounds.finish_round(state)
    terminated = state.match_over != 0
    truncated = not state.round_over and max_turns != NO_LIMIT and state.turn >= max_turns
    paid = 0.0
    if reward == _DENSE:
        paid = float(gain) if mover == 0 else float(-gain)
    elif terminated and reward == _MARGIN:
        paid = float(state.match_scores[0] - state.match_scores[1])
    elif terminated and state.winner >= 0:
        paid = 1.0 if state.winner == 0 else -1.0
    return paid, terminated, truncated
