"""PPO on a device that is not the CPU, by way of one that is not there."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("tensorboard")

import torch

from tests.training.pretend_device import PretendDevice
from tests.training.runs import EVERYTHING, assert_same, run, tiny
from training import bfloat16
from training.ppo import Learner
from training.ppo_checkpoint import load_checkpoint, save_checkpoint
from training.ppo_config import settings
from training.processes import Processes
from training.run_directory import RunDirectory
from training.selfplay import Shard

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


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


def test_what_is_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it learns from a rollout, orders of the samples go there, and a few numbers come back."""
    collect = Shard.collect

    def collect_and_forget(self: Shard, *arguments: Any) -> Any:
        rollout = collect(self, *arguments)
        there.to_cpu.clear()
        there.from_cpu.clear()
        return rollout

    monkeypatch.setattr(Shard, "collect", collect_and_forget)
    config = tiny(tmp_path, **EVERYTHING)
    with PretendDevice() as there, Processes("cpu") as processes:
        processes.device = there.device
        Learner(config, processes).improve()
    samples, passes = config.games * config.turns_per_rollout, config.epochs * config.shards
    minibatches = config.epochs * config.turns_per_update // config.minibatch
    assert there.from_cpu.count((samples,)) == passes
    assert sum(map(math.prod, there.from_cpu)) < samples * passes + 50
    assert (
        sum(map(math.prod, there.to_cpu)) < minibatches * config.shards + 50
    )  # how wide each part of one is


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
