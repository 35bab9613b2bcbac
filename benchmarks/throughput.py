"""Turns per second of CPU time, side by side on one core, and the time to start.

Every environment plays uniformly random legal turns with an observation and a mask produced at each one,
in rounds that alternate between the environments, so that a noisy machine troubles all alike; the best
round of each counts. What other libraries offer is measured through Python, as a user would.

    python benchmarks/throughput.py [--seconds 1.0] [--rounds 3] [--json FILE]

The peers need the ``interop`` and ``render`` extras; one that is not installed is left out, with a line
that says so.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")

Turns = Iterator[int]
"""Plays on for ever; each item is how many turns have been taken since the item before."""

BATCH = 1024


def batch_games() -> Turns:
    """`BatchGames` with the full recall observation."""
    from lostcities_env import BatchGames

    games = BatchGames(BATCH, seed=1, observation="recall")
    while True:
        games.step(games.sample_actions())
        yield BATCH


def pettingzoo_turns(env: Any) -> Turns:
    """Any PettingZoo AEC environment whose observation holds its action mask."""
    rng = random.Random(1)
    seed = 0
    while True:
        env.reset(seed=seed)
        seed += 1
        while env.agents:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(rng.random() * len(legal))]))
            yield 1


def lost_cities_raw_env() -> Turns:
    """The bare PettingZoo environment."""
    from lostcities_env import lost_cities_v0

    return pettingzoo_turns(lost_cities_v0.raw_env(observation="recall"))


def lost_cities_env() -> Turns:
    """The PettingZoo environment in its usual wrappers."""
    from lostcities_env import lost_cities_v0

    return pettingzoo_turns(lost_cities_v0.env(observation="recall"))


def gymnasium_env() -> Turns:
    """The Gymnasium environment; a step is two turns, the learner's and the opponent's."""
    import gymnasium

    import lostcities_env  # noqa: F401  (registers the environment)

    env = gymnasium.make("LostCities-v0", opponent="random", observation="recall")
    rng = random.Random(1)
    while True:
        _, info = env.reset(seed=rng.randrange(2**32))
        over = False
        while not over:
            legal = info["action_mask"].nonzero()[0]
            _, _, terminated, truncated, info = env.step(int(legal[int(rng.random() * len(legal))]))
            over = terminated or truncated
            yield 2


def gymnasium_vector_env() -> Turns:
    """The native Gymnasium vector environment; a step is about two turns in every game."""
    import gymnasium
    import numpy as np

    import lostcities_env  # noqa: F401

    env = gymnasium.make_vec("LostCities-v0", num_envs=BATCH, opponent="random", observation="recall")
    env.reset(seed=1)
    masks: Any = env.unwrapped
    rng = np.random.default_rng(1)
    while True:
        scores = rng.random(masks.action_masks().shape, dtype=np.float32) * masks.action_masks()
        env.step(scores.argmax(axis=1))
        yield 2 * BATCH


def pettingzoo_connect_four_raw_env() -> Turns:
    """PettingZoo's connect_four, bare."""
    from pettingzoo.classic import connect_four_v3

    return pettingzoo_turns(connect_four_v3.raw_env())


def pettingzoo_connect_four_env() -> Turns:
    """PettingZoo's connect_four in its usual wrappers."""
    from pettingzoo.classic import connect_four_v3

    return pettingzoo_turns(connect_four_v3.env())


def pettingzoo_hanabi_env() -> Turns:
    """PettingZoo's hanabi in its usual wrappers."""
    from pettingzoo.classic import hanabi_v5

    return pettingzoo_turns(hanabi_v5.env())


def openspiel_turns(name: str) -> Turns:
    """An OpenSpiel game through Python, observation tensor and mask at each turn."""
    import pyspiel

    game = pyspiel.load_game(name)
    rng = random.Random(1)
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, weights)[0])
                continue
            state.observation_tensor()
            state.legal_actions_mask()
            legal = state.legal_actions()
            state.apply_action(legal[int(rng.random() * len(legal))])
            yield 1


def openspiel_hanabi() -> Turns:
    """OpenSpiel's hanabi."""
    return openspiel_turns("hanabi")


def openspiel_gin_rummy() -> Turns:
    """OpenSpiel's gin_rummy."""
    return openspiel_turns("gin_rummy")


def agent_turns(name: str) -> Turns:
    """An agent against itself in a batch: its choices and the games' turns."""
    from lostcities_env import BatchGames
    from lostcities_env.agents import make

    games = BatchGames(BATCH, seed=1)
    agent = make(name, seed=1)
    for _ in range(30):  # into the middle of the games
        games.step(agent.act(games.observations, games.action_masks))
    while True:
        games.step(agent.act(games.observations, games.action_masks))
        yield BATCH


