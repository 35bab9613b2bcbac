"""Turns learned from per second of wall-clock time when a trainer has the whole machine, side by side.

`training/ppo.py` runs as many processes as there are cores. MaskablePPO is one process, with one thread and
with as many as there are cores; the better of the two counts. Runs alternate, so that a noisy machine
troubles all alike; the best of each counts. Which turns count: see `benchmarks.training`, which measures one
core.

    python -m benchmarks.training_cores [--cores 2] [--rounds 2] [--turns 400000]

Needs the ``train`` extra.
"""

# First, for it limits the threads of what is imported below.
from benchmarks.training import CONFIGS, maskable_ppo_turns, ppo_turns

# isort: split

import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass, replace

import torch

from lostcities_env.evaluation.report import markdown
from lostcities_env.evaluation.workers import usable_cores
from training import sb3_maskable_ppo
from training.config import read_config
from training.ppo_config import Config
from training.steady import steady_memory

WIDTHS = (128, 48)
"""Of the networks of `quick` in configs/ppo and in configs/sb3."""
SHARE = 0.2
"""MaskablePPO takes so much of the turns that PPO takes, to take about as long."""


@dataclass(frozen=True)
class Subject:
    """A trainer with a network.

    Attributes:
        trainer: ``"ppo"`` or ``"sb3"``.
        width: of the network.
        processes, threads: threads are those of each process.
    """

    trainer: str
    width: int
    processes: int
    threads: int

    def command(self, turns: int) -> list[str]:
        """What measures it, in processes of its own."""
        python = [sys.executable]
        if self.processes > 1:
            python += ["-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={self.processes}"]
        size = [str(self.width), str(self.threads), str(turns)]
        return [*python, "-m", "benchmarks.training_cores", "--one", self.trainer, *size]


def subjects(cores: int) -> list[Subject]:
    """Both trainers with either network."""
    threads = sorted({1, cores})
    return [
        *(Subject("ppo", width, cores, 1) for width in WIDTHS),
        *(Subject("sb3", width, 1, count) for width in WIDTHS for count in threads),
    ]


def measure_one(trainer: str, width: int, threads: int, turns: int) -> float:
    """Turns a second in this process, or in those of its group together; a first update is not counted."""
    torch.set_num_threads(threads)
    if trainer == "ppo":
        config = read_config(Config, CONFIGS / "ppo" / "quick.yaml")
        playing = ppo_turns(replace(config, imitate="", imitation_turns=0, width=width))
    else:
        rival = read_config(sb3_maskable_ppo.Config, CONFIGS / "sb3" / "quick.yaml")
        playing = maskable_ppo_turns(replace(rival, network="colour", width=width, threads=threads))
        turns = int(SHARE * turns)
    next(playing)
    with steady_memory():  # as both trainers do it
        start, taken = time.monotonic(), 0
        while taken < turns:  # a number of turns, not a time, for processes must stop together
            taken += next(playing)
        rate = taken / (time.monotonic() - start)
    playing.close()  # type: ignore[attr-defined]
    return rate


def measure(subject: Subject, turns: int) -> float:
    """The rate of a subject.

    Raises:
        RuntimeError: if its processes fail; says what they printed.
    """
    environment = os.environ | {"OMP_NUM_THREADS": str(subject.threads), "OMP_WAIT_POLICY": "passive"}
    done = subprocess.run(
        subject.command(turns), env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{subject} failed:\n{done.stderr}")
    return float(done.stdout.split()[-1])


def table(rates: dict[Subject, float]) -> str:
    """A row a trainer and network: its best rate, and how many times that of MaskablePPO."""
    best: dict[tuple[str, int], Subject] = {}
    for subject in sorted(rates, key=rates.__getitem__):
        best[subject.trainer, subject.width] = subject
    rows = [["trainer", "width", "processes", "threads of each", "turns/s", "x MaskablePPO"]]
    for subject in rates:
        if best[subject.trainer, subject.width] == subject:
            times = rates[subject] / rates[best["sb3", subject.width]]
            counts = [subject.width, subject.processes, subject.threads]
            rows.append([subject.trainer, *map(str, counts), f"{rates[subject]:,.0f}", f"{times:.1f}"])
    return markdown(rows)


def main(arguments: list[str] | None = None) -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cores", type=int, default=usable_cores(), help="default: all, %(default)s")
    parser.add_argument("--rounds", type=int, default=2, help="measurements of each; the best counts")
    parser.add_argument("--turns", type=int, default=400_000, help="of PPO in a measurement, at least")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    for name in ("cores", "rounds", "turns"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} {getattr(options, name)}: at least 1")
    if options.one:
        trainer, *numbers = options.one
        rate = measure_one(trainer, *map(int, numbers))
        if os.environ.get("RANK", "0") == "0":
            print(rate)
        return
    rates = dict.fromkeys(subjects(options.cores), 0.0)
    for _ in range(options.rounds):
        for subject in rates:
            rates[subject] = max(rates[subject], measure(subject, options.turns))
    print(table(rates))


if __name__ == "__main__":
    main()
