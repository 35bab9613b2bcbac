"""Worlds: deals of the cards that a player cannot know, and games played out in them."""

import numpy as np

from lostcities_env import BatchGames
from lostcities_env.agents import Agent
from lostcities_env.rules.match import Match


def draw_worlds(state: np.ndarray, number: int, hand_is_known: bool, rng: np.random.Generator) -> np.ndarray:
    """`state` (1,) so many times over, the cards that its mover cannot know dealt anew.

    Args:
        state: a `STATE` array (1,).
        number: of worlds.
        hand_is_known: whether the other player keeps its hand, and only the deck is shuffled.
        rng: deals.
    """
    worlds = np.repeat(state, number)
    other = 1 - int(state["mover"][0])
    hand = state["hands"][0, other]
    known = hand if hand_is_known else state["known"][0, other]
    hidden = np.repeat(np.arange(len(hand)), hand - known)
    undealt = slice(int(state["deck_next"][0]), int(state["n_cards"][0]))
    unseen = np.tile(np.concatenate([hidden, state["deck"][0, undealt]]), (number, 1))
    rng.permuted(unseen, axis=1, out=unseen)
    worlds["hands"][:, other] = known
    for place in range(len(hidden)):
        worlds["hands"][np.arange(number), other, unseen[:, place]] += 1
    worlds["deck"][:, undealt] = unseen[:, len(hidden) :]
    return worlds


def play_out(
    agents: tuple[Agent, Agent], match: Match, states: np.ndarray, seats: np.ndarray, turns: np.ndarray
) -> np.ndarray:
    """The first agent's margin at the end of each game: float64 (games,).

    Args:
        agents: who play.
        match: of one round.
        states: a `STATE` array (games,).
        seats: (games,), of the first agent.
        turns: (games,), the actions that come first.
    """
    batch = BatchGames(len(states), match.variant, 0)
    snapshot = batch.get_state()
    snapshot["states"] = states
    batch.set_state(snapshot)
    margins = np.zeros(len(states))
    playing = np.ones(len(states), dtype=bool)
    while playing.any():
        batch.step(turns)
        ended = np.flatnonzero(playing & batch.terminated)
        scores = batch.final_scores[ended]
        margins[ended] = np.where(seats[ended] == 0, 1, -1) * (scores[:, 0] - scores[:, 1])
        playing[ended] = False
        turns = choose_turns(agents, batch, seats, playing)
    return margins


def choose_turns(
    agents: tuple[Agent, Agent], batch: BatchGames, seats: np.ndarray, playing: np.ndarray
) -> np.ndarray:
    """The agents' actions; anything legal in games that are over."""
    actions = batch.action_masks.argmax(axis=1)
    for k, agent in enumerate(agents):
        rows = np.flatnonzero(playing & ((batch.movers == seats) == (k == 0)))
        if rows.size:
            actions[rows] = agent.act(batch.observations[rows], batch.action_masks[rows])
    return actions
