"""How expeditions are bound to finish: the projections of the agent `projection`, which explains them.

All of it is about a record from `read_observation`: player 0 is the one who looks, and is to move.
"""

from typing import Any, NamedTuple

import numpy as np

from lostcities_env.rules.actions import PLAY
from lostcities_env.rules.cards import WAGER
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.state import State, face_value, points, rises

DRAWS_A_TURN = 0.55
"""How many useful unseen cards the opponent is taken to see in one of their turns."""


class Colour(NamedTuple):
    """An expedition and the cards that may yet come to it, which may be expectations."""

    top: int
    total: int
    wagers: int
    length: int
    coming_total: float  # sum of the numbers
    coming_numbers: float  # how many numbers
    coming_wagers: float


class Outlook(NamedTuple):
    """What a colour, or several together, promise."""

    now: float  # points
    gain: float  # points that the coming cards add
    cards: float  # how many cards that takes


@kernel
def _int64(value: Any) -> Any:
    """Compiled, `int` keeps the narrow type of a record's field; this does not."""
    return np.int64(value)


@kernel
def outlook_of(state: State, colour: Colour) -> Outlook:
    """What a colour promises, with the best number of the coming wagers."""
    now = float(points(state, colour.total, colour.wagers, colour.length))
    total = float(colour.total + colour.coming_total)
    best, cards = now, 0.0
    extra = float(colour.coming_wagers)
    while True:
        coming = colour.coming_numbers + extra
        score = points(state, total, colour.wagers + extra, colour.length + coming)
        if score > now and score >= best:
            best, cards = score, coming
        if extra <= 0.0:
            return Outlook(now, best - now, cards)
        extra = max(extra - 1.0, 0.0)


@kernel
def finish(outlook: Outlook, turns: float) -> float:
    """The projected score in points: the gain shrinks if it takes more cards than there are turns."""
    if outlook.cards > turns:
        return outlook.now + outlook.gain * turns / outlook.cards
    return outlook.now + outlook.gain


@kernel
def plus(a: Outlook, b: Outlook) -> Outlook:
    """Two outlooks together."""
    return Outlook(a.now + b.now, a.gain + b.gain, a.cards + b.cards)


@kernel
def minus(a: Outlook, b: Outlook) -> Outlook:
    """An outlook without a part of it."""
    return Outlook(a.now - b.now, a.gain - b.gain, a.cards - b.cards)


@kernel
def _with_hand(state: State, colour: int, top: int, total: int, wagers: int, length: int) -> Colour:
    """An own expedition as given, with the cards in hand that can be played on it."""
    base = colour * int(state.n_ranks)
    coming_total, coming_numbers = 0, 0
    for rank in range(WAGER + 1, state.n_ranks):
        if state.hands[0, base + rank] > 0 and rises(top, rank):
            coming_total += face_value(state, rank)
            coming_numbers += 1
    coming_wagers = _int64(state.hands[0, base + WAGER]) if rises(top, WAGER) else 0
    return Colour(top, total, wagers, length, coming_total, coming_numbers, coming_wagers)


@kernel
def own_colour(state: State, colour: int) -> Colour:
    """An own expedition as it is, with the cards in hand that can be played on it."""
    top, total = _int64(state.top[0, colour]), _int64(state.total[0, colour])
    wagers = _int64(state.expeditions[0, colour * state.n_ranks + WAGER])
    return _with_hand(state, colour, top, total, wagers, _int64(state.length[0, colour]))


@kernel
def after_placing(state: State, card: int, way: int) -> Colour:
    """The own colour of a card in hand once that card has been put down."""
    colour = card // int(state.n_ranks)
    rank = card - colour * int(state.n_ranks)
    state.hands[0, card] -= 1
    placed = own_colour(state, colour)
    if way == PLAY:
        total = placed.total + face_value(state, rank)
        wagers = placed.wagers + (1 if rank == WAGER else 0)
        placed = _with_hand(state, colour, rank, total, wagers, placed.length + 1)
    state.hands[0, card] += 1
    return placed


@kernel
def with_card(state: State, colour: Colour, rank: int) -> Colour:
    """An own colour once a card of it has been drawn."""
    total, numbers, wagers = colour.coming_total, colour.coming_numbers, colour.coming_wagers
    if rises(colour.top, rank):
        if rank == WAGER:
            wagers += 1
        else:
            total += face_value(state, rank)
            numbers += 1
    return Colour(colour.top, colour.total, colour.wagers, colour.length, total, numbers, wagers)


@kernel
def opponent_finish(state: State, unseen: np.ndarray, n_unseen: int, deck: int) -> float:
    """The opponent's projected score when they are to move with `deck` cards left.

    `unseen` (n_card_types,) counts the `n_unseen` unseen cards.
    """
    hidden = int(state.hand_size)
    for card in range(state.n_colours * int(state.n_ranks)):
        hidden -= state.hands[1, card]
    turns = (deck + 1) / 2 if deck > 0 else 0.0
    share = min((hidden + DRAWS_A_TURN * turns) / n_unseen, 1.0) if n_unseen > 0 else 0.0
    whole = Outlook(0.0, 0.0, 0.0)
    for colour in range(state.n_colours):
        base = colour * int(state.n_ranks)
        top = _int64(state.top[1, colour])
        total, numbers, wagers = 0.0, 0.0, 0.0
        for rank in range(state.n_ranks):
            if not rises(top, rank):
                continue
            coming = state.hands[1, base + rank] + share * unseen[base + rank]
            if rank == WAGER:
                wagers += coming
            else:
                numbers += coming
                total += coming * face_value(state, rank)
        length = _int64(state.length[1, colour])
        on_table = _int64(state.expeditions[1, base + WAGER])
        expected = Colour(top, _int64(state.total[1, colour]), on_table, length, total, numbers, wagers)
        whole = plus(whole, outlook_of(state, expected))
    return finish(whole, turns)
