"""Two baselines that a person would beat at once: `discard` and `greedy`.

*discard* never opens an expedition, so it scores 0: it discards and draws from the deck.

*greedy* plays the lowest card that it can (a wager is the lowest of all; the first colour among equals)
and draws from the deck. It opens every colour that it holds. If it can play nothing, it discards.

Both discard the card that helps the opponent least: first a card that the opponent can no longer play,
then one of a colour that the opponent has not opened, then one that goes on an expedition of the
opponent's; among these the lowest, and among equals that of the first colour.

A lower bound each: *discard* for playing no cards, *greedy* for playing them without a plan.
"""

import numpy as np

from lostcities_env.agents.base import KernelAgent
from lostcities_env.rules.actions import DECK, DISCARD, PLAY, encode_action
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.observation import read_observation
from lostcities_env.rules.state import State, extends

_NO_CARD = -1


@kernel
def _lowest_playable(state: State) -> int:
    for rank in range(state.n_ranks):
        for colour in range(state.n_colours):
            card = colour * int(state.n_ranks) + rank
            if state.hands[0, card] > 0 and extends(state, 0, colour, rank):
                return card
    return _NO_CARD


@kernel
def _use_to_opponent(state: State, colour: int, rank: int) -> int:
    if not extends(state, 1, colour, rank):
        return 0
    return 1 if state.length[1, colour] == 0 else 2


@kernel
def _least_useful(state: State) -> int:
    least, least_use = _NO_CARD, 3
    for rank in range(state.n_ranks):
        for colour in range(state.n_colours):
            card = colour * int(state.n_ranks) + rank
            if state.hands[0, card] > 0:
                use = _use_to_opponent(state, colour, rank)
                if use < least_use:
                    least, least_use = card, use
    return least


@kernel
def _discard_all(
    observations: np.ndarray, masks: np.ndarray, seed: np.uint64, blank: np.ndarray, actions: np.ndarray
) -> None:
    state = blank.copy()[0]
    for i in range(observations.shape[0]):
        read_observation(observations[i], state)
        actions[i] = encode_action(_least_useful(state), DISCARD, DECK, state.n_colours)


@kernel
def _greedy_all(
    observations: np.ndarray, masks: np.ndarray, seed: np.uint64, blank: np.ndarray, actions: np.ndarray
) -> None:
    state = blank.copy()[0]
    for i in range(observations.shape[0]):
        read_observation(observations[i], state)
        card, way = _lowest_playable(state), PLAY
        if card == _NO_CARD:
            card, way = _least_useful(state), DISCARD
        actions[i] = encode_action(card, way, DECK, state.n_colours)


class DiscardAgent(KernelAgent):
    """Never opens an expedition and discards what helps the opponent least."""

    choose_all = staticmethod(_discard_all)


class GreedyAgent(KernelAgent):
    """Plays the lowest card that it can, opening every colour that it holds."""

    choose_all = staticmethod(_greedy_all)
