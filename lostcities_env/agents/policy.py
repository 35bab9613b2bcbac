"""A learned policy: a network in a ``.safetensors`` file, computed with NumPy alone.

The file's ``__metadata__`` says what the weights are, each value a string:

- ``format`` and ``version``: `FORMAT` and `VERSION`;
- ``network`` and ``shape``: the kind of network (see `networks`) and its measures, as JSON;
- ``observation``: ``"visible"`` or ``"recall"``, what the network sees;
- ``variant`` (JSON), ``rounds`` and ``tie``: the match that it was trained for;
- ``provenance``: JSON, whatever says where it comes from (configuration, seed, commit, turns, evaluation);
- ``points_per_value``, optional: points in a unit of the network's value, which is then the margin that the
  rest of the match is expected to bring the mover.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from lostcities_env.agents.base import NoValuesError
from lostcities_env.agents.networks import NETWORKS, Network, Tensors
from lostcities_env.agents.safetensors_file import WeightsError, brief, read_weights, write_weights
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import OBSERVATION_MODES
from lostcities_env.rules.variant import Variant

FORMAT = "lostcities-policy"
VERSION = 1

_KEYS = ("version", "network", "shape", "observation", "variant", "rounds", "tie", "provenance")
_BLOCK = 512
"""Positions that go through the network at a time, so that they stay in the cache."""


@dataclass(frozen=True, eq=False)
class Policy:
    """A network with its weights, and what it was trained for.

    Attributes:
        match: what it was trained for.
        observation: ``"visible"`` or ``"recall"``, what it sees.
        network: the kind of network, one of `NETWORKS`.
        shape: the kind's measures.
        tensors: float32 arrays by name.
        provenance: where it comes from, as JSON types.
        points_per_value: points in a unit of its value; None if the value is not one of points, or there are
            no tensors of a value among `tensors`.

    Raises:
        WeightsError: if the observation mode or the network is unknown, its shape is not one of that kind,
            the tensors are not those of such a network, or `points_per_value` is no number above 0 or stands
            without the tensors of a value.
    """

    match: Match
    observation: str
    network: str
    shape: Mapping[str, Any]
    tensors: Mapping[str, np.ndarray]
    provenance: Mapping[str, Any] = field(default_factory=dict)
    points_per_value: float | None = None
    _network: Network = field(init=False, repr=False)
    _doubles: Mapping[str, np.ndarray] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.observation not in OBSERVATION_MODES:
            raise WeightsError(
                f"no observation mode {self.observation!r}; there are {', '.join(OBSERVATION_MODES)}"
            )
        if self.network not in NETWORKS:
            raise WeightsError(f"no network {self.network!r}; there are {', '.join(NETWORKS)}")
        network = NETWORKS[self.network](self.match, self.observation, self.shape)
        object.__setattr__(self, "_network", network)
        value = network.value_shapes()
        if set(value).isdisjoint(self.tensors):
            value = {}
        _check_tensors(self.tensors, network.tensor_shapes() | value)
        doubles = {name: tensor.astype(np.float64) for name, tensor in self.tensors.items()}
        object.__setattr__(self, "_doubles", doubles)
        if self.points_per_value is not None:
            if not 0 < self.points_per_value < inf:
                raise WeightsError(f"points_per_value={self.points_per_value!r} is not a number above 0")
            if not value:
                raise WeightsError("points_per_value is given, but there are no tensors of a value")

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """float32 (batch, n_actions) from observations (batch, at least the size of the policy's mode)."""
        return self._computed(self._network.logits, observations)

    def margins_to_come(self, observations: np.ndarray) -> np.ndarray:
        """Points that the rest of the match is expected to bring the mover, less the opponent's.

        Args:
            observations: (batch, at least the size of the policy's mode).

        Returns:
            float64 (batch,).

        Raises:
            NoValuesError: if the policy has no value, or one that is not of points.
        """
        if self.points_per_value is None:
            raise NoValuesError(
                "this policy has no values: its file does not say how many points its value counts"
                if "value_out.weight" in self.tensors
                else "this policy has no values: it was kept without them"
            )
        values = self._computed(self._network.values, observations)
        return self.points_per_value * values.astype(np.float64)

    def _computed(
        self, output: Callable[[Tensors, np.ndarray], np.ndarray], observations: np.ndarray
    ) -> np.ndarray:
        """An output of the network, computed in double precision and then rounded.

        How a product of matrices is rounded depends on the size of the batch and on the processor; after
        this, what comes out for a game does not.
        """
        inputs = observations[:, : self._network.n_inputs]
        starts = range(0, max(1, len(inputs)), _BLOCK)
        blocks = [output(self._doubles, inputs[k : k + _BLOCK]).astype(np.float32) for k in starts]
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)

    def write(self, path: str | Path) -> None:
        """Writes the file; `read` is the way back.

        Raises:
            WeightsError: if the provenance is not of JSON types, or a weight is not finite.
        """
        metadata = {
            "format": FORMAT,
            "version": str(VERSION),
            "network": self.network,
            "shape": _json_text("shape", self.shape),
            "observation": self.observation,
            "variant": _json_text("variant", self.match.variant.to_dict()),
            "rounds": str(self.match.rounds),
            "tie": self.match.tie,
            "provenance": _json_text("provenance", self.provenance),
        }
        if self.points_per_value is not None:
            metadata["points_per_value"] = repr(float(self.points_per_value))
        write_weights(path, self.tensors, metadata)

    @classmethod
    def read(cls, path: str | Path) -> "Policy":
        """Reads a file that `write` wrote.

        Raises:
            WeightsError: saying what is wrong with the file and what would be right.
        """
        tensors, metadata = read_weights(path)
        try:
            return cls._from_metadata(tensors, metadata)
        except ValueError as error:
            raise WeightsError(f"weights {str(path)!r}: {error}") from None

    @classmethod
    def _from_metadata(cls, tensors: dict[str, np.ndarray], metadata: dict[str, str]) -> "Policy":
        if metadata.get("format") != FORMAT:
            raise WeightsError(
                f"not a policy of this project: its metadata has format {brief(metadata.get('format'))}, "
                f"not {FORMAT!r}"
            )
        missing = [key for key in _KEYS if key not in metadata]
        if missing:
            raise WeightsError(f"its metadata lacks {', '.join(missing)}")
        if metadata["version"] != str(VERSION):
            raise WeightsError(f"format version {brief(metadata['version'])}; this package reads {VERSION}")
        variant = Variant.from_dict(_json_object(metadata, "variant"))
        return cls(
            match=Match(variant, _whole_number(metadata, "rounds"), metadata["tie"]),
            observation=metadata["observation"],
            network=metadata["network"],
            shape=_json_object(metadata, "shape"),
            tensors=tensors,
            provenance=_json_object(metadata, "provenance"),
            points_per_value=_number(metadata, "points_per_value"),
        )


