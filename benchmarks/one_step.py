"""How much one step of search would gain a learned policy against an opponent, decision by decision.

    python -m benchmarks.one_step champion quick [--positions 500] [--worlds 256] [--candidates 5]
        [--gates 0 1 2] [--seed 1]

From each of many rounds between the two, one decision of the policy is drawn. The search tries the policy's
likeliest turns in the same *worlds*, deals of the cards that the policy cannot know, each equally likely,
and plays every one out with the two agents as they are. It takes the best of the turns whose mean beats that
of the policy's own by more than so many standard errors of their difference: the *gate*. What that is worth
is judged in other worlds, in which the opponent holds the hand that it does hold, and with other random
choices of the agents. So the search is judged on what it did not see.

Every decision of a round is as likely to be drawn, so what is found at one, times the decisions of its round,
is without bias what all decisions of a round would bring.

By the performance difference lemma (Kakade and Langford, *Approximately optimal approximate reinforcement
learning*, 2002), the sum over the decisions of a round is what a player gains that searches at all of them,
but for the positions, which here are those that the policy comes into and not the searcher.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from benchmarks.worlds import choose_turns, draw_worlds, play_out
from lostcities_env import BatchGames
from lostcities_env.agents import Agent, make
from lostcities_env.agents.policy_agent import PolicyAgent
from lostcities_env.evaluation.statistics import Estimate, from_influences
from lostcities_env.rules.match import Match

GAMES_AT_ONCE = 4096


@dataclass(frozen=True)
class Gain:
    """What the search gains with one gate.

    Attributes:
        gate: standard errors that a turn must be better by.
        other_turns: how often a round it takes another turn than the policy.
        points: a round.
    """

    gate: float
    other_turns: Estimate
    points: Estimate


@dataclass(frozen=True)
class Decision:
    """A decision of the policy, drawn from a round.

    Attributes:
        state: of the game, a `STATE` record as an array (1,).
        seat: of the policy, which is to move.
        turns: int64, the likeliest legal turns, likeliest first; the policy takes the first.
        decisions: that the policy had in the round.
    """

    state: np.ndarray
    seat: int
    turns: np.ndarray
    decisions: int


def measure(
    names: tuple[str, str],
    match: Match,
    *,
    positions: int,
    worlds: int,
    candidates: int,
    gates: Sequence[float],
    seed: int,
    progress: bool = False,
) -> list[Gain]:
    """The gain of the search with each of the gates.

    Args:
        names: of the learned policy and of its opponent.
        match: of one round.
        positions: rounds to draw a decision from.
        worlds: that turns are tried in, and as many that they are judged in.
        candidates: turns that are tried.
        gates: see `Gain`.
        seed: of deals, agents and worlds.
        progress: whether to show how far it is.

    Raises:
        ValueError: if there is no such agent, or the first is no learned policy.
    """
    agents, judges = make_agents(names, match, seed), make_agents(names, match, seed + len(names))
    rng = np.random.default_rng(seed)
    decisions = draw_decisions(agents, match, positions, candidates, rng)
    gained = np.zeros((positions, len(gates)))
    changed = np.zeros((positions, len(gates)), dtype=bool)
    at_once = max(1, GAMES_AT_ONCE // (worlds * candidates))
    with tqdm(total=positions, unit="decision", disable=not progress) as bar:
        for begin in range(0, positions, at_once):
            some = decisions[begin : begin + at_once]
            rows = slice(begin, begin + len(some))
            gained[rows], changed[rows] = _search_and_judge(agents, judges, match, some, worlds, gates, rng)
            bar.update(len(some))
    in_round = np.array([decision.decisions for decision in decisions])
    return [
        Gain(gate, _mean(changed[:, k] * in_round), _mean(gained[:, k] * in_round))
        for k, gate in enumerate(gates)
    ]


def make_agents(names: tuple[str, str], match: Match, seed: int) -> tuple[PolicyAgent, Agent]:
    """The learned policy and its opponent.

    Raises:
        ValueError: if there is no such agent, or the first is no learned policy.
    """
    policy, opponent = (make(name, match, seed=seed + k) for k, name in enumerate(names))
    if not isinstance(policy, PolicyAgent):
        raise ValueError(f"what is searched with is a learned policy, and {names[0]!r} is none")
    return policy, opponent


def draw_decisions(
    agents: tuple[PolicyAgent, Agent],
    match: Match,
    positions: int,
    candidates: int,
    rng: np.random.Generator,
) -> list[Decision]:
    """A decision of the first agent from each of so many rounds, all of a round's equally likely."""
    policy = agents[0]
    batch = BatchGames(positions, match.variant, rng.integers(2**63, size=positions).tolist())
    seats = np.arange(positions) % 2
    states, in_round = batch.states.copy(), np.zeros(positions, dtype=int)
    observations, masks = batch.observations.copy(), batch.action_masks.copy()
    playing = np.ones(positions, dtype=bool)
    while playing.any():
        own = playing & (batch.movers == seats)
        in_round += own
        kept = own & (rng.random(positions) * in_round < 1)  # the k-th with a chance of 1 / k
        states[kept], observations[kept] = batch.states[kept], batch.observations[kept]
        masks[kept] = batch.action_masks[kept]
        batch.step(choose_turns(agents, batch, seats, playing))
        playing &= ~batch.terminated
    ranks = PolicyAgent(match, policy.policy, sample=True).probabilities(observations, masks)
    ranks[masks == 0] = -1.0
    likeliest = np.argsort(-ranks, axis=1, kind="stable")
    turns = [likeliest[i, : min(candidates, int(masks[i].sum()))] for i in range(positions)]
    return [Decision(states[i : i + 1], int(seats[i]), turns[i], int(in_round[i])) for i in range(positions)]


