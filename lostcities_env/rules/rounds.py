"""The kernels that begin and end rounds and matches; with `state.py` the home of every rule.

Source: the printed rules (see `variant.py`). The starter of a later round is the higher scorer of the round
before; after a tie it is that round's starter again.
"""

import numpy as np

from lostcities_env.rules.cards import WAGER
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.generator import seed_words, shuffle
from lostcities_env.rules.state import EMPTY, TIE_BEST_EXPEDITION, TIE_EXTRA_ROUND, State, apply


@kernel
def finish_round(state: State) -> None:
    """Counts a round that is over; decides the match, or who starts the next round (`deal` follows)."""
    for player in range(2):
        state.round_scores[state.round, player] = state.scores[player]
        state.match_scores[player] += state.scores[player]
        for colour in range(state.n_colours):
            score = state.colour_scores[player, colour]
            if (state.round == 0 and colour == 0) or score > state.best_expedition[player]:
                state.best_expedition[player] = score
    lead = state.match_scores[0] - state.match_scores[1]
    more = state.round + 1 < state.rounds
    if state.round + 1 == state.rounds and lead == 0:
        if state.tie_rule == TIE_EXTRA_ROUND:
            more = True
        elif state.tie_rule == TIE_BEST_EXPEDITION:
            lead = state.best_expedition[0] - state.best_expedition[1]
    if more:
        if state.scores[0] != state.scores[1]:
            state.starter = 0 if state.scores[0] > state.scores[1] else 1
        state.round += 1
    else:
        state.match_over = 1
        state.winner = -1 if lead == 0 else (0 if lead > 0 else 1)


@kernel
def lay_out(state: State) -> None:
    """Begins a round with `deck` as it lies: hands dealt in turn from seat 0, the table empty."""
    state.hands[:] = 0
    state.known[:] = 0
    state.expeditions[:] = 0
    state.pile_size[:] = 0
    state.top[:] = EMPTY
    state.length[:] = 0
    state.total[:] = 0
    state.colour_scores[:] = 0
    state.scores[:] = 0
    dealt = 2 * state.hand_size
    for k in range(dealt):
        state.hands[k & 1, state.deck[k]] += 1
    state.deck_next = dealt
    state.mover = state.starter
    state.turn = 0
    state.round_over = 0


@kernel
def deal(state: State) -> None:
    """Begins a round with a deck shuffled by the game's own generator."""
    position = 0
    for colour in range(state.n_colours):
        base = colour * state.n_ranks
        for _ in range(state.n_wagers):
            state.deck[position] = base + WAGER
            position += 1
        for rank in range(1, state.n_ranks):
            state.deck[position] = base + rank
            position += 1
    shuffle(state.generator, state.deck, position)
    lay_out(state)


@kernel
def begin_match(state: State, first_player: int) -> None:
    """Forgets the match before; `deal` or `lay_out` follows."""
    state.round = 0
    state.starter = first_player
    state.match_over = 0
    state.winner = -1
    state.match_scores[:] = 0
    state.round_scores[:] = 0
    state.best_expedition[:] = 0


@kernel
def seed_at(states: np.ndarray, i: int, seed: np.uint64) -> None:
    """Seeds the generator of game i."""
    seed_words(seed, states[i].generator)


@kernel
def new_match_at(states: np.ndarray, i: int, first_player: int, shuffled: bool) -> None:
    """Begins a match in game i: with a shuffled deck, or with `deck` as it lies."""
    begin_match(states[i], first_player)
    if shuffled:
        deal(states[i])
    else:
        lay_out(states[i])


@kernel
def skip_rounds_at(states: np.ndarray, i: int, round_scores: np.ndarray) -> None:
    """Makes of the first round of game i, just begun, a later one: the rounds before it ended as told.

    Args:
        states: the games.
        i: which of them.
        round_scores: (rounds skipped, 2), the players' points, as if made by all colours alike.
    """
    state = states[i]
    for k in range(round_scores.shape[0]):
        for player in range(2):
            score = round_scores[k, player]
            state.scores[player] = score
            for colour in range(state.n_colours):
                more = colour < score % state.n_colours
                state.colour_scores[player, colour] = score // state.n_colours + more
        finish_round(state)
    state.scores[:] = 0
    state.colour_scores[:] = 0
    state.mover = state.starter


@kernel
def next_round_at(states: np.ndarray, i: int, shuffled: bool) -> None:
    """Begins the next round of the match in game i."""
    if shuffled:
        deal(states[i])
    else:
        lay_out(states[i])


@kernel
def turn_at(states: np.ndarray, i: int, action: int) -> int:
    """Takes a legal action in game i and counts the round if it is over; returns the mover's gain."""
    gain = apply(states[i], action)
    if states[i].round_over:
        finish_round(states[i])
    return gain