def _check_tensors(tensors: Mapping[str, np.ndarray], shapes: Mapping[str, tuple[int, ...]]) -> None:
    for problem, names in (
        ("not there", sorted(set(shapes) - set(tensors))),
        ("unknown to the network", sorted(set(tensors) - set(shapes))),
    ):
        if names:
            raise WeightsError(f"tensors {problem}: {brief(names)}; the network has {', '.join(shapes)}")
    for name, shape in shapes.items():
        if tensors[name].dtype != np.float32 or tensors[name].shape != shape:
            raise WeightsError(
                f"tensor {name!r} is {tensors[name].dtype} of shape {tensors[name].shape}; "
                f"the network takes float32 of shape {shape}"
            )


def _json_text(key: str, value: Mapping[str, Any]) -> str:
    try:
        return json.dumps(dict(value), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise WeightsError(f"the {key} of a policy is JSON: {error}") from None


def _json_object(metadata: Mapping[str, str], key: str) -> dict[str, Any]:
    try:
        value = json.loads(metadata[key])
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise WeightsError(f"its metadata {key!r} is not a JSON object: {brief(metadata[key])}")
    return value


def _number(metadata: Mapping[str, str], key: str) -> float | None:
    """None if there is none."""
    if key not in metadata:
        return None
    try:
        return float(metadata[key])
    except ValueError:
        raise WeightsError(f"its metadata {key!r} is not a number: {brief(metadata[key])}") from None


def _whole_number(metadata: Mapping[str, str], key: str) -> int:
    if not metadata[key].isdecimal():
        raise WeightsError(f"its metadata {key!r} is not a whole number: {brief(metadata[key])}")
    return int(metadata[key])
