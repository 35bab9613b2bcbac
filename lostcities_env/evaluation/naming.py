"""What reports call agents."""

from collections.abc import Sequence
from pathlib import PurePath

from lostcities_env.agents.guest_code import PYTHON_SUFFIX
from lostcities_env.agents.guests import SB3_SUFFIX
from lostcities_env.agents.safetensors_file import WEIGHTS_SUFFIX


def short_names(agents: Sequence[str]) -> list[str]:
    """Agents without the suffix of weights, and without the folders that are not needed to tell them apart.

    >>> short_names(["random", "runs/a/policy.safetensors", "runs/b/policy.safetensors", "my/bots.py:first"])
    ['random', 'a/policy', 'b/policy', 'bots.py:first']
    """
    paths = [_parts(agent) for agent in agents]
    short = [_tail(path, [other for other in paths if other is not path]) for path in paths]
    return short if len(set(short)) == len(agents) else list(agents)


def _parts(agent: str) -> tuple[str, ...]:
    is_file = agent.endswith((WEIGHTS_SUFFIX, SB3_SUFFIX)) or f"{PYTHON_SUFFIX}:" in agent
    return PurePath(agent.removesuffix(WEIGHTS_SUFFIX)).parts if is_file else (agent,)


def _tail(path: tuple[str, ...], others: Sequence[tuple[str, ...]]) -> str:
    """The fewest of its last parts that are not those of another."""
    for count in range(1, len(path)):
        if all(path[-count:] != other[-count:] for other in others):
            return "/".join(path[-count:])
    return str(PurePath(*path))
