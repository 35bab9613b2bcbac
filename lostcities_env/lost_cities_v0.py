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
from lostcities_env.envs.rewards import illegal_reward

__all__ = ["env", "raw_env"]


def env(**kwargs: Any) -> AECEnv[str, Any, Any]:
    """`LostCitiesEnv` in the wrappers usual for PettingZoo's board and card games.

    An illegal action ends the game with a warning; whoever took it gets `illegal_reward`.

    Args:
        kwargs: those of `LostCitiesEnv`.
    """
    raw = raw_env(**kwargs)
    lost = illegal_reward(kwargs.get("reward", "margin"), raw.game.variant)
    wrapped = wrappers.TerminateIllegalWrapper(raw, illegal_reward=lost)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))
