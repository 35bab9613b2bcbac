"""The plain network in PyTorch and NumPy; `tests.agents.test_features` does the same for the shared one."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from lostcities_env.agents.networks import Mlp
from lostcities_env.envs.batch import BatchGames
from training.joint_logits import NO_LOGIT
from training.legal import NO_ACTION, pack_legal
from training.networks import MlpNet

pytestmark = pytest.mark.slow


@pytest.fixture
def games() -> BatchGames:
    """In progress."""
    games = BatchGames(64, "mini3", 1)
    for _ in range(5):
        games.step(games.sample_actions())
    return games


@pytest.fixture
def net(games: BatchGames) -> MlpNet:
    torch.manual_seed(1)
    net = MlpNet(games.match, [24, 16])
    for parameter in net.parameters():  # the last layers begin near zero, where a fault would not show
        torch.nn.init.normal_(parameter, std=0.2)
    return net


def ask(net: MlpNet, games: BatchGames, legal: np.ndarray | None = None) -> list[np.ndarray]:
    inputs = map(torch.from_numpy, net.encoder(games.match)(games.observations))
    with torch.no_grad():
        return [output.numpy() for output in net(*inputs, None if legal is None else torch.from_numpy(legal))]


def test_numpy_and_torch_agree(net: MlpNet, games: BatchGames) -> None:
    logits, values = ask(net, games)
    weights = net.policy_tensors()
    network = Mlp(games.match, "recall", net.shape)
    assert {
        key: value.shape for key, value in weights.items()
    } == network.tensor_shapes() | network.value_shapes()
    np.testing.assert_allclose(network.logits(weights, games.observations), logits, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(network.values(weights, games.observations), values, rtol=1e-4, atol=1e-4)
    assert values.shape == (64,)
    assert values.std() > 0.01


def test_logits_of_legal_actions_are_those_of_all_actions(net: MlpNet, games: BatchGames) -> None:
    legal = np.empty((64, 40), np.int16)
    pack_legal(games.action_masks, legal, np.empty(64, np.int64))
    logits, _ = ask(net, games)
    packed, _ = ask(net, games, legal)
    rows, places = np.nonzero(legal != NO_ACTION)
    np.testing.assert_array_equal(packed[rows, places], logits[rows, legal[rows, places]])
    assert (packed[legal == NO_ACTION] < NO_LOGIT / 2).all()
    assert len(rows) == games.action_masks.sum()
