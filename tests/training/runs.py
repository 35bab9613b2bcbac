"""Runs of PPO so small that a test can wait for them."""

from dataclasses import replace
from pathlib import Path

from lostcities_env.agents.policy import Policy
from training.ppo import train
from training.ppo_config import Config
from training.processes import Processes

PER_UPDATE = 2 * 16 * 8


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


def run(config: Config, *, resume: bool = False) -> Policy | None:
    with Processes("cpu") as processes:
        return train(config, processes, resume=resume)
