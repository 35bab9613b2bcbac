"""What the colour-sharing network sees: an observation, re-arranged by colour, with what follows from it.

Every colour gets the same features in the same places, so that one small network can serve all colours and
swapping two colours of a position swaps their rows and changes nothing else. Beside the blocks of the
observation there are the consequences that a network would otherwise have to learn first: which cards are
unseen, which ranks each expedition has passed, which cards of the hand can be played.
"""

import numpy as np

from lostcities_env.rules.cards import WAGER
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import read_observation
from lostcities_env.rules.state import State, extends, face_value, points
from lostcities_env.rules.variant import Variant

PLANES = (
    "hand",
    "playable",
    "expedition",
    "passed",
    "opponent_expedition",
    "opponent_passed",
    "pile_depth",
    "pile",
    "known",
    "opponent_known",
    "unseen",
    "wanted",
)
"""The features of a colour that have one value a rank, in order.

``playable``: cards of the hand that the own expedition takes; ``wanted``: those that the opponent's takes.
"""

SCALARS = (
    "score",
    "opponent_score",
    "length",
    "opponent_length",
    "hand_length",
    "pile_length",
    "unseen",
    "multiplier",
    "opponent_multiplier",
    "playable_length",
    "playable_gain",
    "unseen_playable",
    "unseen_total",
    "opponent_unseen_playable",
    "opponent_unseen_total",
    "top_playable",
    "opponent_top_playable",
)
"""The features of a colour that have one value, in order, after the planes.

A gain is what the points change if all those cards are played; a total is the sum of their numbers.
"""

ENDGAME = 12
"""So many last cards of the deck have a feature each: near the end every single turn counts."""

GLOBALS = (
    "deck",
    "turn",
    "score",
    "opponent_score",
    "rounds_left",
    "match_margin",
    "open",
    "opponent_open",
    "playable_open",
    "known_playable_open",
    *(f"deck_is_{left}" for left in range(1, ENDGAME + 1)),
)
"""The features of the whole position, in order.

``playable_open``: cards in the hand that can be played on expeditions already opened;
``known_playable_open``: the same of the opponent, as far as their hand is known.
"""

_POINTS = 20.0
_TOTAL = 50.0
_CARDS = 8.0
_WAGERS = 4.0
_TURNS = 50.0
_MATCH = 100.0


def n_colour_features(variant: Variant) -> int:
    """How many features a colour has."""
    return len(PLANES) * variant.n_ranks + len(SCALARS)


