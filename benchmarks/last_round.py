"""How a policy plays the last round of a match when it is behind, level or ahead.

    python -m benchmarks.last_round champion champion [--margins -60 -30 0 30 60] [--rounds 3] [--games 2000]
        [--bolder NATS]

Each row is the last round of a match, entered with a margin over the opponent: wagers and expeditions of the
first agent, points that the two make, the standard deviation of the round's margin, and how often the first
agent wins the match. A policy that only counts points plays all rows alike; one that wants to win takes more
risk behind and less ahead. The deals and seats are the same in all rows.

``--bolder`` makes the first agent, a learned policy, readier to play wagers than it is: what could risk win?
"""

import argparse
from dataclasses import dataclass

import numpy as np

from benchmarks.worlds import choose_turns
from lostcities_env import BatchGames
from lostcities_env.agents import Agent, make
from lostcities_env.agents.policy import Policy
from lostcities_env.agents.policy_agent import PolicyAgent
from lostcities_env.rules.actions import PLAY
from lostcities_env.rules.cards import WAGER
from lostcities_env.rules.match import Match


@dataclass(frozen=True)
class LastRound:
    """What happened in the last rounds entered with one margin.

    Attributes:
        margin: on entering, of the first agent.
        wagers, expeditions, points: of the first agent, means over the games.
        opponent_points: of the other.
        deviation: standard deviation of the margin of the round.
        won: share of the matches won by the first agent, a draw counting half.
        turns: turns a round.
    """

    margin: int
    wagers: float
    expeditions: float
    points: float
    opponent_points: float
    deviation: float
    won: float
    turns: float


class BolderAgent(PolicyAgent):
    """A learned policy that is readier to play wagers than it was trained to be.

    Args:
        match, policy: as for `PolicyAgent`.
        nats: added to the logits of turns that play a wager; below 0 it is less ready.
    """

    def __init__(self, match: Match, policy: Policy, nats: float) -> None:
        super().__init__(match, policy)
        cards, ways = np.divmod(np.arange(match.variant.n_actions) // (match.variant.n_colours + 1), 2)
        self._bonus = nats * ((ways == PLAY) & (cards % match.variant.n_ranks == WAGER))

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """See `Agent.act`."""
        logits = self.policy.logits(self._as_trained(observations)) + self._bonus
        return np.where(action_masks, logits, -np.inf).argmax(axis=1)


def play_last_round(
    names: tuple[str, str], match: Match, margin: int, games: int, seed: int, *, bolder: float = 0.0
) -> LastRound:
    """Plays the last round `games` times, the first agent at either seat in turn.

    With two rounds or more before it, either of them has won the one just before, and so starts, in half of
    the games; with one, it is the one that is ahead.

    Args:
        names: of the two agents.
        match: of two rounds or more.
        margin: of the first agent, in points, before the round.
        games: how many.
        seed: of the deals and the agents.
        bolder: see `BolderAgent`; 0 leaves the first agent as it is.

    Raises:
        ValueError: if there is no such agent, or `bolder` is given for one that is no learned policy.
    """
    agents = _agents(names, match, seed, bolder)
    batch = BatchGames(games, match.variant, seed, rounds=match.rounds, tie=match.tie)
    seats = np.arange(games) % 2  # of the first agent
    before = _scores_before(margin, match.rounds, seats)
    batch.skip_to_last_round(np.arange(games), before)

    playing = np.ones(games, dtype=bool)
    wagers, expeditions, turns = (np.zeros(games) for _ in range(3))
    points = np.zeros((games, 2))
    while playing.any():
        actions = choose_turns(agents, batch, seats, playing)
        mine = playing & (batch.movers == seats)
        card, way = np.divmod(actions // (match.variant.n_colours + 1), 2)
        colour, rank = np.divmod(card, match.variant.n_ranks)
        lengths = batch.states["length"][np.arange(games), seats, colour]
        wagers += mine & (way == PLAY) & (rank == WAGER)
        expeditions += mine & (way == PLAY) & (lengths == 0)
        turns += playing
        batch.step(actions)
        ended = playing & batch.terminated
        points[ended] = batch.final_scores[ended]
        playing &= ~ended
    points -= before.sum(axis=1)
    own, other = points[np.arange(games), seats], points[np.arange(games), 1 - seats]
    outcome = np.sign(own - other + margin)
    return LastRound(
        margin=margin,
        wagers=float(wagers.mean()),
        expeditions=float(expeditions.mean()),
        points=float(own.mean()),
        opponent_points=float(other.mean()),
        deviation=float((own - other).std()),
        won=float((outcome + 1).mean() / 2),
        turns=float(turns.mean()),
    )


def _agents(names: tuple[str, str], match: Match, seed: int, bolder: float) -> tuple[Agent, Agent]:
    first, second = (make(name, match, seed=seed + k) for k, name in enumerate(names))
    if bolder:
        if not isinstance(first, PolicyAgent):
            raise ValueError(f"--bolder is for learned policies, and {names[0]!r} is none")
        first = BolderAgent(match, first.policy, bolder)
    return first, second


def _scores_before(margin: int, rounds: int, seats: np.ndarray) -> np.ndarray:
    """Points in the rounds before the last: int64 (games, rounds - 1, 2)."""
    margins = np.zeros((len(seats), rounds - 1), dtype=np.int64)  # of the first agent
    margins[:, 0] = margin
    if rounds > 2:
        last = np.where(np.arange(len(seats)) // 2 % 2, 1, -1)
        margins[:, 0] -= last
        margins[:, -1] += last
    margins *= np.where(seats == 0, 1, -1)[:, None]
    return np.stack([margins, -margins], axis=2).clip(min=0)


def main(arguments: list[str] | None = None) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("agents", nargs=2, metavar="AGENT")
    parser.add_argument("--margins", nargs="+", type=int, default=[-80, -40, -20, 0, 20, 40, 80])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--variant", default="standard")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bolder", type=float, default=0.0, metavar="NATS")
    options = parser.parse_args(arguments)
    if options.games < 2:
        parser.error(f"--games {options.games}: at least 2, one at each seat")
    if options.rounds == 1:
        parser.error("--rounds 1: at least 2, for else there are no rounds before the last")
    try:
        match = Match(options.variant, options.rounds)
        _agents(tuple(options.agents), match, options.seed, options.bolder)
    except ValueError as error:
        parser.error(str(error))
    print("| margin before | wagers | expeditions | points | opponent | deviation | match won | turns |")
    print("|---|---|---|---|---|---|---|---|")
    for margin in options.margins:
        row = play_last_round(
            tuple(options.agents), match, margin, options.games, options.seed, bolder=options.bolder
        )
        print(
            f"| {row.margin:+d} | {row.wagers:.2f} | {row.expeditions:.2f} | {row.points:.1f} | "
            f"{row.opponent_points:.1f} | {row.deviation:.1f} | {row.won:.1%} | {row.turns:.1f} |"
        )


if __name__ == "__main__":
    main()
