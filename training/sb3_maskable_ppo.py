"""Trains a policy with MaskablePPO from sb3-contrib, against itself and scripted agents.

    python -m training.sb3_maskable_ppo --config configs/sb3/quick.yaml [--resume] [--key value ...]

A run lives in ``runs/NAME``: its configuration, provenance, TensorBoard log and checkpoint, and at the end
``policy.safetensors``, which can be named wherever an agent is named. Killed at any moment it goes on from
its last checkpoint with ``--resume``, and (on the CPU) ends with the same weights as if it had not been.
"""

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger, configure
from torch import nn
from tqdm import tqdm

from lostcities_env.agents.features import Features
from lostcities_env.agents.policy import Policy
from lostcities_env.envs.vector import LostCitiesVectorEnv
from lostcities_env.rules.match import Match
from training.config import ConfigError, check_identity, check_number, from_command_line, to_dict
from training.interrupt import InterruptFlag
from training.opponents import OpponentPool
from training.run_directory import RunDirectory, provenance
from training.sb3_checkpoint import load_checkpoint, save_checkpoint
from training.sb3_policies import ColourPolicy, to_policy
from training.sb3_vec_env import SelfPlayVecEnv
from training.steady import steady_memory

NETWORKS = ("colour", "mlp")

NO_BEARING = ("runs", "max_minutes", "checkpoint_minutes")
"""Keys of the configuration that do not bear on the weights, and may change when a run is resumed."""


@dataclass(frozen=True)
class Config:
    """What is trained and how; one run is one of these.

    Attributes:
        name: of the run's directory in `runs`.
        runs: the directory of runs.
        seed: of everything.
        variant, rounds: what is played.
        network: ``"colour"`` (shared across colours) or ``"mlp"``.
        width: units of a layer.
        layers: hidden layers (of an mlp).
        num_games: games played at once.
        turns_per_rollout: the learner's turns in each game between updates.
        total_turns: the learner's turns in all; the learning rate falls to zero over them.
        max_minutes: the run ends after so long even if turns are left; 0 for no limit.
        batch_size, epochs, learning_rate, gae_lambda, clip_range, entropy, value, max_grad_norm: of PPO.
        reward_scale: the change of the score margin is multiplied by this.
        snapshot_every: updates between snapshots that join the opponents.
        snapshots: how many are kept.
        latest_share: how often the opponent, if not scripted, is the latest snapshot rather than any of them.
        scripted, scripted_share: agents that also play the opponent, and how often.
        checkpoint_minutes: between checkpoints.
        threads: torch's; 0 leaves it to torch.
    """

    name: str = "sb3"
    runs: Path = Path("runs")
    seed: int = 1
    variant: str = "standard"
    rounds: int = 1
    network: str = "colour"
    width: int = 96
    layers: int = 2
    num_games: int = 512
    turns_per_rollout: int = 32
    total_turns: int = 1_000_000
    max_minutes: float = 0.0
    batch_size: int = 2048
    epochs: int = 2
    learning_rate: float = 7e-4
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    entropy: float = 0.01
    value: float = 0.25
    max_grad_norm: float = 0.5
    reward_scale: float = 0.05
    snapshot_every: int = 4
    snapshots: int = 10
    latest_share: float = 0.7
    scripted: tuple[str, ...] = ()
    scripted_share: float = 0.0
    checkpoint_minutes: float = 2.0
    threads: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "runs", Path(self.runs))
        check_identity(self, scripted=self.scripted)
        if self.network not in NETWORKS:
            raise ConfigError(f"no network {self.network!r}; there are {', '.join(NETWORKS)}")
        for key in ("width", "layers", "num_games", "turns_per_rollout", "total_turns", "epochs"):
            check_number(self, key, int, 1)
        for key in ("snapshot_every", "snapshots"):
            check_number(self, key, int, 1)
        check_number(self, "batch_size", int, 2)
        check_number(self, "threads", int, 0)
        for key in ("gae_lambda", "latest_share", "scripted_share", "clip_range"):
            check_number(self, key, float, 0.0, 1.0)
        for key in ("learning_rate", "max_grad_norm", "reward_scale", "checkpoint_minutes"):
            check_number(self, key, float, 1e-12)
        for key in ("max_minutes", "entropy", "value"):
            check_number(self, key, float, 0.0)
        samples = self.num_games * self.turns_per_rollout
        if samples % self.batch_size == 1:
            raise ConfigError(
                f"batch_size={self.batch_size} leaves a batch of one of the {samples} samples of a rollout "
                "(num_games x turns_per_rollout), whose advantage can't be normalised"
            )
        if self.scripted_share > 0 and not self.scripted:
            raise ConfigError("scripted_share is above 0, but there are no scripted agents")


def main(arguments: list[str] | None = None) -> None:
    """Trains as the command line says."""
    config, resume = from_command_line(Config, "Trains with MaskablePPO.", arguments)
    try:
        train(config, resume=resume)
    except ValueError as error:  # of the configuration, a variant, an agent, a checkpoint
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None