class Features:
    """Turns batches of recall observations into features; keeps its scratch records.

    Args:
        match: what is played.
    """

    def __init__(self, match: Match) -> None:
        self.match = match
        self.shape = (match.variant.n_colours, n_colour_features(match.variant))
        self.size = self.shape[0] * self.shape[1] + len(GLOBALS)
        self._scratch = match.new_states(1)

    def __call__(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(float32 (batch, n_colours, n_colour_features), float32 (batch, len(GLOBALS)))."""
        colours = np.empty((len(observations), *self.shape), dtype=np.float32)
        globals_ = np.empty((len(observations), len(GLOBALS)), dtype=np.float32)
        _features(observations, self._scratch, colours, globals_)
        return colours, globals_

    def flat(self, observations: np.ndarray) -> np.ndarray:
        """The same in one array: float32 (batch, size), the colours first."""
        colours, globals_ = self(observations)
        return np.concatenate([colours.reshape(len(observations), -1), globals_], axis=1)


@kernel
def _features(
    observations: np.ndarray, scratch: np.ndarray, colours: np.ndarray, globals_: np.ndarray
) -> None:
    state = scratch[0]
    for i in range(observations.shape[0]):
        read_observation(observations[i], state)
        for colour in range(state.n_colours):
            _write_colour(state, colour, colours[i, colour])
        _write_globals(state, globals_[i])


@kernel
def _write_colour(state: State, colour: int, out: np.ndarray) -> None:
    n_ranks = int(state.n_ranks)
    size = state.pile_size[colour]
    hand = 0
    total_unseen = 0
    out[:] = 0.0
    for depth in range(size):
        rank = state.piles[colour, size - 1 - depth]
        out[6 * n_ranks + rank] += 1.0 / (depth + 1)
        out[7 * n_ranks + rank] += 1.0
    for rank in range(n_ranks):
        card = colour * n_ranks + rank
        held = state.hands[0, card]
        passed = not extends(state, 0, colour, rank)
        unseen = (state.n_wagers if rank == WAGER else 1) - held - out[7 * n_ranks + rank]
        unseen -= state.expeditions[0, card] + state.expeditions[1, card] + state.known[1, card]
        hand += held
        total_unseen += unseen
        out[rank] = held
        out[n_ranks + rank] = 0.0 if passed else held
        out[2 * n_ranks + rank] = state.expeditions[0, card]
        out[3 * n_ranks + rank] = passed
        out[4 * n_ranks + rank] = state.expeditions[1, card]
        out[5 * n_ranks + rank] = not extends(state, 1, colour, rank)
        out[8 * n_ranks + rank] = state.known[0, card]
        out[9 * n_ranks + rank] = state.known[1, card]
        out[10 * n_ranks + rank] = unseen
        out[11 * n_ranks + rank] = held if extends(state, 1, colour, rank) else 0.0
    start = len(PLANES) * n_ranks
    out[start] = state.colour_scores[0, colour] / _POINTS
    out[start + 1] = state.colour_scores[1, colour] / _POINTS
    out[start + 2] = state.length[0, colour] / _CARDS
    out[start + 3] = state.length[1, colour] / _CARDS
    out[start + 4] = hand / _CARDS
    out[start + 5] = size / _CARDS
    out[start + 6] = total_unseen / _CARDS
    out[start + 7] = (1 + state.expeditions[0, colour * n_ranks + WAGER]) / _WAGERS
    out[start + 8] = (1 + state.expeditions[1, colour * n_ranks + WAGER]) / _WAGERS
    length, total = _playable(state, colour, 0, out[:n_ranks])
    wagers = out[n_ranks + WAGER]
    finish = points(
        state,
        state.total[0, colour] + total,
        state.expeditions[0, colour * n_ranks + WAGER] + wagers,
        state.length[0, colour] + length,
    )
    out[start + 9] = length / _CARDS
    out[start + 10] = (finish - state.colour_scores[0, colour]) / _POINTS
    for player in range(2):
        length, total = _playable(state, colour, player, out[10 * n_ranks : 11 * n_ranks])
        out[start + 11 + 2 * player] = length / _CARDS
        out[start + 12 + 2 * player] = total / _TOTAL
        if size > 0:
            out[start + 15 + player] = extends(state, player, colour, state.piles[colour, size - 1])


@kernel
def _playable(state: State, colour: int, player: int, counts: np.ndarray) -> tuple[float, float]:
    """How many of the cards the player's expedition still takes, and the sum of their numbers.

    Args:
        state: the record.
        colour: of the cards.
        player: whose expedition.
        counts: cards by rank (n_ranks,).
    """
    length, total = 0.0, 0.0
    for rank in range(counts.shape[0]):
        if counts[rank] > 0 and extends(state, player, colour, rank):
            length += counts[rank]
            total += counts[rank] * face_value(state, rank)
    return length, total


@kernel
def _write_globals(state: State, out: np.ndarray) -> None:
    n_ranks = int(state.n_ranks)
    left = state.n_cards - state.deck_next
    out[:] = 0.0
    out[0] = left / _TURNS
    out[1] = state.turn / _TURNS
    out[2] = state.scores[0] / _MATCH
    out[3] = state.scores[1] / _MATCH
    out[4] = max(state.rounds - 1 - state.round, 0)
    out[5] = (state.match_scores[0] - state.match_scores[1]) / _MATCH
    opened = 0
    opponent_opened = 0
    for colour in range(state.n_colours):
        opened += state.length[0, colour] > 0
        opponent_opened += state.length[1, colour] > 0
    out[6] = opened / _CARDS
    out[7] = opponent_opened / _CARDS
    for player in range(2):
        playable = 0
        for colour in range(state.n_colours):
            if state.length[player, colour] > 0:
                for rank in range(n_ranks):
                    if extends(state, player, colour, rank):
                        playable += state.hands[player, colour * n_ranks + rank]
        out[8 + player] = playable / _CARDS
    if 1 <= left <= ENDGAME:
        out[9 + left] = 1.0
