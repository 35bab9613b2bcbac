"""Things that choose actions: `make` gives one by its name."""

from lostcities_env.agents.base import Agent, NoValuesError
from lostcities_env.agents.guest_code import GuestError
from lostcities_env.agents.registry import UnknownAgentError, make, names, register, unregister

__all__ = [
    "Agent",
    "GuestError",
    "NoValuesError",
    "UnknownAgentError",
    "make",
    "names",
    "register",
    "unregister",
]
