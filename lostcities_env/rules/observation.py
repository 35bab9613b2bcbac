"""What a player sees: one table of blocks, the kernel that writes them and the one that reads them back.

The table (`observation_blocks`) names every block with its shape, range and meaning. Spaces, offsets, the
docs page and `describe` are derived from it; a test holds the kernels to it.

Three levels, each a prefix of the next: *visible* is exactly what lies on the table, *recall* adds what a
player with perfect memory also knows, and *full* adds what no player may see (for `state()` and
privileged critics). All values are float32 and exact: counts, one-hots, reciprocals of depths, and
whole numbers divided by a constant, so that `read_observation` recovers every one of them.
"""

from dataclasses import dataclass
from math import inf, prod

import numpy as np

from lostcities_env.rules.cards import WAGER
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.match import Match
from lostcities_env.rules.state import MAX_CARDS, State, derive_scores

LEVELS = ("visible", "recall", "full")
VISIBLE, RECALL, FULL = range(3)
OBSERVATION_MODES = LEVELS[:FULL]
"""What a player may be shown."""

SCALE = np.float32(100.0)
"""Points and turns are divided by this."""

_RECIPROCALS = np.array([0.0, *(1 / depth for depth in range(1, MAX_CARDS + 1))], dtype=np.float32)


@dataclass(frozen=True)
class Block:
    """One part of an observation.

    Attributes:
        name: what it is called; unique.
        level: the first level that holds it, one of `LEVELS`.
        start: index of its first value in the flat observation.
        shape: its shape; flattened row by row.
        low, high: the range of its values.
        meaning: what the values say.
    """

    name: str
    level: str
    start: int
    shape: tuple[int, ...]
    low: float
    high: float
    meaning: str

    @property
    def size(self) -> int:
        """How many values it has."""
        return prod(self.shape)

    @property
    def slice(self) -> slice:
        """Where it lies in the flat observation."""
        return slice(self.start, self.start + self.size)


def observation_blocks(match: Match, level: str = "full") -> tuple[Block, ...]:
    """The table of blocks, up to a level (default: all of them).

    Raises:
        ValueError: if the level is unknown.
    """
    check_level(level, LEVELS)
    variant = match.variant
    by_rank = (variant.n_colours, variant.n_ranks)
    by_card = (variant.n_colours, variant.cards_per_colour)
    copies = max(variant.n_wagers, 1)
    lowest, highest = (score / 100 for score in variant.round_score_range)
    spread = (match.rounds + 1) * (highest - lowest)
    longest = inf
    if variant.piles_close_at is not None:
        longest = (variant.piles_close_at + variant.deck_size) / 100
    rows = [
        ("hand", 0, by_rank, 0, copies, "own hand: cards of each colour and rank"),
        ("expeditions", 0, by_rank, 0, copies, "own expeditions: cards of each colour and rank"),
        ("opponent_expeditions", 0, by_rank, 0, copies, "the opponent's expeditions"),
        ("discard_tops", 0, by_rank, 0, 1, "1 at the rank of each pile's top card"),
        ("deck", 0, (1,), 0, 1, "cards left in the deck, as a share of the deck after the deal"),
        (
            "pile_depth",
            1,
            by_card,
            0,
            1,
            "1 / depth of each card in its discard pile (top 1, next 1/2, ...), 0 elsewhere; the "
            "wagers first, shallowest first, then the numbers from the lowest",
        ),
        (
            "opponent_known",
            1,
            by_rank,
            0,
            copies,
            "cards surely in the opponent's hand: drawn from a pile and not put down since",
        ),
        ("known", 1, by_rank, 0, copies, "cards that the opponent surely knows in the own hand"),
        ("turn", 1, (1,), 0, longest, "turns taken in the round, by both players / 100"),
        ("scores", 1, (2,), lowest, highest, "own and the opponent's score of the round / 100"),
        ("rounds_left", 1, (1,), 0, max(match.rounds - 1, 1), "rounds to come after this one"),
        (
            "match_margin",
            1,
            (1,),
            -spread,
            spread,
            "own minus the opponent's points of the finished rounds / 100",
        ),
        ("opponent_hand", 2, by_rank, 0, copies, "the opponent's hand"),
        ("deck_order", 2, by_card, 0, 1, "1 / depth of each card in the deck, as for pile_depth"),
        ("to_move", 2, (1,), 0, 1, "1 if the player is to move"),
    ]
    blocks: list[Block] = []
    start = 0
    for name, row_level, shape, low, high, meaning in rows:
        if row_level > LEVELS.index(level):
            break
        blocks.append(Block(name, LEVELS[row_level], start, shape, low, high, meaning))
        start += prod(shape)
    return tuple(blocks)


def observation_size(match: Match, level: str) -> int:
    """How many values an observation of that level has."""
    last = observation_blocks(match, level)[-1]
    return last.start + last.size


def observation_range(match: Match, level: str) -> tuple[np.ndarray, np.ndarray]:
    """The least and greatest value at each place: two float32 arrays (observation_size,)."""
    blocks = observation_blocks(match, level)
    low = [np.full(block.size, block.low, np.float32) for block in blocks]
    high = [np.full(block.size, block.high, np.float32) for block in blocks]
    return np.concatenate(low), np.concatenate(high)


def check_level(level: str, allowed: tuple[str, ...] = OBSERVATION_MODES) -> int:
    """The index of an observation level.

    Raises:
        ValueError: if it is not one of `allowed`.
    """
    if level not in allowed:
        raise ValueError(f"no observation mode {level!r}; there are {', '.join(allowed)}")
    return LEVELS.index(level)