SUBJECTS: dict[str, Callable[[], Turns]] = {
    "BatchGames (recall)": batch_games,
    "lost_cities raw_env": lost_cities_raw_env,
    "lost_cities env": lost_cities_env,
    "LostCities-v0": gymnasium_env,
    "LostCities-v0 vector": gymnasium_vector_env,
    "PettingZoo connect_four raw_env": pettingzoo_connect_four_raw_env,
    "PettingZoo connect_four env": pettingzoo_connect_four_env,
    "PettingZoo hanabi env": pettingzoo_hanabi_env,
    "OpenSpiel hanabi": openspiel_hanabi,
    "OpenSpiel gin_rummy": openspiel_gin_rummy,
    "agent threshold": lambda: agent_turns("threshold"),
    "agent projection": lambda: agent_turns("projection"),
}


def rate(turns: Turns, seconds: float) -> float:
    """Turns per second of CPU time, over at least so many seconds."""
    count = 0
    start = now = time.process_time()
    while now - start < seconds:
        count += next(turns)
        now = time.process_time()
    return count / (now - start)


def measure(subjects: dict[str, Callable[[], Turns]], seconds: float, rounds: int) -> dict[str, float]:
    """The best rate of every subject that can be made."""
    running: dict[str, Turns] = {}
    for name, make_turns in subjects.items():
        try:
            running[name] = make_turns()
            rate(running[name], seconds / 10)  # compiles, and fills the caches
        except ImportError as error:
            print(f"left out: {name}: {str(error).splitlines()[0]}", file=sys.stderr)
            running.pop(name, None)
    best = dict.fromkeys(running, 0.0)
    for _ in range(rounds):
        for name, turns in running.items():
            best[name] = max(best[name], rate(turns, seconds))
    return best


def bandwidth_limit() -> tuple[float, int]:
    """(turns/s that writing alone would allow, bytes written a turn), for `BatchGames` with recall.

    The time of filling the same arrays with zeros: no kernel that writes them can take less.
    """
    from lostcities_env import BatchGames

    games = BatchGames(BATCH, seed=1)
    arrays = (games.observations, games.action_masks, games.movers, games.rewards, games.terminated)
    best = float("inf")
    for _ in range(20):
        start = time.perf_counter()
        for _ in range(20):
            for array in arrays:
                array.fill(0)
        best = min(best, (time.perf_counter() - start) / 20)
    return BATCH / best, sum(array.nbytes for array in arrays) // BATCH


def start_times(repeats: int = 3) -> dict[str, float]:
    """Seconds to import the package, and to the first step in a new process with a warm cache."""
    programs = {
        "import lostcities_env": "import lostcities_env",
        "first raw_env step": (
            "from lostcities_env import lost_cities_v0 as v; e = v.raw_env(); e.reset(seed=1); "
            "e.step(int(e.last()[0]['action_mask'].argmax()))"
        ),
        "first BatchGames step": (
            "from lostcities_env import BatchGames; g = BatchGames(64, seed=1); g.step(g.sample_actions())"
        ),
        "python alone": "pass",
    }
    times = {}
    for name, program in programs.items():
        best = float("inf")
        for _ in range(repeats + 1):  # the first run may compile
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", program], check=True)
            best = min(best, time.perf_counter() - start)
        times[name] = best
    return times


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU time of one measurement")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each; the best counts")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    if options.seconds <= 0 or options.rounds < 1:
        parser.error("--seconds must be positive and --rounds at least 1")

    rates = measure(SUBJECTS, options.seconds, options.rounds)
    reference = rates.get("PettingZoo connect_four raw_env")
    print(f"{'':34s}{'turns/s':>12s}  x connect_four raw_env")
    for name, value in rates.items():
        ratio = f"{value / reference:10.2f}" if reference else ""
        print(f"{name:34s}{value:12,.0f}  {ratio}")
    limit, written = bandwidth_limit()
    share = rates["BatchGames (recall)"] / limit
    print(
        f"\nBatchGames writes {written} bytes a turn; filling its arrays alone would allow "
        f"{limit:,.0f} turns/s: it runs at {share:.0%} of that limit."
    )
    times = start_times()
    print()
    for name, seconds in times.items():
        print(f"{name:34s}{seconds:9.2f} s")
    if options.json:
        figures = {"turns_per_second": rates, "fill_limit": limit, "bytes": written, "start": times}
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
