"""Positions and short matches for the tests of the agents."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from benchmarks.worlds import draw_worlds
from lostcities_env.agents import Agent
from lostcities_env.rules import rounds
from lostcities_env.rules import state as kernels
from lostcities_env.rules.actions import format_action
from lostcities_env.rules.cards import WAGER, parse_card
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import (
    RECALL,
    observation_size,
    read_observation_at,
    write_observation_at,
)
from lostcities_env.rules.variant import VARIANTS, Variant

BASELINES = ("random", "discard", "greedy", "threshold", "projection")
STANDARD = Match("standard")  # type: ignore[arg-type]


@st.composite
def variants(draw: st.DrawFn) -> Variant:
    """A named variant, or any other that can be played."""
    if draw(st.booleans()):
        return VARIANTS[draw(st.sampled_from(sorted(VARIANTS)))]
    n_colours, n_wagers = draw(st.integers(1, 6)), draw(st.integers(0, 3))
    lowest, n_numbers = draw(st.integers(1, 20)), draw(st.integers(3, 9))
    per_colour = n_wagers + n_numbers
    return Variant(
        name="custom",
        n_colours=n_colours,
        lowest=lowest,
        highest=lowest + n_numbers - 1,
        n_wagers=n_wagers,
        hand_size=draw(st.integers(1, min(12, (n_colours * per_colour - 1) // 2))),
        expedition_cost=draw(st.integers(0, 60)),
        bonus_length=draw(st.integers(0, per_colour)),
        bonus=draw(st.integers(0, 40)),
        piles_close_at=draw(st.none() | st.integers(0, 60)),
    )


def deal(match: Match, count: int, seed: int) -> np.ndarray:
    """`count` games (dtype `STATE`) just dealt, game i from the seed ``seed + i``."""
    states = match.new_states(count)
    for i in range(count):
        rounds.seed_at(states, i, np.uint64(seed + i))
        rounds.new_match_at(states, i, 0, True)
    return states


def views(match: Match, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the mover of each game is given: observations and action masks."""
    rows = np.zeros((len(states), observation_size(match, "recall")), np.float32)
    masks = np.zeros((len(states), match.variant.n_actions), np.int8)
    for i in range(len(states)):
        write_observation_at(states, i, states[i]["mover"], RECALL, rows[i])
        kernels.write_mask_at(states, i, masks[i])
    return rows, masks


def step(states: np.ndarray, actions: Sequence[int] | np.ndarray) -> None:
    """Takes a turn in each game; deals the next round of a match where one is over."""
    for i, action in enumerate(actions):
        assert kernels.legality_at(states, i, int(action)) == kernels.LEGAL
        rounds.turn_at(states, i, int(action))
        if states[i]["round_over"] and not states[i]["match_over"]:
            rounds.next_round_at(states, i, True)


def midgame(match: Match, count: int, seed: int, agent: Agent, turns: int) -> np.ndarray:
    """Games still going on, game i after up to `turns` turns of `agent` (more, the higher i)."""
    states = deal(match, count, seed)
    for turn in range(turns):
        going = np.flatnonzero((states["match_over"] == 0) & (np.arange(count) * turns >= turn * count))
        moved = states[going]
        step(moved, agent.act(*views(match, moved)))
        states[going] = moved
    return states[states["match_over"] == 0]


def position(
    hand: str,
    *,
    own: str = "",
    opponent: str = "",
    piles: str = "",
    known: str = "",
    deck: int = 44,
    match: Match = STANDARD,
) -> tuple[np.ndarray, np.ndarray]:
    """A position in notation as its mover sees it: observations and masks of one row.

    `own` and `opponent` are the cards of the expeditions, `piles` those of the discard piles (top
    last), `known` what the opponent has drawn from piles.
    """
    variant = match.variant
    states = match.new_states(1)
    state = states[0]
    fields = (
        (hand, state["hands"][0]),
        (own, state["expeditions"][0]),
        (opponent, state["expeditions"][1]),
        (known, state["known"][1]),
    )
    for text, counts in fields:
        for card in text.split():
            counts[parse_card(variant, card)] += 1
    for card in piles.split():
        colour, rank = divmod(parse_card(variant, card), variant.n_ranks)
        state["piles"][colour, state["pile_size"][colour]] = rank
        state["pile_size"][colour] += 1
    state["deck_next"] = variant.n_cards - deck
    row = np.zeros(observation_size(match, "recall"), np.float32)
    write_observation_at(states, 0, 0, RECALL, row)
    read_observation_at(row, states, 0)
    mask = np.zeros(variant.n_actions, np.int8)
    kernels.write_mask_at(states, 0, mask)
    return row[None], mask[None]


def choice(agent: Agent, hand: str, **table: str | int) -> str:
    """The agent's turn in a `position`, in notation."""
    [action] = agent.act(*position(hand, match=agent.match, **table))  # type: ignore[arg-type]
    return format_action(agent.match.variant, int(action))


def shuffle_unseen(states: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The same games as their movers see them, with the cards that they can't see dealt anew."""
    games = (states[i : i + 1] for i in range(len(states)))
    return np.concatenate([draw_worlds(game, 1, False, rng) for game in games])


def play_pairs(first: Agent, second: Agent, pairs: int, seed: int) -> np.ndarray:
    """Finished games over deals that are each played from both seats.

    The first agent has seat 0 in even games and seat 1 in odd ones.
    """
    states = np.repeat(deal(first.match, pairs, seed), 2)
    seat = np.arange(2 * pairs) % 2
    while (going := np.flatnonzero(states["match_over"] == 0)).size:
        mine = states["mover"][going] == seat[going]
        for agent, games in ((first, going[mine]), (second, going[~mine])):
            moved = states[games]
            step(moved, agent.act(*views(agent.match, moved)))
            states[games] = moved
    return states


def mean_margin(first: Agent, second: Agent, pairs: int, seed: int) -> float:
    """The first agent's mean margin over `play_pairs`, points a match."""
    scores = play_pairs(first, second, pairs, seed)["match_scores"]
    margins = scores[:, 0] - scores[:, 1]
    return float((margins[0::2].mean() - margins[1::2].mean()) / 2)


def wagers_of(match: Match) -> list[int]:
    """The card codes of the wagers."""
    return [colour * match.variant.n_ranks + WAGER for colour in range(match.variant.n_colours)]
