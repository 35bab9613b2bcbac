"""Worlds: the hands that a player's opponent may hold, and what each turn leads to then."""

import numpy as np

from lostcities_env.agents.base import observation_key
from lostcities_env.agents.unseen import count_unseen, sample_unseen
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.generator import seed_words
from lostcities_env.rules.observation import RECALL, read_observation, write_observation
from lostcities_env.rules.state import MAX_CARD_TYPES, MAX_CARDS, apply, write_mask


@kernel
def deal_worlds(row: np.ndarray, seed: np.uint64, worlds: np.ndarray) -> None:
    """Makes of each record a game that looks to player 0, who is to move, as the observation says.

    The opponent holds the cards that they are known to hold; the rest of their hand is cut off a pack of the
    unseen cards, hand after hand, so that the worlds share those cards out evenly. What is left of the pack
    is shuffled again when it has no whole hand. Each world by itself is a uniformly random deal.

    Args:
        row: float32 (observation_size,), *recall*, contiguous.
        seed: of the deals, which depend on it and on `row` alone.
        worlds: `STATE` (worlds,), records of the match.
    """
    words = np.empty(4, dtype=np.uint64)
    seed_words(observation_key(row, seed), words)
    counts = np.zeros(MAX_CARD_TYPES, dtype=np.int64)
    pack = np.empty(MAX_CARDS, dtype=np.int64)
    cut = 0
    for w in range(worlds.shape[0]):
        state = worlds[w]
        read_observation(row, state)
        n_unseen = count_unseen(state, counts)
        in_deck = int(state.n_cards - state.deck_next)
        in_hand = n_unseen - in_deck
        if w == 0 or cut + in_hand > n_unseen:
            sample_unseen(counts, state.n_colours * int(state.n_ranks), words, pack, n_unseen)
            cut = 0
        for k in range(cut, cut + in_hand):
            state.hands[1, pack[k]] += 1
        for k in range(in_deck):
            state.deck[state.deck_next + k] = pack[(cut + in_hand + k) % n_unseen]
        cut += in_hand


@kernel
def take_turns(
    worlds: np.ndarray,
    actions: np.ndarray,
    games: np.ndarray,
    observations: np.ndarray,
    masks: np.ndarray,
    margins: np.ndarray,
) -> int:
    """Takes each action in each world.

    Args:
        worlds: `STATE` (worlds,), player 0 to move.
        actions: int64 (k,), legal ones.
        games: `STATE` (k * worlds,); gets the games that go on, the others are left out.
        observations: float32 (k * worlds, observation_size); gets what the opponent sees in each of them.
        masks: int8 (k * worlds, n_actions); gets what the opponent may do.
        margins: float64 (k * worlds,); gets player 0's margin of each action in each world where the round is
            over, and NaN elsewhere.

    Returns:
        How many games go on.
    """
    count = 0
    for i in range(actions.shape[0]):
        for w in range(worlds.shape[0]):
            games[count] = worlds[w]
            state = games[count]
            apply(state, actions[i])
            place = i * worlds.shape[0] + w
            margins[place] = np.nan
            if state.round_over:
                margins[place] = state.scores[0] - state.scores[1]
            else:
                write_observation(state, 1, RECALL, observations[count])
                write_mask(state, masks[count])
                count += 1
    return count


@kernel
def take_replies(
    games: np.ndarray, replies: np.ndarray, observations: np.ndarray, margins: np.ndarray
) -> int:
    """Takes the opponent's turn in each game.

    Args:
        games: `STATE` (n,), player 1 to move.
        replies: int64 (n,).
        observations: float32 (n, observation_size); gets what player 0 sees where the round goes on.
        margins: float64 (n,); gets player 0's margin where the round is over, and NaN elsewhere.

    Returns:
        In how many games the round goes on.
    """
    count = 0
    for k in range(games.shape[0]):
        state = games[k]
        apply(state, replies[k])
        margins[k] = np.nan
        if state.round_over:
            margins[k] = state.scores[0] - state.scores[1]
        else:
            write_observation(state, 0, RECALL, observations[count])
            count += 1
    return count
