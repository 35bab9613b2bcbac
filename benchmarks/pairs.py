"""Pairs of games per second of wall-clock time, by the number of workers: what an evaluation costs.

Plays chunks of paired deals as `lostcities tournament` does, with each number of workers in turn, in rounds
that alternate, so that a noisy machine troubles all alike; the best round of each counts. Workers are started
and have played a chunk before the clock runs.

    python -m benchmarks.pairs [A] [B] [--workers 1 2] [--chunks 8] [--rounds 3]
"""

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from lostcities_env.cli.arguments import positive
from lostcities_env.evaluation.pairs import Pairing
from lostcities_env.evaluation.report import align
from lostcities_env.evaluation.workers import one_thread_each, usable_cores
from lostcities_env.rules.match import Match

PAIRS_A_CHUNK = 100


def play(a: str, b: str, chunk: int) -> int:
    """Plays a chunk; returns its pairs."""
    Pairing(a, b, Match(), 1, PAIRS_A_CHUNK).play(chunk * PAIRS_A_CHUNK, PAIRS_A_CHUNK)
    return PAIRS_A_CHUNK


def seconds(pool: ProcessPoolExecutor, a: str, b: str, chunks: int) -> float:
    """The wall-clock time of so many chunks."""
    start = time.perf_counter()
    list(pool.map(partial(play, a, b), range(chunks)))
    return time.perf_counter() - start


def main() -> None:
    """Measures and prints a row a number of workers."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("a", nargs="?", default="champion", metavar="A")
    parser.add_argument("b", nargs="?", default="projection", metavar="B")
    parser.add_argument("--workers", nargs="+", type=positive, default=[1, 2], metavar="W")
    parser.add_argument("--chunks", type=positive, default=8, help="a worker; of 100 pairs (default: 8)")
    parser.add_argument("--rounds", type=positive, default=3)
    arguments = parser.parse_args()
    best: dict[int, float] = {}
    with one_thread_each():
        pools = {workers: ProcessPoolExecutor(workers, get_context("spawn")) for workers in arguments.workers}
        for workers, pool in pools.items():
            seconds(pool, arguments.a, arguments.b, 2 * workers)
    for _ in range(arguments.rounds):
        for workers, pool in pools.items():
            chunks = arguments.chunks * workers
            rate = chunks * PAIRS_A_CHUNK / seconds(pool, arguments.a, arguments.b, chunks)
            best[workers] = max(best.get(workers, 0.0), rate)
    for pool in pools.values():
        pool.shutdown()
    print(f"{arguments.a} against {arguments.b}, standard game, {usable_cores()} cores")
    first = best[arguments.workers[0]]
    rows = [["workers", "pairs/s", f"x {arguments.workers[0]}"]]
    rows += [[str(workers), f"{rate:.0f}", f"{rate / first:.2f}"] for workers, rate in best.items()]
    print(align(rows))


if __name__ == "__main__":
    main()
