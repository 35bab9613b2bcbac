"""Agents by name.

A third party adds an agent by calling `register`, or without being imported first by an entry point:

    [project.entry-points."lostcities_env.agents"]
    mybot = "my_package.bots:MyBot"
"""

import inspect
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.metadata import entry_points

from lostcities_env.agents import guests, shipped
from lostcities_env.agents.base import Agent
from lostcities_env.agents.guest_code import PYTHON_SUFFIX
from lostcities_env.agents.safetensors_file import WEIGHTS_SUFFIX
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import Variant

AgentFactory = Callable[..., Agent]
"""Called as ``factory(match, seed=seed)``; an `Agent` subclass is one."""

ENTRY_POINT_GROUP = "lostcities_env.agents"

_BUILT_IN = {
    "random": "lostcities_env.agents.random:RandomAgent",
    "discard": "lostcities_env.agents.simple:DiscardAgent",
    "greedy": "lostcities_env.agents.simple:GreedyAgent",
    "threshold": "lostcities_env.agents.threshold:ThresholdAgent",
    "projection": "lostcities_env.agents.projection:ProjectionAgent",
}
_registered: dict[str, AgentFactory] = {}


class UnknownAgentError(ValueError):
    """No agent of that name; the message lists those there are."""


def register(name: str, factory: AgentFactory) -> None:
    """Makes an agent known by `name`.

    Args:
        name: letters, digits, ``-`` and ``_``.
        factory: called as ``factory(match, seed=seed)``; an `Agent` subclass will do.

    Raises:
        ValueError: if the name is taken or is not a name.
        TypeError: if the factory cannot be called.
    """
    if not name or not name.replace("-", "").replace("_", "").isalnum():
        raise ValueError(f"agent name {name!r} is not made of letters, digits, '-' and '_'")
    if name in names():
        raise ValueError(f"there is an agent {name!r} already")
    if not callable(factory):
        raise TypeError(f"the factory of agent {name!r} is not callable: {factory!r}")
    _registered[name] = factory


def unregister(name: str) -> None:
    """Forgets an agent that `register` made known.

    Raises:
        UnknownAgentError: if there is no such registered agent.
    """
    if name not in _registered:
        raise UnknownAgentError(f"no registered agent {name!r}")
    del _registered[name]


def names() -> list[str]:
    """The names of all agents: built in, learned (see `shipped`), installed by entry point, registered."""
    installed = (point.name for point in entry_points(group=ENTRY_POINT_GROUP))
    return list(dict.fromkeys([*_BUILT_IN, *shipped.names(), *installed, *_registered]))


def describe(name: str) -> str:
    """A sentence on one of `names()`."""
    if name in shipped.names():
        return shipped.describe(name)
    try:
        agent = make(name)
    except Exception as error:  # one broken plug-in must not hide the others
        return f"(cannot be loaded: {error})"
    return (inspect.getdoc(type(agent)) or "").partition("\n")[0]


def make(
    name: str,
    match: Match | Variant | str = "standard",
    *,
    seed: int = 0,
    trust: bool = False,
    move_seconds: float | None = None,
) -> Agent:
    """An agent by name, a policy from the path of its weights (``.safetensors``), or a guest.

    Args:
        name: one of `names()`, a path, or what `guests` describes: ``module:function``,
            ``file.py:function``, or the path of a Stable-Baselines3 ``.zip``.
        match: what it will play; a variant or its name stands for a single round.
        seed: of its random choices.
        trust: whether a file that can run code (a ``.zip``) may be loaded.
        move_seconds: a guest then plays in a process of its own and must answer within so long. Agents of
            this package have no limit.

    Raises:
        UnknownAgentError: if there is no agent of that name.
        GuestError: if a guest cannot be loaded.
        WeightsError: if it is a learned policy that does not play the variant, or the file of one is not
            whole.
    """
    if not isinstance(match, Match):
        match = Match(match)  # type: ignore[arg-type]
    if is_guest(name):
        return guests.load(name, match, seed=seed, trust=trust, move_seconds=move_seconds)
    agent = _factory(name)(match, seed=seed)
    if not isinstance(agent, Agent):
        raise TypeError(f"the factory of agent {name!r} gave {agent!r}, which is no Agent")
    return agent


def resolve(
    agent: str | Agent,
    match: Match,
    *,
    seed: int = 0,
    trust: bool = False,
    move_seconds: float | None = None,
) -> Agent:
    """An agent by name, see `make`; an `Agent` made for this match is returned as it is.

    Raises:
        UnknownAgentError: if there is no agent of that name.
        GuestError: if a guest cannot be loaded.
        ValueError: if the agent was made for another match.
        TypeError: if it is neither a name nor an `Agent`.
    """
    if isinstance(agent, str):
        return make(agent, match, seed=seed, trust=trust, move_seconds=move_seconds)
    if not isinstance(agent, Agent):
        raise TypeError(f"an agent is a name or an Agent, got {agent!r}")
    if agent.match != match:
        raise ValueError(f"agent {type(agent).__name__} was made for {agent.match}, not for {match}")
    return agent


def is_guest(name: str) -> bool:
    """Whether `make` takes a name for that of a guest."""
    return not name.endswith(WEIGHTS_SUFFIX) and guests.names_a_guest(name)


def _factory(name: str) -> AgentFactory:
    if name in _registered:
        return _registered[name]
    if name in _BUILT_IN:
        module, attribute = _BUILT_IN[name].split(":")
        return getattr(import_module(module), attribute)
    if name in shipped.names():
        return partial(shipped.make, name)
    for point in entry_points(group=ENTRY_POINT_GROUP, name=name):
        return point.load()
    if name.endswith(WEIGHTS_SUFFIX):
        from lostcities_env.agents.policy_agent import PolicyAgent

        return lambda match, seed: PolicyAgent.load(name, match, seed=seed)
    raise UnknownAgentError(
        f"no agent {name!r}; there are {', '.join(names())}, the path of weights (*{WEIGHTS_SUFFIX}), "
        f"module:function, file{PYTHON_SUFFIX}:function, and policies of Stable-Baselines3 "
        f"(*{guests.SB3_SUFFIX})"
    )
