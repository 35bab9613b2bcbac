"""Turns learned from per second of CPU time, side by side on one core, and where the time of PPO goes.

Every trainer collects rollouts and learns from them, as in a run, in rounds that alternate between the
trainers, so that a noisy machine troubles all alike; the best round of each counts. A turn counts if the
policy learns from it: those of an opponent, whether a past self or a scripted agent, do not. How long the
matrix products of PPO would take alone, at the least, says what is left to gain at the most.

    python -m benchmarks.training [--seconds 10] [--rounds 3] [--json FILE]

Needs the ``train`` extra.
"""

from benchmarks.throughput import Turns, measure  # first, for it limits the threads of what is imported below

# isort: split

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial, wraps
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from stable_baselines3.common.logger import Logger
from torch.utils.flop_counter import FlopCounterMode

from lostcities_env.agents.features import Features
from lostcities_env.envs.batch import BatchGames
from lostcities_env.rules.variant import get_variant
from training import ppo, rollout, sb3_maskable_ppo, selfplay
from training.config import read_config
from training.ppo_config import Config
from training.processes import Processes
from training.steady import steady_memory

CONFIGS = Path(__file__).parents[1] / "configs"

PARTS: tuple[tuple[str, Any, str], ...] = (
    ("games: taking turns", BatchGames, "step"),
    ("games: features and legal actions", Features, "__call__"),
    ("games: features and legal actions", selfplay, "pack_legal"),
    ("games: network forward", selfplay.Shard, "_answer"),
    ("games: network forward", selfplay.Shard, "_choose"),
    ("games: sampling of actions", selfplay, "sample"),
    ("games: sampling of actions", selfplay, "draw_units"),
    ("games: keeping the rollout", selfplay.Shard, "collect"),
    ("advantages", rollout, "advantages"),
    ("advantages", ppo, "normalise"),
    ("update: minibatches", ppo.Learner, "minibatches"),
    ("update: samples and network forward", rollout.Rollout, "select"),
    ("update: samples and network forward", ppo.Learner, "log_policy"),
    ("update: samples and network forward", ppo.Learner, "critic_loss"),
    ("update: losses and what is left", ppo.Learner, "improve"),
    ("update: network backward", torch.Tensor, "backward"),
    ("update: optimiser and average", ppo.Learner, "step"),
)
"""What a function's time counts for, less that of the functions of this table that it calls."""


def subjects(ppo_config: Config, sb3_config: sb3_maskable_ppo.Config) -> dict[str, Callable[[], Turns]]:
    """The trainers by name: PPO with either's network; MaskablePPO too, and with a plain one."""
    rivals = (
        sb3_config,
        replace(sb3_config, network="colour", width=ppo_config.width),
        replace(sb3_config, network="mlp"),
    )
    return {
        **{
            f"training/ppo.py, colour {width}": partial(ppo_turns, replace(ppo_config, width=width))
            for width in (ppo_config.width, sb3_config.width)
        },
        **{
            f"MaskablePPO, {config.network} {config.width}": partial(maskable_ppo_turns, config)
            for config in rivals
        },
    }


def ppo_turns(config: Config) -> Turns:
    """`training/ppo.py` on one process; half the turns of games against others are the other's."""
    others = config.past_share + config.opponent_share
    with Processes(config.device) as processes:
        learner = ppo.Learner(config, processes)
        while True:
            learner.improve()
            yield round(learner.turns_per_update * (1 - others / 2))


def maskable_ppo_turns(config: sb3_maskable_ppo.Config) -> Turns:
    """`training/sb3_maskable_ppo.py`."""
    learner = sb3_maskable_ppo.Learner(config, Logger(None, []))
    while True:
        learner.improve()
        yield learner.turns_per_update


