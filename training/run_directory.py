"""The directory of a run: its configuration, where it comes from, its checkpoints and its policy.

A checkpoint is one safetensors file: arrays by name, and the rest as JSON in its metadata. Nothing in it can
run, so one from elsewhere is safe to read; a digest of the arrays finds those that have changed since. It is
written beside the last one and takes its place at once.
"""

import hashlib
import json
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from lostcities_env.evaluation.origin import commit
from lostcities_env.files import replace_file
from training.config import ConfigError

_FORMAT = "lostcities-checkpoint-2"


class CheckpointError(ValueError):
    """A checkpoint that can't be used; the message says what is wrong and what would be right."""


class RunDirectory:
    """Where a run keeps its files.

    Args:
        path: the directory.
        config: of the run, as JSON's types.
        resume: whether to go on with what is there.
        defaults: what keys count as that an older run does not have.
        write: whether this process is the one that writes.

    Raises:
        ConfigError: if a new run finds an old one in its place, or a resumed one finds none or one with
            another configuration.
    """

    def __init__(
        self,
        path: Path,
        config: dict[str, Any],
        *,
        resume: bool,
        write: bool = True,
        defaults: dict[str, Any] | None = None,
    ) -> None:
        self.path = path
        self.config_file = path / "config.json"
        self.checkpoint_file = path / "checkpoint.safetensors"
        self.policy_file = path / "policy.safetensors"
        if resume:
            self._check_same(config, defaults or {})
        else:
            if self.checkpoint_file.exists():
                raise ConfigError(
                    f"{path} holds a run already: go on with --resume, or choose another --name"
                )
            if not write:
                return
            path.mkdir(parents=True, exist_ok=True)
            replace_file(self.config_file, (json.dumps(config, indent=2) + "\n").encode())
            replace_file(path / "provenance.json", (json.dumps(provenance(), indent=2) + "\n").encode())

    def _check_same(self, config: dict[str, Any], defaults: dict[str, Any]) -> None:
        if not self.checkpoint_file.exists():
            raise ConfigError(f"there is no checkpoint in {self.path} to resume from")
        try:
            before = json.loads(self.config_file.read_text())
        except (OSError, ValueError) as error:
            raise ConfigError(f"cannot read {self.config_file}: {error}") from None
        if not isinstance(before, dict):
            raise ConfigError(f"{self.config_file} does not hold a configuration")
        changed = changes(defaults | before, config)
        if changed:
            raise ConfigError(f"the run in {self.path} has another configuration: {changed}")

    def write_checkpoint(self, arrays: dict[str, np.ndarray], state: dict[str, Any]) -> None:
        """Replaces the checkpoint: arrays of any plain dtype by name, and JSON's types."""
        metadata = {"format": _FORMAT, "state": json.dumps(state), "sha256": _digest(arrays)}
        content = save({name: np.ascontiguousarray(array) for name, array in arrays.items()}, metadata)
        replace_file(self.checkpoint_file, content)

    def read_checkpoint(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """What `write_checkpoint` wrote.

        Raises:
            CheckpointError: if the file is missing, damaged or foreign.
        """
        where = f"checkpoint {str(self.checkpoint_file)!r}"
        try:
            with safe_open(self.checkpoint_file, framework="numpy") as file:
                metadata = file.metadata() or {}
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except (OSError, SafetensorError) as error:
            raise CheckpointError(f"{where} is missing or damaged: {error}") from None
        if metadata.get("format") != _FORMAT:
            raise CheckpointError(f"{where} is not one of this project ({_FORMAT})")
        if metadata.get("sha256") != _digest(arrays):
            raise CheckpointError(f"{where} is damaged: its arrays are not those that were written")
        try:
            return arrays, json.loads(metadata["state"])
        except (KeyError, ValueError) as error:
            raise CheckpointError(f"{where} is damaged: {error}") from None


def changes(before: dict[str, Any], after: dict[str, Any]) -> str:
    """The keys that differ between two configurations, with both values; empty if there are none."""
    keys = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
    return ", ".join(f"{key} {before.get(key)!r} -> {after.get(key)!r}" for key in keys)


def _digest(arrays: dict[str, np.ndarray]) -> str:
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()


def provenance() -> dict[str, Any]:
    """The commit and the versions that a run was made with."""
    packages = ("lostcities-env", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")
    return {
        "commit": commit(),
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in packages},
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
