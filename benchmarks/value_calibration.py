"""How good the values of an agent are: what it expects of a round against what the round brings.

    python -m benchmarks.value_calibration champion champion [--judge champion] [--games 2000]

Two agents play; before every turn the judge says what it expects of the round for the player to move. A row
holds the turns of a part of the deck in which the first or the second agent moves: the mean value, the mean
margin in the end, their difference, the slope of the margin on the value (1 if values are neither too bold
nor too timid), their correlation, and the root of the mean squared error beside the standard deviation of
the margin, which is the error of who expects the mean every time.
"""

import argparse
from dataclasses import dataclass

import numpy as np

from lostcities_env import BatchGames
from lostcities_env.agents import Agent, make
from lostcities_env.rules.match import Match

PARTS = 4
"""Parts of the deck that have a row each."""


@dataclass(frozen=True)
class Calibration:
    """What values say of the final margin, over the turns of one agent in one part of the deck.

    Attributes:
        agent: 0 or 1, whose turns.
        part: of the deck, from 0.
        value, margin: means.
        slope, correlation: of the margins on the values.
        error: root of the mean squared difference.
        deviation: standard deviation of the margins.
    """

    agent: int
    part: int
    value: float
    margin: float
    slope: float
    correlation: float
    error: float
    deviation: float


def calibrate(names: tuple[str, str], judge: Agent, games: int, seed: int) -> list[Calibration]:
    """Plays rounds, the first agent at either seat in turn, and compares."""
    match = judge.match
    agents = [make(name, match, seed=seed + k) for k, name in enumerate(names)]
    batch = BatchGames(games, match.variant, seed)
    seats = np.arange(games) % 2  # of the first agent
    playing = np.ones(games, dtype=bool)
    margins = np.zeros(games)  # of the first agent
    turns: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []
    while playing.any():
        rows = np.flatnonzero(playing)
        second = batch.movers[rows] != seats[rows]
        left = batch.states["n_cards"][rows] - batch.states["deck_next"][rows]
        parts = (match.variant.deck_size - left) * PARTS // match.variant.deck_size
        turns.append((rows, second, parts, judge.values(batch.observations[rows])))
        actions = batch.action_masks.argmax(axis=1)  # of finished games: anything legal
        for k, agent in enumerate(agents):
            own = rows[second == k]
            actions[own] = agent.act(batch.observations[own], batch.action_masks[own])
        batch.step(actions)
        ended = np.flatnonzero(playing & batch.terminated)
        points = batch.final_scores[ended]
        margins[ended] = np.where(seats[ended] == 0, 1, -1) * (points[:, 0] - points[:, 1])
        playing &= ~batch.terminated
    games_of_turns, second, parts, values = map(np.concatenate, zip(*turns, strict=True))
    results = np.where(second, -1, 1) * margins[games_of_turns]
    return [
        _compare(k, part, values[chosen], results[chosen])
        for part in range(PARTS)
        for k in range(2)
        if (chosen := (parts == part) & (second == k)).any()
    ]


def _compare(agent: int, part: int, values: np.ndarray, margins: np.ndarray) -> Calibration:
    correlation = float(np.corrcoef(values, margins)[0, 1])
    return Calibration(
        agent=agent,
        part=part,
        value=float(values.mean()),
        margin=float(margins.mean()),
        slope=correlation * float(margins.std() / values.std()),
        correlation=correlation,
        error=float(np.sqrt(np.mean((margins - values) ** 2))),
        deviation=float(margins.std()),
    )


def main(arguments: list[str] | None = None) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("agents", nargs=2, metavar="AGENT")
    parser.add_argument("--judge", help="whose values (default: the first agent's)")
    parser.add_argument("--variant", default="standard")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    if options.games < 2:
        parser.error(f"--games {options.games}: at least 2, one at each seat")
    try:
        match = Match(options.variant)
        judge = make(options.judge or options.agents[0], match)
        judge.values(np.empty((0, judge.observation_size), np.float32))
        rows = calibrate(tuple(options.agents), judge, options.games, options.seed)
    except ValueError as error:
        parser.error(str(error))
    print("| deck drawn | to move | value | margin | difference | slope | correlation | error | deviation |")
    print("|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        drawn = f"{row.part / PARTS:.0%}-{(row.part + 1) / PARTS:.0%}"
        print(
            f"| {drawn} | {options.agents[row.agent]} | {row.value:.1f} | {row.margin:.1f} | "
            f"{row.margin - row.value:+.1f} | {row.slope:.2f} | {row.correlation:.2f} | {row.error:.1f} | "
            f"{row.deviation:.1f} |"
        )


if __name__ == "__main__":
    main()