class Stopwatch:
    """CPU time by part, each second counted for one part only: the innermost that is running."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._running: list[str] = []
        self._last = 0.0

    def watched(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """`function`, its time counted for `part`."""
        self.seconds.setdefault(part, 0.0)

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            self._count()
            self._running.append(part)
            try:
                return function(*args, **kwargs)
            finally:
                self._count()
                self._running.pop()

        return call

    def _count(self) -> None:
        now = time.process_time()
        if self._running:
            self.seconds[self._running[-1]] += now - self._last
        self._last = now


@contextmanager
def watching() -> Iterator[Stopwatch]:
    """A stopwatch on `PARTS`."""
    stopwatch = Stopwatch()
    with ExitStack() as stack:
        for part, owner, name in PARTS:
            function = stopwatch.watched(part, getattr(owner, name))
            stack.enter_context(patch.object(owner, name, function))
        yield stopwatch


def profile(config: Config, seconds: float) -> tuple[dict[str, float], float]:
    """(CPU time by part, as shares that add up to 1; microseconds a turn in all), of whole updates of PPO."""
    turns = 0
    with Processes(config.device) as processes:
        learner = ppo.Learner(config, processes)
        learner.improve()  # compiles, and fills the caches
        with watching() as stopwatch:
            start = time.process_time()
            while not turns or time.process_time() - start < seconds:
                learner.improve()
                turns += learner.turns_per_update
    total = sum(stopwatch.seconds.values())
    return {part: value / total for part, value in stopwatch.seconds.items()}, 1e6 * total / turns


def product_work(config: Config) -> float:
    """Floating-point operations of the matrix products of an update of PPO, a turn."""
    with Processes(config.device) as processes:
        learner = ppo.Learner(config, processes)
        # By itself it leaves out products that are added in place.
        with FlopCounterMode(
            display=False, custom_mapping={torch.ops.aten.addmm_: _added_product}
        ) as counter:
            learner.improve()
        return counter.get_total_flops() / learner.turns_per_update


def _added_product(_: torch.Size, left: torch.Size, right: torch.Size, **rest: Any) -> int:
    return 2 * left[0] * left[1] * right[1]


def product_speed(config: Config, seconds: float) -> float:
    """The most such operations a second that a product reaches, one as large as the network's largest."""
    dtype = torch.bfloat16 if config.bfloat16 else torch.float32
    colours = get_variant(config.variant).n_colours
    rows, width = colours * config.minibatch // config.shards, config.width
    left, right = torch.randn(rows, width, dtype=dtype), torch.randn(width, width, dtype=dtype)
    best, end = math.inf, time.process_time() + seconds
    while time.process_time() < end or best == math.inf:
        start = time.process_time()
        for _ in range(10):
            left @ right
        best = min(best, (time.process_time() - start) / 10)
    return 2 * rows * width**2 / best


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0, help="CPU time of one measurement, at least")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each; the best counts")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    if options.seconds <= 0 or options.rounds < 1:
        parser.error("--seconds must be positive and --rounds at least 1")

    torch.set_num_threads(1)
    ppo_config = replace(read_config(Config, CONFIGS / "ppo" / "quick.yaml"), imitate="", imitation_turns=0)
    sb3_config = read_config(sb3_maskable_ppo.Config, CONFIGS / "sb3" / "quick.yaml")
    with steady_memory():  # as both trainers do it
        rates = measure(subjects(ppo_config, sb3_config), options.seconds, options.rounds)
        shares, microseconds = profile(ppo_config, options.seconds)
    work, speed = product_work(ppo_config), product_speed(ppo_config, options.seconds / 10)

    reference = f"MaskablePPO, {sb3_config.network} {sb3_config.width}"
    print(f"{'':36s}{'turns/s':>10s}  x {reference}")
    for name, value in rates.items():
        print(f"{name:36s}{value:10,.0f}{value / rates[reference]:10.2f}")
    print(f"\n{'training/ppo.py':36s}{'time':>10s}{'us/turn':>10s}")
    for part, share in shares.items():
        print(f"{part:36s}{share:10.1%}{share * microseconds:10.2f}")
    print(f"{'all':36s}{1:10.1%}{microseconds:10.2f}")
    print(
        f"\nIts matrix products, {work / 1e6:.2f} million operations a turn, would take "
        f"{1e6 * work / speed:.2f} us\n"
        f"if all reached the {speed / 1e9:.0f} thousand million a second of the largest of them alone."
    )
    if options.json:
        figures = {
            "turns_per_second": rates,
            "ppo": {"shares": shares, "microseconds_per_turn": microseconds},
            "products": {"operations_per_turn": work, "operations_per_second": speed},
            "seconds": options.seconds,
            "rounds": options.rounds,
        }
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