@kernel
def write_observation(state: State, player: int, level: int, out: np.ndarray) -> int:
    """Writes what `player` sees into `out` (observation_size,) float32; returns how many values."""
    opponent = 1 - player
    n_ranks = int(state.n_ranks)
    n_types = state.n_colours * n_ranks
    start = 0
    for card in range(n_types):
        out[card] = state.hands[player, card]
    start += n_types
    for card in range(n_types):
        out[start + card] = state.expeditions[player, card]
    start += n_types
    for card in range(n_types):
        out[start + card] = state.expeditions[opponent, card]
    start += n_types
    out[start : start + n_types] = 0.0
    for colour in range(state.n_colours):
        size = state.pile_size[colour]
        if size > 0:
            out[start + colour * n_ranks + state.piles[colour, size - 1]] = 1.0
    start += n_types
    dealt = 2 * state.hand_size
    out[start] = np.float32(state.n_cards - state.deck_next) / np.float32(state.n_cards - dealt)
    start += 1
    if level == VISIBLE:
        return start

    n_wagers = int(state.n_wagers)
    per_colour = n_wagers + n_ranks - 1
    out[start : start + state.n_cards] = 0.0
    for colour in range(state.n_colours):
        wager = start
        size = state.pile_size[colour]
        for depth in range(1, size + 1):
            rank = state.piles[colour, size - depth]
            if rank == WAGER:
                out[wager] = _RECIPROCALS[depth]
                wager += 1
            else:
                out[start + n_wagers + rank - 1] = _RECIPROCALS[depth]
        start += per_colour
    for card in range(n_types):
        out[start + card] = state.known[opponent, card]
    start += n_types
    for card in range(n_types):
        out[start + card] = state.known[player, card]
    start += n_types
    margin = state.match_scores[player] - state.match_scores[opponent]
    out[start] = np.float32(state.turn) / SCALE
    out[start + 1] = np.float32(state.scores[player]) / SCALE
    out[start + 2] = np.float32(state.scores[opponent]) / SCALE
    out[start + 3] = np.float32(max(state.rounds - 1 - state.round, 0))
    out[start + 4] = np.float32(margin) / SCALE
    start += 5
    if level == RECALL:
        return start

    for card in range(n_types):
        out[start + card] = state.hands[opponent, card]
    start += n_types
    out[start : start + state.n_cards] = 0.0
    for position in range(state.deck_next, state.n_cards):
        card = int(state.deck[position])
        colour = card // n_ranks
        place = start + colour * per_colour
        if card == colour * n_ranks + WAGER:
            while out[place] > 0.0:
                place += 1
        else:
            place += n_wagers + card - colour * n_ranks - 1
        out[place] = _RECIPROCALS[position - state.deck_next + 1]
    start += state.n_cards
    out[start] = 1.0 if state.mover == player and not state.match_over else 0.0
    return start + 1


@kernel
def _whole(value: np.float32) -> int:
    return int(np.floor(value + np.float32(0.5)))


@kernel
def read_observation(row: np.ndarray, state: State) -> None:
    """The way back: fills `state` with what a *recall* observation says, the viewer as player 0 to move.

    `state` must be a record of the match played (`Match.new_states`); what the viewer can't know (the
    deck's order, the rest of the opponent's hand) is left as no cards. The kernels on a `STATE` then work
    on what a player knows as they do on the game.
    """
    n_ranks = int(state.n_ranks)
    n_types = state.n_colours * n_ranks
    for card in range(n_types):
        state.hands[0, card] = _whole(row[card])
        state.expeditions[0, card] = _whole(row[n_types + card])
        state.expeditions[1, card] = _whole(row[2 * n_types + card])
    start = 4 * n_types
    dealt = 2 * state.hand_size
    left = _whole(row[start] * np.float32(state.n_cards - dealt))
    state.deck_next = state.n_cards - left
    start += 1
    n_wagers = int(state.n_wagers)
    per_colour = n_wagers + n_ranks - 1
    for colour in range(state.n_colours):
        size = 0
        for place in range(per_colour):
            size += row[start + place] > 0.0
        state.pile_size[colour] = size
        for place in range(per_colour):
            if row[start + place] > 0.0:
                depth = _whole(np.float32(1.0) / row[start + place])
                rank = WAGER if place < n_wagers else place - n_wagers + 1
                state.piles[colour, size - depth] = rank
        start += per_colour
    for card in range(n_types):
        state.known[1, card] = state.hands[1, card] = _whole(row[start + card])
        state.known[0, card] = _whole(row[start + n_types + card])
    start += 2 * n_types
    state.turn = _whole(row[start] * SCALE)
    state.round = max(state.rounds - 1 - _whole(row[start + 3]), 0)
    state.match_scores[0] = _whole(row[start + 4] * SCALE)
    state.match_scores[1] = 0
    state.mover = 0
    state.round_over = 0
    state.match_over = 0
    derive_scores(state)


@kernel
def write_observation_at(states: np.ndarray, i: int, player: int, level: int, out: np.ndarray) -> int:
    """`write_observation` in game i."""
    return write_observation(states[i], player, level, out)


@kernel
def read_observation_at(row: np.ndarray, states: np.ndarray, i: int) -> None:
    """`read_observation` into record i."""
    read_observation(row, states[i])
