"""The PettingZoo module: ``env()`` with PettingZoo's wrappers, ``raw_env`` without (much faster).

>>> from lostcities_env import lost_cities_v0
>>> env = lost_cities_v0.env(reward="win")
>>> env.reset(seed=7)
>>> env.agent_selection
'player_0'
"""

from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from lostcities_env.envs.aec import LostCitiesEnv as raw_env  # noqa: N813

__all__ = ["env", "raw_env"]


def env(**kwargs: Any) -> AECEnv[str, Any, Any]:
    """`LostCitiesEnv` in the wrappers usual for PettingZoo's board and card games.

    An illegal action ends the game with a warning; whoever took it gets -1 with ``reward="win"``, else the
    lowest score that a player can have in a round (-400 in the standard game).

    Args:
        kwargs: those of `LostCitiesEnv`.
    """
    raw = raw_env(**kwargs)
    variant = raw.game.variant
    illegal_reward = -1.0
    if kwargs.get("reward") != "win":
        illegal_reward = float(variant.n_colours * variant.expedition_score_range[0])
    wrapped = wrappers.TerminateIllegalWrapper(raw, illegal_reward=illegal_reward)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))
