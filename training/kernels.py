"""Compiled parts of training: legal actions packed, sampling, advantages."""

import numpy as np

from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.generator import next_word

NO_ACTION = -1
"""Fills the places of `pack_legal` beyond a row's legal actions."""

_TO_UNIT = 1.0 / 9007199254740992.0  # 2**-53


@kernel
def pack_legal(action_masks: np.ndarray, legal: np.ndarray) -> int:
    """Writes the legal actions of each row of int8 (batch, n_actions) into int16 (batch, places).

    The places left over hold `NO_ACTION`. Returns the largest number of legal actions of a row, which may be
    more than there are places (then the rows are cut, and the caller must give more).
    """
    most = 0
    for i in range(action_masks.shape[0]):
        count = 0
        for action in range(action_masks.shape[1]):
            if action_masks[i, action]:
                if count < legal.shape[1]:
                    legal[i, count] = action
                count += 1
        legal[i, min(count, legal.shape[1]) :] = NO_ACTION
        most = max(most, count)
    return most


@kernel
def sample_packed(
    logits: np.ndarray,
    legal: np.ndarray,
    words: np.ndarray,
    places: np.ndarray,
    log_probabilities: np.ndarray,
) -> None:
    """Draws an action of each row from the softmax over its legal actions.

    Args:
        logits: float32 (batch, places).
        legal: int16 (batch, places), see `pack_legal`.
        words: uint64 (4,), the generator; advanced.
        places: int64 (batch,), written: the place in `legal` of the action drawn.
        log_probabilities: float32 (batch,), written.
    """
    weights = np.empty(legal.shape[1])
    for i in range(logits.shape[0]):
        count = 0
        highest = -np.inf
        while count < legal.shape[1] and legal[i, count] != NO_ACTION:
            weights[count] = logits[i, count]
            highest = max(highest, weights[count])
            count += 1
        total = 0.0
        for k in range(count):
            weights[k] = np.exp(weights[k] - highest)
            total += weights[k]
        left = float(next_word(words) >> np.uint64(11)) * _TO_UNIT * total
        place = 0
        while place < count - 1 and left >= weights[place]:
            left -= weights[place]
            place += 1
        places[i] = place
        log_probabilities[i] = np.log(weights[place] / total)


@kernel
def advantages(
    rewards: np.ndarray,
    values: np.ndarray,
    movers: np.ndarray,
    ended: np.ndarray,
    last_values: np.ndarray,
    last_movers: np.ndarray,
    gae_lambda: float,
    out: np.ndarray,
) -> None:
    """Generalised advantage estimates (Schulman et al., 2016) of a two-player zero-sum game; discount 1.

    Values and rewards are the mover's, so what comes after a turn counts with the opposite sign if the other
    player moves next (which is not always so: the winner of a round begins the next one).

    Args:
        rewards, values: float32 (turns, games).
        movers: int8 (turns, games).
        ended: bool (turns, games), whether the game ended with this turn.
        last_values, last_movers: (games,), of the position after the last turn.
        gae_lambda: 0..1.
        out: float32 (turns, games), written.
    """
    turns, games = rewards.shape
    for i in range(games):
        advantage = 0.0
        next_value = last_values[i]
        next_mover = last_movers[i]
        for t in range(turns - 1, -1, -1):
            sign = 0.0 if ended[t, i] else (1.0 if next_mover == movers[t, i] else -1.0)
            error = rewards[t, i] + sign * next_value - values[t, i]
            advantage = error + gae_lambda * sign * advantage
            out[t, i] = advantage
            next_value = values[t, i]
            next_mover = movers[t, i]
