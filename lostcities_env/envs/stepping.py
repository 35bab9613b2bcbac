"""The kernels that the faces share: one turn in one game, one turn in many, what players then see."""

import numpy as np

from lostcities_env.envs.rewards import take_turn
from lostcities_env.rules import rounds
from lostcities_env.rules import state as kernels
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.observation import write_observation
from lostcities_env.rules.state import State


@kernel
def checked_turn_at(
    states: np.ndarray, i: int, action: int, reward: int, max_turns: int
) -> tuple[int, int, float, bool, bool]:
    """Takes a turn in game i if the rules allow it, and says all that a face needs to know.

    Returns:
        `LEGAL` or why the action (a code in range) was refused and nothing changed; whose turn it is now,
        or -1 if a round of a match is over and the next one must be dealt; then as `take_turn`.
    """
    state = states[i]
    reason = kernels.legality(state, action)
    if reason != kernels.LEGAL:
        return reason, int(state.mover), 0.0, False, False
    paid, terminated, truncated = take_turn(state, action, reward, max_turns)
    mover = -1 if state.round_over and not terminated else int(state.mover)
    return kernels.LEGAL, mover, paid, terminated, truncated


@kernel
def write_view_at(
    states: np.ndarray,
    i: int,
    player: int,
    level: int,
    to_move: bool,
    observation: np.ndarray,
    mask: np.ndarray,
) -> None:
    """Writes what `player` sees in game i, and the legal actions, none of them unless `to_move`."""
    write_observation(states[i], player, level, observation)
    if to_move:
        kernels.write_mask(states[i], mask)
    else:
        mask[:] = 0


@kernel
def write_view(
    state: State,
    i: int,
    level: int,
    observations: np.ndarray,
    action_masks: np.ndarray,
    movers: np.ndarray,
) -> None:
    """Writes the mover, what it sees, and the legal actions, into place i of each array."""
    movers[i] = state.mover
    write_observation(state, state.mover, level, observations[i])
    kernels.write_mask(state, action_masks[i])


@kernel
def write_views(
    states: np.ndarray,
    level: int,
    observations: np.ndarray,
    action_masks: np.ndarray,
    movers: np.ndarray,
) -> None:
    """Writes each game's mover, what the mover sees, and the legal actions."""
    for i in range(states.shape[0]):
        write_view(states[i], i, level, observations, action_masks, movers)


@kernel
def first_illegal(states: np.ndarray, games: np.ndarray, actions: np.ndarray, n_actions: int) -> int:
    """The first k such that `actions[k]` is not legal in game `games[k]`; -1 if all are legal."""
    for k in range(games.shape[0]):
        in_range = 0 <= actions[k] < n_actions
        if not in_range or kernels.legality(states[games[k]], actions[k]) != kernels.LEGAL:
            return k
    return -1


@kernel
def deal_next(state: State, ended: bool, first_player: int) -> None:
    """Deals what comes after a turn: a new match if this one has `ended`, or else a round that is due."""
    if ended:
        rounds.begin_match(state, first_player)
    if ended or state.round_over:
        rounds.deal(state)


@kernel
def step_learners(
    states: np.ndarray,
    games: np.ndarray,
    actions: np.ndarray,
    reward: int,
    max_turns: int,
    seats: np.ndarray,
    next_seats: np.ndarray,
    rewards: np.ndarray,
    carried: np.ndarray,
    terminated: np.ndarray,
    truncated: np.ndarray,
    final_states: np.ndarray,
) -> None:
    """Takes a legal turn in each of the `games`, on behalf of the learner or of the opponent.

    What it pays the learner (at `seats[i]` in game i) is added to `rewards[i]`. A game that ends is kept
    in `final_states[i]` and dealt anew with the learner at `next_seats[i]`; what the new game pays
    before the learner's first turn is added to `carried[i]`.
    """
    for k in range(games.shape[0]):
        i = games[k]
        state = states[i]
        paid, over, cut = take_turn(state, actions[k], reward, max_turns)
        if seats[i] == 1:
            paid = -paid
        if terminated[i] or truncated[i]:
            carried[i] += paid
        else:
            rewards[i] += paid
            terminated[i] = over
            truncated[i] = cut
        ended = over or cut
        if ended:
            final_states[i] = state
            seats[i] = next_seats[i]
        deal_next(state, ended, 0)


@kernel
def gather_opponents(
    states: np.ndarray,
    seats: np.ndarray,
    level: int,
    games: np.ndarray,
    observations: np.ndarray,
    action_masks: np.ndarray,
) -> int:
    """Lists the games in which the opponent is to move, and what it sees, in the first rows of the arrays.

    Returns:
        how many games those are.
    """
    count = 0
    for i in range(states.shape[0]):
        state = states[i]
        if state.mover != seats[i]:
            games[count] = i
            write_observation(state, state.mover, level, observations[count])
            kernels.write_mask(state, action_masks[count])
            count += 1
    return count


@kernel
def write_observations_of(
    states: np.ndarray, games: np.ndarray, players: np.ndarray, level: int, observations: np.ndarray
) -> None:
    """Writes into row k what `players[i]` sees in game i = `games[k]`."""
    for k in range(games.shape[0]):
        i = games[k]
        write_observation(states[i], players[i], level, observations[k])
