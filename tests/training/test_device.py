"""PPO on a device that is not the CPU, by way of one that is not there."""

import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("tensorboard")

import torch
from torch import Tensor

from lostcities_env.agents import make
from tests.training.pretend_device import PretendDevice
from tests.training.runs import EVERYTHING, assert_same, run, tiny
from training import bfloat16
from training.ppo import Learner
from training.ppo_checkpoint import load_checkpoint, save_checkpoint
from training.ppo_config import settings
from training.processes import Processes
from training.run_directory import RunDirectory
from training.selfplay import Shard

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"bfloat16": True}, id="bfloat16"),
        pytest.param(EVERYTHING, id="everything"),
        pytest.param({"network": "mlp"}, id="mlp"),
    ],
)
def test_a_run_gives_the_same_weights(
    tmp_path: Path, changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So nothing is on the wrong device: the numbers are the CPU's in both, without its compiled passes."""
    with PretendDevice() as there:
        policy = run(tiny(tmp_path / "there", **changes), device=there.device)
    monkeypatch.setattr(bfloat16, "is_served", lambda x: False)
    expected = run(tiny(tmp_path / "here", **changes))
    assert policy is not None
    assert expected is not None
    assert_same(policy, expected)


def test_a_checkpoint_goes_there_and_back(tmp_path: Path) -> None:
    config = tiny(tmp_path, **EVERYTHING)
    directory = RunDirectory(tmp_path / "run", settings(config), resume=False)
    with PretendDevice() as there, Processes("cpu") as processes:
        processes.device = there.device
        learner, resumed = Learner(config, processes), Learner(config, processes)
        learner.improve()
        save_checkpoint(directory, learner)
        load_checkpoint(directory, resumed)
        for each in (learner, resumed):
            each.improve()
        for own, other in zip(learner.net.parameters(), resumed.net.parameters(), strict=True):
            assert own.device == there.device
            assert torch.equal(own.cpu(), other.cpu())


@pytest.mark.parametrize("played", ["imitate", "collect"])
def test_what_is_moved_to_learn(played: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Orders of the samples go there, and a few numbers come back."""
    play = getattr(Shard, played)

    def play_and_forget(self: Shard, *arguments: Any) -> Any:
        rollout = play(self, *arguments)
        there.to_cpu.clear()
        there.from_cpu.clear()
        return rollout

    monkeypatch.setattr(Shard, played, play_and_forget)
    config = tiny(tmp_path, **EVERYTHING)
    with PretendDevice() as there, Processes("cpu") as processes:
        processes.device = there.device
        learner = Learner(config, processes)
        learner.imitate() if played == "imitate" else learner.improve()
    samples = config.games * config.turns_per_rollout
    epochs = config.imitation_epochs if played == "imitate" else config.epochs
    parts = epochs * samples // (config.minibatch // config.shards) * config.shards  # of minibatches
    assert there.from_cpu.count((samples,)) == epochs * config.shards
    figures = [shape for shape in there.to_cpu + there.from_cpu if shape != (samples,)]
    assert len(figures) <= 8
    assert sum(map(math.prod, figures)) <= parts + 8


def test_what_is_moved_to_play(tmp_path: Path) -> None:
    """Positions and random numbers go there, and the places of the actions drawn come back, nothing else."""
    config = tiny(tmp_path, **EVERYTHING)
    turns, games = config.turns_per_rollout, config.games
    with PretendDevice() as there, Processes("cpu") as processes:
        processes.device = there.device
        learner = Learner(config, processes)
        there.to_cpu.clear()
        there.from_cpu.clear()
        rollout = learner.shards[0].collect(learner.net, learner.past, learner.critic, 0.9)
        assert {tensor.device for tensor in vars(rollout).values() if isinstance(tensor, Tensor)} == {
            there.device
        }
    assert there.to_cpu == [(games,)] * turns
    moved = Counter(there.from_cpu)
    for inputs in (rollout.colours, rollout.globals_, rollout.privileged, rollout.legal):
        assert moved.pop((games, *inputs.shape[1:])) == turns + 1
    assert moved.pop((turns, games)) == 5  # rewards, movers, ends, decks, weights
    assert moved.pop((games,)) == turns + 1  # random numbers, and the last movers
    of_past_selves = [shape for shape in moved if len(shape) == 1 and shape[0] <= config.past_games]
    assert sum(moved.pop(shape) for shape in of_past_selves) == turns
    assert not moved


def test_what_is_moved_to_imitate(tmp_path: Path) -> None:
    """Nothing comes back: what to play is known here."""
    config = tiny(tmp_path, **EVERYTHING)
    with PretendDevice() as there, Processes("cpu") as processes:
        processes.device = there.device
        learner = Learner(config, processes)
        there.to_cpu.clear()
        learner.shards[0].imitate(make("greedy", learner.match), 0.1, learner.net, learner.critic)
    assert there.to_cpu == []


def test_devices_do_not_mix() -> None:
    with PretendDevice() as there, pytest.raises(RuntimeError, match="on pretend:0 and on the CPU"):
        torch.ones(2, device=there.device) + torch.ones(2)


def test_what_is_on_the_device_stays_there() -> None:
    with PretendDevice() as there:
        x = torch.ones(2).to(there.device)
        total = (x + 1).sum()
        assert total.device == x.device == there.device
        assert there.to_cpu == []
        assert there.from_cpu == [(2,)]
        assert total.item() == 4.0
        assert there.to_cpu == [()]
        assert x.cpu().device.type == "cpu"
        assert there.to_cpu == [(), (2,)]
