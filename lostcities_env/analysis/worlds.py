"""Worlds: the deals of the unseen cards that a player must reckon with, and what each turn leads to there."""

import numpy as np

from lostcities_env.agents.base import observation_key
from lostcities_env.agents.unseen import count_unseen, sample_unseen
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.generator import seed_words, shuffle
from lostcities_env.rules.observation import RECALL, read_observation, write_observation
from lostcities_env.rules.state import MAX_CARD_TYPES, MAX_CARDS, apply


@kernel
def deal_worlds(row: np.ndarray, seed: np.uint64, worlds: np.ndarray) -> None:
    """Makes of each record a game that looks to player 0, who is to move, as the observation says.

    The unseen cards are dealt at random to the deck and to what the opponent is not known to hold; every way
    is equally likely in each world. The cards on top of the deck are spread over the worlds: none lies there
    a second time before all have lain there once.

    Args:
        row: float32 (observation_size,), *recall*, contiguous.
        seed: of the deals, which depend on it and on `row` alone.
        worlds: `STATE` (worlds,), records of the match.
    """
    words = np.empty(4, dtype=np.uint64)
    seed_words(observation_key(row, seed), words)
    counts = np.zeros(MAX_CARD_TYPES, dtype=np.int64)
    tops = np.empty(MAX_CARDS, dtype=np.int64)
    others = np.empty(MAX_CARDS, dtype=np.int64)
    for w in range(worlds.shape[0]):
        state = worlds[w]
        read_observation(row, state)
        if w == 0:
            n_unseen = count_unseen(state, counts)
            n_types = state.n_colours * int(state.n_ranks)
            sample_unseen(counts, n_types, words, tops, n_unseen)
        top = w % n_unseen
        n_others = 0
        for k in range(n_unseen):
            if k != top:
                others[n_others] = tops[k]
                n_others += 1
        shuffle(words, others, n_others)
        first = int(state.deck_next)
        state.deck[first] = tops[top]
        in_deck = int(state.n_cards) - first - 1
        for k in range(n_others):
            if k < in_deck:
                state.deck[first + 1 + k] = others[k]
            else:
                state.hands[1, others[k]] += 1


@kernel
def look_ahead(
    worlds: np.ndarray,
    actions: np.ndarray,
    scratch: np.ndarray,
    observations: np.ndarray,
    places: np.ndarray,
    margins: np.ndarray,
) -> int:
    """Takes each action in each world.

    Args:
        worlds: `STATE` (worlds,), player 0 to move.
        actions: int64 (k,), legal ones.
        scratch: `STATE` (1,).
        observations: float32 (k * worlds, observation_size); gets what the opponent, then to move, sees where
            the round goes on.
        places: int64 (k * worlds,); gets where each of those belongs: action * worlds + world.
        margins: float64 (k * worlds,); gets player 0's margin where the round is over.

    Returns:
        How many observations there are.
    """
    count = 0
    n_worlds = worlds.shape[0]
    for i in range(actions.shape[0]):
        for w in range(n_worlds):
            scratch[0] = worlds[w]
            state = scratch[0]
            apply(state, actions[i])
            if state.round_over:
                margins[i * n_worlds + w] = state.scores[0] - state.scores[1]
            else:
                write_observation(state, 1, RECALL, observations[count])
                places[count] = i * n_worlds + w
                count += 1
    return count
