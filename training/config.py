"""Configurations: a dataclass, a YAML file, and changes on the command line."""

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import tyro
import yaml

from lostcities_env.agents import make
from lostcities_env.rules.generator import check_seed
from lostcities_env.rules.match import Match

T = TypeVar("T")


class ConfigError(ValueError):
    """A configuration that can't be run; the message says which key is wrong and what would be right."""


def from_dict(kind: type[T], data: Any, source: str) -> T:
    """The configuration of that kind from YAML's types.

    Raises:
        ConfigError: naming an unknown key, or what the kind itself refuses.
    """
    if not isinstance(data, dict):
        raise ConfigError(f"{source}: a configuration is a mapping of keys to values, got {data!r}")
    fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    unknown = sorted(set(data) - set(fields), key=str)
    if unknown:
        raise ConfigError(
            f"{source}: unknown key(s) {', '.join(map(str, unknown))}; there are {', '.join(fields)}"
        )
    try:
        return kind(
            **{key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}
        )
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{source}: {error}") from None


def to_dict(config: Any) -> dict[str, Any]:
    """A configuration as YAML's and JSON's types."""
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in dataclasses.asdict(config).items()
    }


def read_config(kind: type[T], path: Path) -> T:
    """The configuration in a YAML file.

    Raises:
        ConfigError: if there is no such file, or it is no such configuration.
    """
    try:
        data = yaml.safe_load(path.read_text())
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"cannot read the configuration {str(path)!r}: {error}") from None
    return from_dict(kind, {} if data is None else data, str(path))


def check_number(config: Any, key: str, kind: type, low: float, high: float = 1e15) -> None:
    """Checks one number of a configuration.

    Raises:
        ConfigError: if it is not of that kind (an int will do for a float), or out of range.
    """
    value = getattr(config, key)
    kinds = (int,) if kind is int else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        article = "an integer" if kind is int else "a number"
        raise ConfigError(f"{key}={value!r} is not {article} in {low:g}..{high:g}")


def check_identity(config: Any, tie: str = "draw", **agents: Sequence[str]) -> None:
    """Checks what every run has: ``name``, ``seed``, ``variant``, ``rounds``, and the agents that it names.

    Args:
        config: the configuration.
        tie: of the match.
        agents: names of agents, by the key that holds them.

    Raises:
        ConfigError: saying which key is wrong and what would be right.
    """
    if not isinstance(config.name, str) or Path(config.name).name != config.name or config.name in ("", ".."):
        raise ConfigError(f"name={config.name!r} is not the name of a directory")
    try:
        check_seed(config.seed)
        match = Match(config.variant, config.rounds, tie)
    except (TypeError, ValueError) as error:
        raise ConfigError(str(error)) from None
    for key, names in agents.items():
        if not isinstance(names, tuple) or not all(isinstance(name, str) for name in names):
            raise ConfigError(f"{key}={names!r} is not a list of agents")
        for name in names:
            try:
                make(name, match)
            except ValueError as error:
                raise ConfigError(f"{key}: {error}") from None


def from_command_line(
    kind: type[T], description: str, arguments: Sequence[str] | None = None
) -> tuple[T, bool]:
    """The configuration that a script is called with, and whether to resume.

    ``--config FILE`` is read first, then one option a key.

    Leaves the program with exit code 2 and one clear line if something is wrong.
    """
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--config", type=Path)
    own.add_argument("--resume", action="store_true")
    known, rest = own.parse_known_args(sys.argv[1:] if arguments is None else arguments)
    text = f"{description} --config FILE reads a YAML file first; --resume goes on with the run."
    try:
        default = kind() if known.config is None else read_config(kind, known.config)
        config = tyro.cli(kind, args=rest, default=default, description=text)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    return config, known.resume