def train(config: Config, *, resume: bool = False) -> Policy | None:
    """Runs the training; the policy, or None if Ctrl-C ended it early."""
    started = time.monotonic()
    directory = RunDirectory(config.runs / config.name, to_jsonable(config), resume=resume)
    if config.threads:
        torch.set_num_threads(config.threads)

    learner = Learner(config, configure(str(directory.path), ["tensorboard"]))
    model = learner.model
    if resume:
        load_checkpoint(directory, model, learner.env, learner.opponents, learner.match)

    def save() -> None:
        save_checkpoint(directory, model, learner.env, learner.opponents)

    interrupted = InterruptFlag()
    saved = time.monotonic()
    with (
        interrupted,
        steady_memory(),
        tqdm(
            total=config.total_turns,
            initial=model.num_timesteps,
            unit="turn",
            unit_scale=True,
            mininterval=2.0,
        ) as bar,
    ):
        while model.num_timesteps < config.total_turns:
            if config.max_minutes and time.monotonic() - started > 60 * config.max_minutes:
                break
            if interrupted:
                save()
                print(f"saved; go on with the same command and --resume ({directory.path})")
                return None
            if time.monotonic() - saved > 60 * config.checkpoint_minutes:
                save()
                saved = time.monotonic()

            learner.improve()
            report(model, bar)

    save()
    origin = {"config": to_jsonable(config), "learner_turns": model.num_timesteps, **provenance()}
    policy = to_policy(model.policy, learner.match, origin)
    policy.write(directory.policy_file)
    print(f"policy: {directory.policy_file}")
    return policy


class Learner:
    """All that training changes: the model, the games, and the opponents in them."""

    def __init__(self, config: Config, logger: Logger) -> None:
        self.config = config
        self.match = Match(config.variant, config.rounds)  # type: ignore[arg-type]
        self.opponents = OpponentPool(
            self.match,
            scripted=config.scripted,
            scripted_share=config.scripted_share,
            latest_share=config.latest_share,
            size=config.snapshots,
            seed=config.seed,
        )
        envs = LostCitiesVectorEnv(
            config.num_games,
            self.opponents,
            self.match.variant,
            "recall",
            reward="dense",
            rounds=config.rounds,
        )
        features = Features(self.match) if config.network == "colour" else None
        self.env = SelfPlayVecEnv(envs, features=features, reward_scale=config.reward_scale)
        self.model = make_model(config, self.match, self.env)
        self.model.set_logger(logger)
        _, self._callback = self.model._setup_learn(config.total_turns)

    @property
    def turns_per_update(self) -> int:
        """The learner's turns of a rollout."""
        return self.config.num_games * self.config.turns_per_rollout

    def improve(self) -> None:
        """One rollout against an opponent drawn anew, and PPO on it."""
        model = self.model
        update = model.num_timesteps // self.turns_per_update
        if update % self.config.snapshot_every == 0:
            self.opponents.add(to_policy(model.policy, self.match, {}))
        self.opponents.draw()
        model.collect_rollouts(self.env, self._callback, model.rollout_buffer, self.config.turns_per_rollout)
        model._update_current_progress_remaining(model.num_timesteps, self.config.total_turns)
        model.train()


def make_model(config: Config, match: Match, env: SelfPlayVecEnv) -> MaskablePPO:
    """MaskablePPO as the configuration says."""
    if config.network == "colour":
        policy: Any = ColourPolicy
        kwargs: dict[str, Any] = {"variant": match.variant.to_dict(), "width": config.width}
    else:
        policy = "MlpPolicy"
        kwargs = {"net_arch": [config.width] * config.layers, "activation_fn": nn.ReLU}
    return MaskablePPO(
        policy,
        env,
        learning_rate=lambda left: config.learning_rate * max(left, 0.0),
        n_steps=config.turns_per_rollout,
        batch_size=config.batch_size,
        n_epochs=config.epochs,
        gamma=1.0,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        ent_coef=config.entropy,
        vf_coef=config.value,
        max_grad_norm=config.max_grad_norm,
        policy_kwargs=kwargs,
        seed=config.seed,
        device="cpu",
    )


def report(model: MaskablePPO, bar: Any) -> None:
    """Shows how it goes: on the terminal, and in TensorBoard."""
    episodes = model.ep_info_buffer or ()
    margin = float(np.mean([episode["r"] for episode in episodes])) if episodes else float("nan")
    length = float(np.mean([episode["l"] for episode in episodes])) if episodes else float("nan")
    explained = model.logger.name_to_value["train/explained_variance"]
    model.logger.record("rollout/margin", margin)
    model.logger.record("rollout/learner_turns", length)
    model.logger.dump(model.num_timesteps)
    bar.set_postfix_str(f"margin {margin:+.1f}, {length:.0f} turns, explained {explained:.2f}", refresh=False)
    bar.update(model.num_timesteps - bar.n)


def to_jsonable(config: Config) -> dict[str, Any]:
    """The configuration as JSON's types, less `NO_BEARING`."""
    return {key: value for key, value in to_dict(config).items() if key not in NO_BEARING}


if __name__ == "__main__":
    main()
