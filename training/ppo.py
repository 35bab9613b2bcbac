"""Trains a policy by self-play with PPO, on one process or several.

    python -m training.ppo --config configs/ppo/quick.yaml [--resume] [--key value ...]
    torchrun --nproc_per_node 2 -m training.ppo --config configs/ppo/quick.yaml

PPO (Schulman et al., 2017) for a two-player zero-sum game of imperfect information: one network plays both
seats, values are the mover's, the reward of a turn is the change of the score margin, and the advantage
changes its sign where the mover changes. A run may begin by imitating an agent, and plays a share of its
games against past selves. The weights that are evaluated and kept are an exponential average.

The games are split into `shards`, each with generators of its own. Processes share the shards out among them
and average their gradients, so a run gives the same result, up to rounding, on one process or several.
"""

import math
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lostcities_env.agents import make, shipped
from lostcities_env.agents.policy import Policy
from lostcities_env.rules.match import Match
from training.config import ConfigError, from_command_line
from training.functions import log_probabilities
from training.interrupt import InterruptFlag
from training.magnet import Magnet, kl_from_magnet
from training.networks import ColourCritic, ColourNet, MlpNet, PolicyNet
from training.normalising import normalise
from training.ppo_checkpoint import load_checkpoint, save_checkpoint
from training.ppo_config import Config, settings
from training.ppo_log import Log
from training.processes import Processes
from training.rollout import Rollout, Samples, minibatches
from training.run_directory import RunDirectory, provenance
from training.selfplay import Shard
from training.steady import steady_memory


def main(arguments: list[str] | None = None) -> None:
    """Trains as the command line says."""
    config, resume = from_command_line(Config, "Trains with PPO by self-play.", arguments)
    try:
        with Processes(config.device) as processes:
            train(config, processes, resume=resume)
    except ValueError as error:  # of the configuration, a variant, an agent, a checkpoint
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None


def new_net(config: Config, match: Match) -> PolicyNet:
    """The network of a configuration, with new weights."""
    if config.network == MlpNet.kind:
        return MlpNet(match, [config.width] * config.layers)
    return ColourNet(match.variant, config.width, config.rank)