def _search_and_judge(
    agents: tuple[Agent, Agent],
    judges: tuple[Agent, Agent],
    match: Match,
    decisions: list[Decision],
    worlds: int,
    gates: Sequence[float],
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Points gained and whether the turn is another, each (decisions, gates)."""
    tried = _try(agents, match, [(d, d.turns, draw_worlds(d.state, worlds, False, rng)) for d in decisions])
    choices = np.stack([_choose(margins, gates) for margins in tried])
    compared = [np.unique(np.append(choice, 0)) for choice in choices]
    judged = _try(
        judges,
        match,
        [
            (d, d.turns[places], draw_worlds(d.state, worlds, True, rng))
            for d, places in zip(decisions, compared, strict=True)
        ],
    )
    gained = np.zeros(choices.shape)
    for row, (choice, places, margins) in enumerate(zip(choices, compared, judged, strict=True)):
        means = margins.mean(axis=1)
        gained[row] = means[np.searchsorted(places, choice)] - means[0]
    return gained, choices > 0


def _try(
    agents: tuple[Agent, Agent], match: Match, trials: list[tuple[Decision, np.ndarray, np.ndarray]]
) -> list[np.ndarray]:
    """For each decision, its turns and its worlds: margins (turns, worlds)."""
    states = np.concatenate([np.tile(worlds, len(turns)) for _, turns, worlds in trials])
    actions = np.concatenate([np.repeat(turns, len(worlds)) for _, turns, worlds in trials])
    seats = np.concatenate([np.full(len(turns) * len(worlds), d.seat) for d, turns, worlds in trials])
    margins = play_out(agents, match, states, seats, actions)
    ends = np.cumsum([len(turns) * len(worlds) for _, turns, worlds in trials])
    parts = np.split(margins, ends[:-1])
    return [part.reshape(len(turns), -1) for part, (_, turns, _) in zip(parts, trials, strict=True)]


def _choose(margins: np.ndarray, gates: Sequence[float]) -> np.ndarray:
    """The places of the turns taken, one for each gate: 0 is the policy's own."""
    better = margins - margins[0]
    mean = better.mean(axis=1)
    error = better.std(axis=1, ddof=1) / np.sqrt(margins.shape[1])
    return np.array([np.where(mean > gate * error, mean, 0.0).argmax() for gate in gates])


def _mean(values: np.ndarray) -> Estimate:
    return from_influences(float(values.mean()), values - values.mean())


def main(arguments: list[str] | None = None) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("agents", nargs=2, metavar="AGENT", help="the policy, and its opponent")
    parser.add_argument("--variant", default="standard")
    parser.add_argument("--positions", type=int, default=500, metavar="N")
    parser.add_argument("--worlds", type=int, default=256, metavar="N")
    parser.add_argument("--candidates", type=int, default=5, metavar="N")
    parser.add_argument("--gates", nargs="+", type=float, default=[0.0, 1.0, 2.0], metavar="ERRORS")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    for name in ("positions", "worlds", "candidates"):
        if getattr(options, name) < 2:
            parser.error(f"--{name} {getattr(options, name)}: at least 2")
    if min(options.gates) < 0:
        parser.error(f"--gates {min(options.gates):g}: at least 0")
    names = tuple(options.agents)
    try:
        match = Match(options.variant)
        make_agents(names, match, options.seed)
    except ValueError as error:
        parser.error(str(error))
    gains = measure(
        names,
        match,
        positions=options.positions,
        worlds=options.worlds,
        candidates=options.candidates,
        gates=options.gates,
        seed=options.seed,
        progress=True,
    )
    print("| gate | other turns a round | points a round |")
    print("|---|---|---|")
    for gain in gains:
        points = f"{gain.points.value:+.2f} [{gain.points.low:+.2f}, {gain.points.high:+.2f}]"
        print(f"| {gain.gate:g} | {gain.other_turns.value:.1f} | {points} |")


if __name__ == "__main__":
    main()
