"""The networks that a policy file can hold, in NumPy: observations in, one logit an action out.

`NETWORKS` maps the name of a kind to its class. A kind says which tensors it needs (`tensor_shapes`) and how
it goes from a batch of observations to logits (`logits`); nothing else in the package knows about networks.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lostcities_env.agents.weights import WeightsError, brief
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import observation_size

Tensors = Mapping[str, np.ndarray]
"""float32 arrays by name."""

ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "relu": lambda x: np.maximum(x, 0.0, out=x),
    "tanh": lambda x: np.tanh(x, out=x),
}
"""Applied in place to float32 arrays."""

MAX_LAYERS = 16
MAX_WIDTH = 16_384


class Network(ABC):
    """One kind of network, of one shape, for one match.

    Args:
        match: what it plays.
        observation: ``"visible"`` or ``"recall"``.
        shape: the kind's own measures, as JSON types.

    Raises:
        WeightsError: if the shape is not one of this kind.
    """

    def __init__(self, match: Match, observation: str, shape: Mapping[str, Any]) -> None:
        self.n_inputs = observation_size(match, observation)
        self.n_outputs = match.variant.n_actions

    @abstractmethod
    def tensor_shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each tensor, by name."""

    @abstractmethod
    def logits(self, tensors: Tensors, observations: np.ndarray) -> np.ndarray:
        """float32 (batch, n_actions) from float32 (batch, observation_size)."""


class Mlp(Network):
    """Fully connected layers: ``hidden`` gives their widths, ``activation`` what follows each of them.

    Tensors, from the input: ``layers.0.weight`` (width, inputs) and ``layers.0.bias`` (width,), and so on;
    the last layer has one output an action.
    """

    def __init__(self, match: Match, observation: str, shape: Mapping[str, Any]) -> None:
        super().__init__(match, observation, shape)
        if set(shape) != {"hidden", "activation"}:
            raise WeightsError(
                f"the shape of an mlp has 'hidden' and 'activation', got {brief(sorted(shape))}"
            )
        hidden = shape["hidden"]
        if not isinstance(hidden, list) or len(hidden) > MAX_LAYERS or not all(map(_is_width, hidden)):
            raise WeightsError(
                f"hidden={brief(hidden)} is not a list of at most {MAX_LAYERS} widths in 1..{MAX_WIDTH}"
            )
        activation = shape["activation"]
        if not isinstance(activation, str) or activation not in ACTIVATIONS:
            raise WeightsError(f"no activation {brief(activation)}; there are {', '.join(ACTIVATIONS)}")
        self._widths = [self.n_inputs, *hidden, self.n_outputs]
        self._activation = ACTIVATIONS[activation]

    def tensor_shapes(self) -> dict[str, tuple[int, ...]]:
        """See `Network.tensor_shapes`."""
        shapes: dict[str, tuple[int, ...]] = {}
        for k, (inputs, outputs) in enumerate(zip(self._widths[:-1], self._widths[1:], strict=True)):
            shapes[f"layers.{k}.weight"] = (outputs, inputs)
            shapes[f"layers.{k}.bias"] = (outputs,)
        return shapes

    def logits(self, tensors: Tensors, observations: np.ndarray) -> np.ndarray:
        """See `Network.logits`."""
        x = observations
        last = len(self._widths) - 2
        for k in range(last + 1):
            x = linear(tensors, f"layers.{k}", x)
            if k < last:
                self._activation(x)
        return x


def linear(tensors: Tensors, name: str, x: np.ndarray) -> np.ndarray:
    """The affine layer `name` on the last axis of `x`."""
    y = x @ tensors[f"{name}.weight"].T
    y += tensors[f"{name}.bias"]
    return y


def _is_width(value: Any) -> bool:
    return type(value) is int and 1 <= value <= MAX_WIDTH


NETWORKS: dict[str, type[Network]] = {"mlp": Mlp}
"""The kinds of network by name."""
