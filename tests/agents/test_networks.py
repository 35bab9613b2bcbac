from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from lostcities_env.agents.networks import ACTIVATIONS, MAX_LAYERS, MAX_WIDTH, NETWORKS, Mlp, Network
from lostcities_env.agents.safetensors_file import WeightsError
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import OBSERVATION_MODES, observation_size
from lostcities_env.rules.variant import MINI_1
from tests.agents.positions import STANDARD

TINY = Match(MINI_1)
"""Few enough inputs and outputs for a calculation by hand."""


def zeros(network: Mlp) -> dict[str, np.ndarray]:
    return {name: np.zeros(shape, np.float32) for name, shape in network.tensor_shapes().items()}


def noise(network: Network, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        name: rng.normal(0, shape[-1] ** -0.5, shape).astype(np.float32)
        for name, shape in network.tensor_shapes().items()
    }


def test_the_mlp_is_known_by_its_name() -> None:
    assert NETWORKS["mlp"] is Mlp


@pytest.mark.parametrize("observation", OBSERVATION_MODES)
def test_goes_from_observations_to_actions(observation: str) -> None:
    size = observation_size(STANDARD, observation)
    network = Mlp(STANDARD, observation, {"hidden": [7, 5], "activation": "relu"})
    assert network.tensor_shapes() == {
        "layers.0.weight": (7, size),
        "layers.0.bias": (7,),
        "layers.1.weight": (5, 7),
        "layers.1.bias": (5,),
        "layers.2.weight": (600, 5),
        "layers.2.bias": (600,),
    }
    logits = network.logits(noise(network, 0), np.ones((3, size), np.float32))
    assert logits.shape == (3, 600)
    assert logits.dtype == np.float32


def test_without_hidden_layers_it_is_linear() -> None:
    network = Mlp(TINY, "visible", {"hidden": [], "activation": "tanh"})
    tensors = zeros(network)
    tensors["layers.0.weight"][3, 1] = 4
    tensors["layers.0.bias"][:] = -10
    observations = np.zeros((1, network.n_inputs), np.float32)
    observations[0, 1] = 3
    expected = np.full((1, TINY.variant.n_actions), -10.0)
    expected[0, 3] = 2
    np.testing.assert_array_equal(network.logits(tensors, observations), expected)


@pytest.mark.parametrize(
    ("activation", "first", "second"),
    [
        ("relu", 6.5, 0.0),  # 2 x 3 - 1 + 1.5 = 6.5; -3 is cut off
        ("tanh", np.tanh(6.5), np.tanh(-3.0)),
    ],
)
def test_by_hand(activation: str, first: float, second: float) -> None:
    network = Mlp(TINY, "visible", {"hidden": [2], "activation": activation})
    tensors = zeros(network)
    tensors["layers.0.weight"][0, [0, 2]] = 2, -1
    tensors["layers.0.bias"][0] = 1.5
    tensors["layers.0.weight"][1, 0] = -1
    tensors["layers.1.weight"][5] = 10, 1
    tensors["layers.1.weight"][6] = 0, -2
    tensors["layers.1.bias"][6] = 0.25
    observations = np.zeros((2, network.n_inputs), np.float32)
    observations[1, [0, 2]] = 3, 1
    logits = network.logits(tensors, observations)
    assert logits[1, 5] == pytest.approx(10 * first + second)
    assert logits[1, 6] == pytest.approx(-2 * second + 0.25)
    assert not np.delete(logits[1], [5, 6]).any(), "the last layer has no activation, the others no weights"


@pytest.mark.slow
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("hidden", [[], [33], [64, 32, 16]])
def test_equals_torch(activation: str, hidden: list[int]) -> None:
    torch = pytest.importorskip("torch")
    network = Mlp(STANDARD, "recall", {"hidden": hidden, "activation": activation})
    tensors = noise(network, 1)
    widths = [network.n_inputs, *hidden, network.n_outputs]
    reference = torch.nn.Sequential()
    for k, (inputs, outputs) in enumerate(pairwise(widths)):
        if k > 0:
            reference.append({"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}[activation]())
        linear = torch.nn.Linear(inputs, outputs)
        linear.load_state_dict(
            {name: torch.from_numpy(tensors[f"layers.{k}.{name}"]) for name in ("weight", "bias")}
        )
        reference.append(linear)
    observations = np.random.default_rng(2).normal(size=(20, network.n_inputs)).astype(np.float32)
    with torch.no_grad():
        expected = reference(torch.from_numpy(observations)).numpy()
    np.testing.assert_allclose(network.logits(tensors, observations), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_leaves_its_inputs_as_they_were(activation: str) -> None:
    network = Mlp(TINY, "visible", {"hidden": [4], "activation": activation})
    tensors = noise(network, 3)
    observations = np.random.default_rng(4).normal(size=(5, network.n_inputs)).astype(np.float32)
    before = observations.copy(), {name: array.copy() for name, array in tensors.items()}
    network.logits(tensors, observations)
    np.testing.assert_array_equal(observations, before[0])
    np.testing.assert_equal(tensors, before[1])


@pytest.mark.parametrize(
    ("kind", "shape"),
    [("mlp", {"hidden": [4], "activation": "relu"}), ("colour", {"width": 4, "rank": 2})],
)
def test_the_batch_may_be_empty(kind: str, shape: dict[str, Any]) -> None:
    network = NETWORKS[kind](TINY, "recall", shape)
    logits = network.logits(noise(network, 0), np.zeros((0, network.n_inputs), np.float32))
    assert logits.shape == (0, network.n_outputs)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ({}, r"has 'hidden' and 'activation', got \[\]"),
        ({"hidden": [4]}, r"got \['hidden'\]"),
        ({"hidden": [4], "activation": "relu", "bias": False}, r"got \['activation', 'bias', 'hidden'\]"),
        ({"hidden": 4, "activation": "relu"}, "hidden=4 is not a list of at most 16 widths in 1..16384"),
        ({"hidden": [0], "activation": "relu"}, r"hidden=\[0\] is not"),
        ({"hidden": [-4], "activation": "relu"}, r"hidden=\[-4\] is not"),
        ({"hidden": [4.0], "activation": "relu"}, r"hidden=\[4.0\] is not"),
        ({"hidden": ["4"], "activation": "relu"}, r"hidden=\['4'\] is not"),
        ({"hidden": [True], "activation": "relu"}, r"hidden=\[True\] is not"),
        ({"hidden": [MAX_WIDTH + 1], "activation": "relu"}, r"hidden=\[16385\] is not"),
        ({"hidden": [1] * (MAX_LAYERS + 1), "activation": "relu"}, r"hidden=\[1, .*\.\.\.\] is not a list"),
        ({"hidden": [4], "activation": "gelu"}, "no activation 'gelu'; there are relu, tanh"),
        ({"hidden": [4], "activation": ["relu"]}, r"no activation \['relu'\]; there are"),
        ({"hidden": [4], "activation": None}, "no activation None; there are"),
    ],
)
def test_a_shape_that_is_none_is_refused(shape: dict[str, Any], message: str) -> None:
    with pytest.raises(WeightsError, match=message):
        Mlp(TINY, "visible", shape)
