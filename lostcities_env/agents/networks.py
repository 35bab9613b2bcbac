"""The networks that a policy file can hold, in NumPy: observations in; one logit an action out, or a value.

`NETWORKS` maps the name of a kind to its class. A kind says which tensors it needs to play (`tensor_shapes`)
and to judge (`value_shapes`), and how it goes from a batch of observations to logits (`logits`) and to values
(`values`); nothing else in the package knows about networks.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lostcities_env.agents.features import GLOBALS, Features
from lostcities_env.agents.safetensors_file import WeightsError, brief
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
        """The shape of each tensor that `logits` needs, by name."""

    @abstractmethod
    def value_shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each tensor that `values` needs besides, by name."""

    @abstractmethod
    def logits(self, tensors: Tensors, observations: np.ndarray) -> np.ndarray:
        """(batch, n_actions) from float32 (batch, observation_size), in the precision of the tensors."""

    @abstractmethod
    def values(self, tensors: Tensors, observations: np.ndarray) -> np.ndarray:
        """(batch,) from float32 (batch, observation_size), in the unit of the training; see `logits`."""


class Mlp(Network):
    """Fully connected layers: ``hidden`` gives their widths, ``activation`` what follows each of them.

    Tensors, from the input: ``layers.0.weight`` (width, inputs) and ``layers.0.bias`` (width,), and so on;
    the last layer has one output an action. The value is a hidden layer, ``value_hidden``, and one output,
    ``value_out``, on top of the last hidden layer.
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

    def value_shapes(self) -> dict[str, tuple[int, ...]]:
        """See `Network.value_shapes`."""
        width = self._widths[-2]
        return _layer_shapes({"value_hidden": (width, width), "value_out": (1, width)})

    def logits(self, tensors: Tensors, observations: np.ndarray) -> np.ndarray:
        """See `Network.logits`."""
        return linear(tensors, f"layers.{len(self._widths) - 2}", self._hidden(tensors, observations))

    def values(self, tensors: Tensors, observations: np.ndarray) -> np.ndarray:
        """See `Network.values`."""
        hidden = self._activation(linear(tensors, "value_hidden", self._hidden(tensors, observations)))
        return linear(tensors, "value_out", hidden)[:, 0]

    def _hidden(self, tensors: Tensors, observations: np.ndarray) -> np.ndarray:
        x = observations
        for k in range(len(self._widths) - 2):
            x = self._activation(linear(tensors, f"layers.{k}", x))
        return x


class ColourSharing(Network):
    """Layers shared by all colours: ``width`` units each, and ``rank`` of the interaction of card and source.

    Swapping two colours of a position swaps their logits and changes nothing else. A turn is one joint action
    with factored logits: place (card, way) + source + a low-rank interaction of (colour, way) and source.
    `training.networks.ColourNet` is the same in PyTorch, and says what each tensor is for.
    """

    def __init__(self, match: Match, observation: str, shape: Mapping[str, Any]) -> None:
        super().__init__(match, observation, shape)
        if observation != "recall":
            raise WeightsError(f"a colour network sees 'recall' observations, not {observation!r}")
        if set(shape) != {"width", "rank"} or not all(map(_is_width, shape.values())):
            raise WeightsError(
                f"the shape of a colour network has a 'width' and a 'rank', got {dict(shape)!r}"
            )
        self._features = Features(match)
        self._n_ranks = match.variant.n_ranks
        self._width, self._rank = shape["width"], shape["rank"]

    def tensor_shapes(self) -> dict[str, tuple[int, ...]]:
        """See `Network.tensor_shapes`."""
        width, rank = self._width, self._rank
        layers = {
            "colour_in": (width, self._features.shape[1]),
            "global_in": (width, len(GLOBALS)),
            "context_1": (width, 2 * width),
            "colour_1": (width, width),
            "colour_1_context": (width, width),
            "context_2": (width, 2 * width),
            "colour_2": (width, width),
            "colour_2_context": (width, width),
            "colour_out": (2 * self._n_ranks + 1 + 3 * rank, width),
            "context_out": (1 + rank, width),
        }
        return _layer_shapes(layers)

    def value_shapes(self) -> dict[str, tuple[int, ...]]:
        """See `Network.value_shapes`."""
        width = self._width
        return _layer_shapes({"value_hidden": (width, 3 * width), "value_out": (1, width)})

    def logits(self, tensors: Tensors, observations: np.ndarray) -> np.ndarray:
        """See `Network.logits`."""
        x, context = self._layers(tensors, observations)
        return self._joint(linear(tensors, "colour_out", x), linear(tensors, "context_out", context))

    def values(self, tensors: Tensors, observations: np.ndarray) -> np.ndarray:
        """See `Network.values`."""
        x, context = self._layers(tensors, observations)
        hidden = linear(tensors, "value_hidden", np.concatenate([_pool(x), context], axis=-1))
        return linear(tensors, "value_out", np.maximum(hidden, 0.0, out=hidden))[:, 0]

    def _layers(self, tensors: Tensors, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What is known of each colour (batch, n_colours, width), and of the position (batch, width)."""
        colours, globals_ = self._features(observations)
        x = linear(tensors, "colour_in", colours)
        x += linear(tensors, "global_in", globals_)[:, None]
        np.maximum(x, 0.0, out=x)
        context = np.maximum(linear(tensors, "context_1", _pool(x)), 0.0)
        x += self._layer(tensors, "colour_1", x, context)
        context += np.maximum(linear(tensors, "context_2", _pool(x)), 0.0)
        x += self._layer(tensors, "colour_2", x, context)
        return x, context

    def _layer(self, tensors: Tensors, name: str, x: np.ndarray, context: np.ndarray) -> np.ndarray:
        y = linear(tensors, name, x)
        y += _product(context, tensors[f"{name}_context.weight"])[:, None]
        return np.maximum(y, 0.0, out=y)

    def _joint(self, colour: np.ndarray, context: np.ndarray) -> np.ndarray:
        n, c, _ = colour.shape
        r, k = self._n_ranks, self._rank
        place, pile, way_keys, pile_key = np.split(colour, np.cumsum([2 * r, 1, 2 * k]), axis=-1)
        source = np.concatenate([context[:, :1], pile[:, :, 0]], axis=1)
        source_key = np.concatenate([context[:, None, 1:], pile_key], axis=1)
        interaction = way_keys.reshape(n, 2 * c, k) @ source_key.transpose(0, 2, 1)
        joint = place.reshape(n, c, r, 2, 1) + interaction.reshape(n, c, 1, 2, c + 1)
        joint += source[:, None, None, None, :]
        return joint.reshape(n, self.n_outputs)


