"""Lost Cities as a reinforcement-learning environment.

Importing the package registers ``LostCities-v0`` with Gymnasium and ``lostcities/lost_cities_v0`` with
PettingZoo, and loads nothing else: public names are imported when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

if TYPE_CHECKING:
    from lostcities_env import lost_cities_v0
    from lostcities_env.envs.batch import BatchGames
    from lostcities_env.rules.cards import NotationError
    from lostcities_env.rules.describe import describe
    from lostcities_env.rules.game import Game, IllegalActionError
    from lostcities_env.rules.match import Match
    from lostcities_env.rules.observation import observation_blocks
    from lostcities_env.rules.variant import VARIANTS, InvalidVariantError, Variant

__version__ = "0.1.0"

__all__ = [
    "VARIANTS",
    "BatchGames",
    "Game",
    "IllegalActionError",
    "InvalidVariantError",
    "Match",
    "NotationError",
    "Variant",
    "__version__",
    "describe",
    "lost_cities_v0",
    "observation_blocks",
]

_HOMES = {
    "VARIANTS": "rules.variant",
    "BatchGames": "envs.batch",
    "Game": "rules.game",
    "IllegalActionError": "rules.game",
    "InvalidVariantError": "rules.variant",
    "Match": "rules.match",
    "NotationError": "rules.cards",
    "Variant": "rules.variant",
    "describe": "rules.describe",
    "observation_blocks": "rules.observation",
}


def __getattr__(name: str) -> Any:
    if name == "lost_cities_v0":
        return import_module(f"{__name__}.lost_cities_v0")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def _register() -> None:
    if "LostCities-v0" not in gymnasium.registry:
        gymnasium.register(
            "LostCities-v0",
            entry_point="lostcities_env.envs.single_agent:LostCitiesSingleAgentEnv",
            vector_entry_point="lostcities_env.envs.vector:LostCitiesVectorEnv",
        )
    # PettingZoo has a registry since 1.27; its ids end in -v0, and _v0 is another way to write that.
    if hasattr(pettingzoo, "register") and "lostcities/lost_cities-v0" not in pettingzoo.aec_registry:
        pettingzoo.register("aec", "lostcities/lost_cities_v0", "lostcities_env.lost_cities_v0:env")


_register()