class Learner:
    """All that training changes: the network, its average, the optimiser, the games, and the counters."""

    def __init__(self, config: Config, processes: Processes) -> None:
        torch.manual_seed(config.seed)
        self.match = Match(config.variant, config.rounds, config.tie)  # type: ignore[arg-type]
        self.config = config
        self.processes = processes
        self.device = processes.device
        self.net, self.average, self.past = (new_net(config, self.match).to(self.device) for _ in range(3))
        self.average.load_state_dict(self.net.state_dict())
        self.magnet = Magnet(self.average, config.magnet_every) if config.magnet else None
        self.critic = (
            ColourCritic(self.match.variant, config.critic).to(self.device) if config.critic else None
        )
        self.learned: list[nn.Module] = [self.net] if self.critic is None else [self.net, self.critic]
        self.optimiser = torch.optim.Adam(
            [parameter for net in self.learned for parameter in net.parameters()],
            lr=config.learning_rate,
            eps=1e-5,
            fused=True,
        )
        self.shards = {
            k: Shard(
                self.match,
                config.games,
                config.turns_per_rollout,
                seed=1_000_003 * config.seed + k,
                past_games=config.past_games,
                opponents=[make(name, self.match, seed=config.seed) for name in config.opponents],
                opponent_games=config.opponent_games,
                encoder=self.net.encoder,
                reward_scale=config.reward_scale,
                win_reward=config.win_reward,
                last_round_games=config.last_round_games,
                last_round_spread=config.last_round_spread,
                privileged=self.critic is not None,
                device=self.device,
                dtype=torch.bfloat16 if config.bfloat16 else torch.float32,
            )
            for k in processes.share(config.shards)
        }
        self.past_selves: list[dict[str, np.ndarray]] = []
        self.generator = np.random.default_rng(config.seed)  # alike in all processes
        self.imitated = 0
        self.turns = 0
        self.updates = 0

    @property
    def turns_per_update(self) -> int:
        """Turns of a rollout of all shards."""
        return self.config.turns_per_update

    def begin_with(self, name: str) -> None:
        """Takes over the weights of a policy, named or in a file; a value that it doesn't hold begins anew.

        The value is scaled to this run's `reward_scale`, for else it would be wrong by the ratio at first.

        Raises:
            WeightsError: if there is no such policy.
            ConfigError: if the network is not of its kind and shape.
        """
        policy = shipped.read(name, self.match)
        own = self.policy({})
        kinds = [
            f"a {each.network} network of shape {dict(each.shape)} on {each.observation!r} observations of "
            f"{each.match.variant.name!r}"
            for each in (policy, own)
        ]
        if kinds[0] != kinds[1] or policy.match.variant != own.match.variant:
            raise ConfigError(f"begin_with: {name!r} holds {kinds[0]}; this run has {kinds[1]}")
        tensors = {key: torch.from_numpy(array) for key, array in policy.tensors.items()}
        self.net.load_state_dict(tensors, strict=False)
        before = policy.provenance.get("config", {}).get("reward_scale", self.config.reward_scale)
        with torch.no_grad():
            for parameter in self.net.value_out.parameters():
                parameter.mul_(self.config.reward_scale / before)
        self.average.load_state_dict(self.net.state_dict())

    @property
    def expedition_cost(self) -> int:
        """What an expedition costs now: the variant's own cost, but for the curriculum."""
        full, first = self.match.variant.expedition_cost, self.config.first_cost
        if self.turns >= self.config.cost_turns:
            return full
        return first + (full - first) * self.turns // self.config.cost_turns

    def log_policy(self, samples: Samples) -> tuple[Tensor, Tensor]:
        """Log-probabilities over the legal actions (samples, places), and values (samples,)."""
        logits, values = self.net(samples.colours, samples.globals_, samples.legal)
        return log_probabilities(logits), values

    def step(self, loss: Tensor) -> None:
        """One step of the optimiser on the loss of all processes, and of the average."""
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        for net in self.learned:
            self.processes.average_gradients(net)
            torch.nn.utils.clip_grad_norm_(net.parameters(), self.config.max_grad_norm)
        self.optimiser.step()
        with torch.no_grad():
            averages = list(self.average.state_dict().values())
            currents = list(self.net.state_dict().values())
            torch._foreach_lerp_(averages, currents, 1 - self.config.average)

    def minibatches(
        self, shards: list[Shard], rollouts: list[Rollout]
    ) -> list[list[tuple[Rollout, Tensor, int]]]:
        """One pass over the rollouts in random order."""
        size = self.config.minibatch // self.config.shards
        return minibatches([shard.generator for shard in shards], rollouts, size)

    def critic_loss(self, samples: Samples) -> Tensor:
        """Of the critic that sees what is hidden; 0 without one."""
        if self.critic is None:
            return torch.zeros((), device=self.device)
        values = self.critic(samples.colours, samples.globals_, samples.privileged)
        return F.mse_loss(values, samples.returns)

    def imitate(self) -> dict[str, float]:
        """One rollout of the agent to imitate, learned."""
        config = self.config
        shards = list(self.shards.values())

        def play(shard: Shard) -> Rollout:
            agent = make(config.imitate, self.match, seed=config.seed)  # of its own, for threads
            return shard.imitate(agent, config.imitation_noise, self.net, self.critic)

        rollouts = self._play(play)
        losses = []
        for _ in range(config.imitation_epochs):
            for batch in self.minibatches(shards, rollouts):
                loss = torch.zeros((), device=self.device)
                for rollout, index, width in batch:
                    samples = rollout.select(index, width)
                    log_policy, values = self.log_policy(samples)
                    cross_entropy = -log_policy.gather(1, samples.places[:, None]).mean()
                    value_loss = F.smooth_l1_loss(values, samples.returns)
                    part = cross_entropy + config.value * value_loss + self.critic_loss(samples)
                    loss = loss + part / len(batch)
                    losses.append(cross_entropy.detach())
                self.step(loss)
        self.imitated += self.turns_per_update
        if self.imitated >= config.imitation_turns:
            self.average.load_state_dict(self.net.state_dict())
        return {"imitation/cross_entropy": self.processes.mean(torch.stack(losses).tolist())}

    def improve(self) -> dict[str, float]:
        """One rollout of self-play, and PPO on it."""
        config = self.config
        left = max(0.0, 1 - self.turns / config.total_turns)
        entropy_bonus = config.final_entropy + left * (config.entropy - config.final_entropy)
        rate = config.final_learning_rate + left * (config.learning_rate - config.final_learning_rate)
        if self.updates < config.warm_up:
            rate *= (self.updates + 1) / (config.warm_up + 1)
        for group in self.optimiser.param_groups:
            group["lr"] = rate

        if self.updates % config.past_every == 0:
            self.past_selves.append({k: v.cpu().numpy().copy() for k, v in self.average.state_dict().items()})
            del self.past_selves[: -config.past_kept]
        chosen = self.past_selves[self.generator.integers(len(self.past_selves))]
        self.past.load_state_dict({name: torch.from_numpy(array) for name, array in chosen.items()})
        past = self.past if config.past_share else None
        if self.magnet is not None:
            self.magnet.follow(self.average, self.updates)

        shards = list(self.shards.values())
        for shard in shards:
            shard.play_at_cost(self.expedition_cost)
        rollouts = self._play(lambda shard: shard.collect(self.net, past, self.critic, config.gae_lambda))
        explained = self._explained_variance(rollouts)
        deviation = normalise(
            rollouts, self.processes, self.match.variant.deck_size, by_phase=config.scale_by_phase
        )
        if self.magnet is not None:
            for rollout in rollouts:
                self.magnet.answer(rollout, config.minibatch)

        sums = torch.zeros(7, dtype=torch.float64, device=self.device)
        for _ in range(config.epochs):
            for batch in self.minibatches(shards, rollouts):
                loss = torch.zeros((), device=self.device)
                for rollout, index, width in batch:
                    samples = rollout.select(index, width)
                    log_policy, values = self.log_policy(samples)
                    weights, advantage = samples.weights, samples.advantages
                    log_ratio = log_policy.gather(1, samples.places[:, None]).squeeze(1)
                    log_ratio = log_ratio - samples.log_probabilities
                    ratio = log_ratio.exp()
                    clipped = ratio.clamp(1 - config.clip_range, 1 + config.clip_range)
                    policy_loss = -(weights * torch.min(ratio * advantage, clipped * advantage)).mean()
                    entropy = -(weights * (log_policy.exp() * log_policy).sum(dim=-1)).mean()
                    value_loss = F.mse_loss(values, samples.returns)
                    critic_loss = self.critic_loss(samples)
                    magnet_kl = kl_from_magnet(samples, log_policy)
                    part = policy_loss + config.value * value_loss - entropy_bonus * entropy
                    loss = loss + (part + critic_loss + config.magnet * magnet_kl) / len(batch)
                    with torch.no_grad():
                        kl = (weights * ((ratio - 1) - log_ratio)).mean()
                        outside = (weights * ((ratio - 1).abs() > config.clip_range)).mean()
                        parts = (policy_loss, value_loss, critic_loss, entropy, magnet_kl, kl, outside)
                        sums += torch.stack(parts) / len(batch)
                self.step(loss)
        self.turns += self.turns_per_update
        self.updates += 1
        sums = self.processes.total(sums)
        steps = config.epochs * (self.turns_per_update // config.minibatch) * self.processes.count
        names = ("policy_loss", "value_loss", "critic_loss", "entropy", "magnet_kl", "kl", "clipped")
        return {f"train/{name}": value / steps for name, value in zip(names, sums.tolist(), strict=True)} | {
            "train/explained_variance": explained,
            "train/advantage": deviation / config.reward_scale,
            "train/learning_rate": self.optimiser.param_groups[0]["lr"],
            "train/entropy_bonus": entropy_bonus,
            "train/expedition_cost": float(shards[0].variant.expedition_cost),
            **self._play_figures(shards),
        }

    def _play(self, play: Callable[[Shard], Rollout]) -> list[Rollout]:
        """The rollouts of this process; how many of its shards play at a time makes no difference to them."""
        shards = self.shards.values()
        if self.config.play_threads == 1:
            return list(map(play, shards))
        with ThreadPoolExecutor(self.config.play_threads) as pool:
            return list(pool.map(play, shards))

    def _explained_variance(self, rollouts: list[Rollout]) -> float:
        variance = self.processes.variance
        errors = variance(torch.cat([rollout.advantages for rollout in rollouts]))
        return 1 - errors / variance(torch.cat([rollout.returns for rollout in rollouts]))

    def _play_figures(self, shards: list[Shard]) -> dict[str, float]:
        figures = {
            "play/score": self.processes.mean([score for shard in shards for score in shard.scores]),
            "play/turns": self.processes.mean([length for shard in shards for length in shard.lengths]),
        }
        for shard in shards:
            shard.scores.clear()
            shard.lengths.clear()
        return {name: value for name, value in figures.items() if not math.isnan(value)}

    def policy(self, origin: dict[str, Any]) -> Policy:
        """The averaged network as a policy of the package."""
        net = self.average
        # With a reward for winning, the value is not one of points.
        scale = None if self.config.win_reward else 1 / self.config.reward_scale
        return Policy(self.match, "recall", net.kind, net.shape, net.policy_tensors(), origin, scale)


def train(config: Config, processes: Processes, *, resume: bool = False) -> Policy | None:
    """Runs the training; the policy, or None if Ctrl-C ended it early."""
    started = time.monotonic()
    if config.threads:
        torch.set_num_threads(config.threads)
    directory = RunDirectory(
        config.runs / config.name,
        settings(config),
        resume=resume,
        write=processes.first,
        defaults=settings(Config()),
    )
    learner = Learner(config, processes)
    if resume:
        load_checkpoint(directory, learner)
    elif config.begin_with:
        learner.begin_with(config.begin_with)
    log = Log(directory, learner) if processes.first else None

    saved = evaluated = time.monotonic()
    with InterruptFlag() as interrupted, steady_memory():
        while learner.turns < config.total_turns:
            now = time.monotonic()
            out_of_time = bool(config.max_minutes) and now - started > 60 * config.max_minutes
            stop, save, look = processes.agree(
                bool(interrupted) or out_of_time,
                now - saved > 60 * config.checkpoint_minutes,
                now - evaluated > 60 * config.evaluate_minutes,
            )
            if stop or save:
                save_checkpoint(directory, learner)
                saved = now
            if stop:
                break
            imitating = learner.imitated < config.imitation_turns
            figures = learner.imitate() if imitating else learner.improve()
            if log:
                log.write(figures)
                if look:
                    log.evaluate()
            if look:
                evaluated = time.monotonic()

    finished = learner.turns >= config.total_turns
    if finished:
        save_checkpoint(directory, learner)
    if log:
        log.evaluate()
        log.close()
        policy = learner.policy(
            {
                "config": settings(config),
                "turns": learner.turns,
                "evaluation": log.margins,
                **provenance(),
            }
        )
        policy.write(directory.policy_file)
        print(f"policy: {directory.policy_file}")
        if not finished:
            print(f"stopped at {learner.turns:,} turns; go on with the same command and --resume")
            return None if interrupted else policy
        return policy
    return None


if __name__ == "__main__":
    main()