def _layer_shapes(layers: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, ...]]:
    """The tensors of affine layers by name, each (outputs, inputs); those that add a context have no bias."""
    shapes: dict[str, tuple[int, ...]] = {}
    for name, (outputs, inputs) in layers.items():
        shapes[f"{name}.weight"] = (outputs, inputs)
        if not name.endswith("_context"):
            shapes[f"{name}.bias"] = (outputs,)
    return shapes


def _pool(x: np.ndarray) -> np.ndarray:
    return np.concatenate([x.mean(axis=1), x.max(axis=1)], axis=-1)


def linear(tensors: Tensors, name: str, x: np.ndarray) -> np.ndarray:
    """The affine layer `name` on the last axis of `x`."""
    y = _product(x, tensors[f"{name}.weight"])
    y += tensors[f"{name}.bias"]
    return y


def _product(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """``x @ weight.T`` as one product of matrices; NumPy would make one for each row of a batch."""
    return (x.reshape(-1, x.shape[-1]) @ weight.T).reshape(*x.shape[:-1], len(weight))


def _is_width(value: Any) -> bool:
    return type(value) is int and 1 <= value <= MAX_WIDTH


NETWORKS: dict[str, type[Network]] = {"mlp": Mlp, "colour": ColourSharing}
"""The kinds of network by name."""
