"""Agents from outside: code of the user, named where it lies.

    module:attribute     from a module that can be imported; the working directory comes first
    path/to/file.py:attribute

The attribute (dotted if need be) is one of:

- a function ``(observation, action_mask) -> action`` of one game: float32 (observation_size,), *recall*,
  and int8 (n_actions,), 1 where legal;
- an `Agent` subclass, or a class or an object with its ``act`` of batches;
- an OpenSpiel bot, with ``step(state)`` and ``restart_at(state)``; see `lostcities_env.interop.bots`;
- a factory: a function with a parameter called ``seed``, called as ``factory(match, seed=seed)``, that
  returns one of the above.

Naming code runs it: the module is imported into this process. The folder of a file, or the working
directory for a module, comes first on ``sys.path``, as for ``python file.py`` and ``python -m module``, but
only while the guest is imported, made or asked for a move: its neighbours are found, and do not stand in for
modules that others import. A file is imported once a process, like a module.

A policy of Stable-Baselines3, ``path/to/model.zip``, is a guest too, see `sb3`. It is loaded only when it
is trusted: such a file can run any code while it is loaded, and does not look like code.
"""

import copy
import inspect
import warnings
from functools import partial
from pathlib import Path
from typing import Any

from lostcities_env.agents.attempts import Guest, describe_error
from lostcities_env.agents.base import Agent
from lostcities_env.agents.guest_code import (
    PYTHON_SUFFIX,
    GuestError,
    find_code,
    folder_of,
    source_of_module,
)
from lostcities_env.agents.local_guest import LocalGuest
from lostcities_env.rules.match import Match

SB3_SUFFIX = ".zip"


class TrustWarning(UserWarning):
    """A file that can run code has been loaded, because it was asked for."""


def names_a_guest(name: str) -> bool:
    """Whether a name is that of a guest, loadable or not."""
    return ":" in name or name.endswith((PYTHON_SUFFIX, SB3_SUFFIX))


def file_of(name: str) -> Path | None:
    """The file that a guest is read from; None if it comes from none, such as code that is built in."""
    if name.endswith(SB3_SUFFIX):
        return Path(name)
    place = name.rpartition(":")[0]
    if place.endswith(PYTHON_SUFFIX):
        return Path(place)
    source = source_of_module(place, folder_of(name))
    return None if source is None else Path(source)


def load(
    name: str, match: Match, *, seed: int = 0, trust: bool = False, move_seconds: float | None = None
) -> Guest:
    """A guest by its name.

    Args:
        name: see the module.
        match: what it will play.
        seed: of its random choices, if it takes one.
        trust: whether a file that can run code may be loaded.
        move_seconds: it then plays in a process of its own, where each move must come within so long.

    Raises:
        GuestError: if it cannot be loaded.
    """
    if name.endswith(SB3_SUFFIX):
        check_trust(name, trust)
    if move_seconds is not None:
        from lostcities_env.agents.worker import WorkerGuest

        return WorkerGuest(name, match, seed, move_seconds)
    if name.endswith(SB3_SUFFIX):
        from lostcities_env.agents import sb3

        return LocalGuest(match, seed, partial(sb3.load, name))
    folder = folder_of(name)
    thing, source = find_code(name, folder)
    return LocalGuest(match, seed, partial(_build, name, thing, source), source, folder)


def check_trust(name: str, trust: bool) -> None:
    """Says where a file that can run code comes from, if it may be loaded.

    Raises:
        GuestError: if it may not.
    """
    path = Path(name)
    if not path.is_file():
        raise GuestError(f"agent {name!r}: there is no such file")
    if not trust:
        raise GuestError(
            f"agent {name!r}: a Stable-Baselines3 file can run any code when it is loaded, so it is loaded "
            "only if you say that you trust where it comes from: --trust on the command line, trust=True in "
            "Python"
        )
    warnings.warn(
        f"loading {path.resolve()}, which can run any code, because it is said to be trusted",
        TrustWarning,
        stacklevel=2,
    )


def _build(name: str, thing: Any, source: str | None, match: Match, seed: int) -> Any:
    """What plays: the thing that was named, or what it makes."""
    try:
        if _is_factory(thing, match, seed):
            thing = thing(match, seed=seed)
        elif inspect.isclass(thing):
            thing = thing()
        elif isinstance(thing, Agent):
            thing = copy.deepcopy(thing)  # the other contestant may be the same object
            thing.reset(seed)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise GuestError(f"agent {name!r} cannot be made: {describe_error(error, source)}") from error
    if isinstance(thing, Agent):
        if thing.match != match:
            raise GuestError(f"agent {name!r} was made for {thing.match}, not for {match}")
        return thing
    if callable(getattr(thing, "act", None)):
        return thing
    if hasattr(thing, "step") and hasattr(thing, "restart_at"):
        return _play_bot(name, thing, match, seed)
    if not callable(thing):
        raise GuestError(
            f"agent {name!r} is {type(thing).__name__}, which cannot play: a function (observation, "
            "action_mask) -> action, a class or an object with act(observations, action_masks), or a factory "
            "with a parameter seed is wanted"
        )
    if not _takes(thing, None, None):
        raise GuestError(
            f"agent {name!r} is a function of {inspect.signature(thing)}: one of (observation, action_mask), "
            "or a factory (match, seed) is wanted"
        )
    return thing


def _play_bot(name: str, bot: Any, match: Match, seed: int) -> Any:
    """A function of one game around an OpenSpiel bot."""
    try:
        from lostcities_env.interop.bots import BotPlayer
    except ImportError as error:
        raise GuestError(
            f"agent {name!r} is an OpenSpiel bot, which needs OpenSpiel: pip install "
            f"'lostcities-env[interop]' ({error})"
        ) from error
    try:
        return BotPlayer(bot, match, seed)
    except ValueError as error:
        raise GuestError(f"agent {name!r}: {error}") from error


def _is_factory(thing: Any, match: Match, seed: int) -> bool:
    """Whether it is to be called with the match and a seed: it has a parameter of that name."""
    try:
        return "seed" in inspect.signature(thing).parameters and _takes(thing, match, seed=seed)
    except (TypeError, ValueError):  # not callable, or compiled code, which has no signature
        return False


def _takes(function: Any, *arguments: Any, **named: Any) -> bool:
    try:
        inspect.signature(function).bind(*arguments, **named)
    except TypeError:
        return False
    except ValueError:  # compiled code has no signature
        return True
    return True
