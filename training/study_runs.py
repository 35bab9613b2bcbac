"""Carries out a study: trains its runs, a few at a time, judges them, and prints a table.

Each variant on each seed is a run of `training.ppo` of its own, in a process of one thread. A run that is
there is not trained again, one that was interrupted goes on, and one that fails does not keep the others from
being trained. Ctrl-C lets the runs save what they have.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path

import yaml

from lostcities_env.cli.arguments import positive
from training.study import Run, Study
from training.study_results import Result, judge, read_result

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130

_TAIL = 15
"""Lines of the log of a run that failed."""
_LOOK = 0.1
"""Seconds between looks at the processes."""


Tabulate = Callable[[Study, Sequence[str], Sequence[Result]], str]
"""What makes a table of a study, the names of its variants that are wanted, and what their runs are worth."""


def add_study_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what every command that carries out a study takes, but for the study itself."""
    parser.add_argument(
        "--jobs", type=positive, default=1, metavar="N", help="runs at a time (default: %(default)s)"
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="these variants alone")
    parser.add_argument("--table", action="store_true", help="train nothing, print what is there")


def study_command(known: argparse.Namespace, read: Callable[[], Study], tabulate: Tabulate) -> int:
    """Carries out the study that `read` gives and prints its table; returns the exit code.

    0: done. 1: a run failed. 2: the command line or the study is wrong, found before anything was trained.
    130: interrupted.
    """
    try:
        study = read()
        runs = study.list_runs(known.only)
        for run in runs:
            run.check_directory()
        if known.table:
            results, failures = [read_result(study, run) for run in runs], 0
        else:
            results, failures = carry_out(study, runs, known.jobs)
    except ValueError as error:  # of the study, a variant, an agent, a damaged file
        return _say(f"error: {error}", EXIT_USAGE)
    except KeyboardInterrupt:
        return _say("interrupted; the same command goes on", EXIT_INTERRUPTED)
    print(tabulate(study, list(dict.fromkeys(run.variant for run in runs)), results))
    return EXIT_FAILED if failures else 0


def end_runs_with_us() -> None:
    """What ends this process stops the runs too; one in the background inherits that Ctrl-C is ignored."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)


def carry_out(study: Study, runs: Sequence[Run], jobs: int) -> tuple[list[Result], int]:
    """Trains what is not trained and judges all; (results, how many runs failed)."""
    results: list[Result] = []
    failures = 0
    with closing(train(runs, jobs)) as ended:
        for count, (run, code) in enumerate(ended, start=1):
            try:
                if not run.is_trained():
                    raise ValueError(f"ended early (exit code {code})\n{_tail(_log_file(run))}")
                results.append(judge(study, run))
                said = _summary(study, results[-1])
            except ValueError as error:
                failures += 1
                said = f"failed: {error}"
            _say(f"[{count}/{len(runs)}] {run.name}: {said}")
    return results, failures


def train(runs: Sequence[Run], jobs: int) -> Generator[tuple[Run, int], None, None]:
    """Trains the runs in order, `jobs` at a time; gives each as it ends, with its exit code.

    Those that are trained already come at once. While the caller works on a run, no other takes its place,
    so that there are never more than `jobs` at work. Closing the iterator stops the runs, which save first.
    """
    trained = [run for run in runs if run.is_trained()]
    waiting = deque(run for run in runs if run not in trained)
    yield from ((run, 0) for run in trained)
    running: dict[subprocess.Popen[bytes], Run] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                run = waiting.popleft()
                running[_start(run)] = run
            for process in list(running):
                code = process.poll()
                if code is not None:
                    yield running.pop(process), code
            time.sleep(_LOOK)
    finally:
        for process in running:
            process.send_signal(signal.SIGINT)
        for process in running:
            process.wait()


def _start(run: Run) -> "subprocess.Popen[bytes]":
    """Trains a run, or goes on with it, in a process of its own; its output goes to its log."""
    run.directory.mkdir(parents=True, exist_ok=True)
    (run.directory / "evaluation.json").unlink(missing_ok=True)  # of a policy that is no more
    config = run.directory / "run.yaml"
    config.write_text(yaml.safe_dump(run.to_dict(), sort_keys=False))
    command = [sys.executable, "-m", "training.ppo", "--config", str(config)]
    command += ["--resume"] if run.checkpoint_file.exists() else []
    with _log_file(run).open("ab") as log:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            start_new_session=True,  # Ctrl-C reaches it through `train` alone, and once
        )


def _log_file(run: Run) -> Path:
    return run.directory / "log.txt"


def _tail(file: Path) -> str:
    lines = file.read_text(errors="replace").replace("\r", "\n").splitlines()
    return "\n".join(f"    {line}" for line in lines[-_TAIL:])


def _summary(study: Study, result: Result) -> str:
    return ", ".join(f"{result.margin(opponent):+.1f} against {opponent}" for opponent in study.opponents)


def _say(text: str, code: int = 0) -> int:
    print(text, file=sys.stderr, flush=True)
    return code
