"""The learned policies that come with the package: agents by name.

Their files lie in `FOLDER`, called ``NAME[-VARIANT][-match].safetensors``. One without a variant is for
the standard game; one with ``-match`` was trained for matches of several rounds.
"""

from dataclasses import fields, replace
from pathlib import Path

from lostcities_env.agents.base import Agent
from lostcities_env.agents.policy import Policy
from lostcities_env.agents.safetensors_file import WEIGHTS_SUFFIX, WeightsError
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import STANDARD, VARIANTS, Variant

FOLDER = Path(__file__).with_name("weights")
ROLES = {
    "quick": "A policy learned in ten minutes on two cores",
    "scratch": "A policy learned from nothing, without an agent to imitate",
    "champion": "The strongest learned policy",
}
"""What each agent is; it exists if there is a file of that name."""


def names() -> list[str]:
    """The agents that there are."""
    return [name for name in ROLES if files(name)]


def files(name: str) -> dict[tuple[str, bool], Path]:
    """An agent's files, by variant and by whether they are for matches of several rounds."""
    paths = {
        (variant, several): FOLDER / file_name(name, variant, several)
        for variant in VARIANTS
        for several in (False, True)
    }
    return {kind: path for kind, path in paths.items() if path.is_file()}


def file_name(name: str, variant: str, several: bool) -> str:
    """What the file of an agent for a variant is called.

    >>> file_name("champion", "six", True)
    'champion-six-match.safetensors'
    >>> file_name("champion", "standard", False)
    'champion.safetensors'
    """
    of_variant = "" if variant == STANDARD.name else f"-{variant}"
    return f"{name}{of_variant}{'-match' if several else ''}{WEIGHTS_SUFFIX}"


def file_for(name: str, match: Match) -> Path:
    """The file with which an agent plays a match.

    That is the one trained for as many rounds, one or several, or else the other of the same variant.

    Raises:
        WeightsError: if it has none for the variant; says which variants it plays.
    """
    found = files(name)
    named = [
        variant.name
        for variant in VARIANTS.values()
        if replace(variant, name=match.variant.name) == match.variant
    ]
    several = match.rounds > 1
    for kind in ((variant, rounds) for variant in named for rounds in (several, not several)):
        if kind in found:
            return found[kind]
    raise WeightsError(
        f"agent {name!r} knows the rules of {_variants(name)}, not those of {_called(match.variant)}; "
        "play these or train a policy for yours"
    )


def read(name: str, match: Match) -> Policy:
    """The policy of one of `names()` for a match, or that in a file, whatever it is for.

    Raises:
        WeightsError: if there is none of that name for the variant, or the file is not a whole policy.
    """
    return Policy.read(file_for(name, match) if name in names() else name)


def make(name: str, match: Match, *, seed: int = 0) -> Agent:
    """One of `names()`, for a match.

    Raises:
        WeightsError: if it does not play the variant.
    """
    from lostcities_env.agents.policy_agent import PolicyAgent

    return PolicyAgent.load(file_for(name, match), match, seed=seed)


def describe(name: str) -> str:
    """A sentence on one of `names()`."""
    return f"{ROLES[name]}, for {_variants(name)}."


def _called(variant: Variant) -> str:
    """A variant by its name, and by what sets it apart from a known one of that name."""
    known = VARIANTS.get(variant.name, variant)
    own = [
        f"{field.name}={getattr(variant, field.name)!r}"
        for field in fields(variant)
        if getattr(variant, field.name) != getattr(known, field.name)
    ]
    return f"{variant.name!r} with {', '.join(own)}" if own else repr(variant.name)


def _variants(name: str) -> str:
    return " and ".join(dict.fromkeys(variant for variant, _ in files(name)))
