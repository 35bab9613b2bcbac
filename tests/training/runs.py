"""Runs of PPO so small that a test can wait for them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from lostcities_env.agents.policy import Policy
from training.ppo import train
from training.ppo_config import Config
from training.processes import Processes

PER_UPDATE = 2 * 16 * 8

EVERYTHING = {
    "critic": 8,
    "magnet": 0.1,
    "magnet_every": 3,
    "scale_by_phase": True,
    "opponents": ("greedy", "random"),
    "opponent_share": 0.25,
    "win_reward": 0.5,
    "rounds": 2,
    "last_round_share": 0.75,
    "warm_up": 3,
    "average": 0.0,
}
"""What a run does not use if it is not told to; the average is no average, to see the weights themselves."""


def tiny(runs: Path, **changes: object) -> Config:
    config = Config(
        runs=runs,
        name="tiny",
        variant="mini3",
        width=8,
        rank=2,
        games=16,
        turns_per_rollout=8,
        minibatch=64,
        total_turns=4 * PER_UPDATE,
        imitate="greedy",
        imitation_turns=PER_UPDATE,
        past_share=0.25,
        past_every=1,
        bfloat16=False,
        evaluate_pairs=10,
        baselines=("random",),
    )
    return replace(config, **changes)  # type: ignore[arg-type]


def run(config: Config, *, resume: bool = False, device: torch.device | None = None) -> Policy | None:
    with Processes("cpu") as processes:
        if device is not None:
            processes.device = device
        return train(config, processes, resume=resume)


def assert_same(first: Policy, second: Policy, tolerance: float = 0.0) -> None:
    for name, tensor in first.tensors.items():
        np.testing.assert_allclose(tensor, second.tensors[name], rtol=0, atol=tolerance, err_msg=name)
