"""*projection*: looks one turn ahead and compares how both players' expeditions are bound to finish.

A published heuristic, re-derived from its description. The value of a turn is the player's projected
final score minus the opponent's, after that turn. A draw from the deck is averaged over six cards,
sampled from those unseen (the same six for every action; fewer if fewer are unseen).

A player's projected score is a sum over the colours of *the score now + a gain*:

- The *gain* of a colour is what its coming cards add to the score now, if anything. (So an unopened
  colour counts 0 at least, and an opened one its score now at least.) Wagers among them count only if
  they help: the best number of them is added.
- The player's *coming cards* are all cards in hand that can be played on the expedition.
- The opponent's are all cards known to be in their hand that can be played, and a share of each unseen
  card that can: ``(their unseen cards in hand + 0.55 x their turns left) / unseen cards``, 1 at most.
- If the coming cards that gain, over all colours, are more than the turns left, the gains shrink by
  ``turns left / cards``.
- *Turns left* are half of the deck after the turn; the opponent, who is to move then, has half a turn
  more. Nobody has any when the deck is empty.

Many turns have the same value, because a card counts alike in hand and on the table. Of the best turns
the agent prefers those that keep the most open: a discard to a play, then a pile to the deck. It chooses
among the rest at random.

Each action changes one or two colours, so the value of an action is put together from values of colours:
those of the position, of each card put down, and of each card drawn.
"""

from typing import NamedTuple

import numpy as np

from lostcities_env.agents.base import KernelAgent, observation_key
from lostcities_env.agents.outlook import (
    Colour,
    Outlook,
    after_placing,
    finish,
    minus,
    opponent_finish,
    outlook_of,
    own_colour,
    plus,
    with_card,
)
from lostcities_env.agents.unseen import count_unseen, sample_unseen
from lostcities_env.rules.actions import DECK, DISCARD, PLAY, encode_action
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.generator import next_below, seed_words
from lostcities_env.rules.observation import read_observation
from lostcities_env.rules.state import MAX_CARD_TYPES, MAX_CARDS, State, extends
from lostcities_env.rules.variant import MAX_COLOURS

SAMPLES = 6

_TOLERANCE = 1e-6
"""Values that differ by less are equal, points."""


class _Draws(NamedTuple):
    """The cards that may be drawn, and what follows from drawing each.

    The sampled cards from the deck come first; the top of colour c's pile is at place ``SAMPLES + c``.
    All arrays are (SAMPLES + MAX_COLOURS,).
    """

    cards: np.ndarray  # int64
    gains: np.ndarray  # float64, what it adds to `Outlook.gain` if its colour is otherwise as it was
    counts: np.ndarray  # float64, the same for `Outlook.cards`
    turns: np.ndarray  # float64, own turns left then
    opponents: np.ndarray  # float64, the opponent's projected score then


@kernel
def _set_draw(state: State, draws: _Draws, k: int, card: int, deck: int, opponent: float) -> None:
    colour = card // int(state.n_ranks)
    before = own_colour(state, colour)
    after = with_card(state, before, card - colour * int(state.n_ranks))
    change = minus(outlook_of(state, after), outlook_of(state, before))
    draws.cards[k] = card
    draws.gains[k], draws.counts[k] = change.gain, change.cards
    draws.turns[k], draws.opponents[k] = deck / 2, opponent


@kernel
def _set_draws(state: State, draws: _Draws, words: np.ndarray, unseen: np.ndarray, bag: np.ndarray) -> int:
    """Samples the deck and fills `draws`; returns how many cards were sampled."""
    n_types = state.n_colours * int(state.n_ranks)
    deck = int(state.n_cards - state.deck_next)
    n_unseen = count_unseen(state, unseen)
    n_samples = sample_unseen(unseen, n_types, words, bag, SAMPLES)
    for k in range(n_samples):
        card = bag[k]
        unseen[card] -= 1
        opponent = opponent_finish(state, unseen, n_unseen - 1, deck - 1)
        unseen[card] += 1
        _set_draw(state, draws, k, card, deck - 1, opponent)
    opponent = opponent_finish(state, unseen, n_unseen, deck)
    for colour in range(state.n_colours):
        if state.pile_size[colour] > 0:
            top = state.piles[colour, state.pile_size[colour] - 1]
            card = colour * int(state.n_ranks) + top
            _set_draw(state, draws, SAMPLES + colour, card, deck, opponent)
    return n_samples


class _Placing(NamedTuple):
    """The own expeditions once a card has been put down, before the draw."""

    colour: int
    placed: Colour  # that colour
    others: Outlook  # the other colours together
    whole: Outlook  # all of them


@kernel
def _value(state: State, placing: _Placing, draws: _Draws, k: int) -> float:
    """The value of putting a card down and taking draw k."""
    colour = draws.cards[k] // int(state.n_ranks)
    if colour == placing.colour:
        rank = draws.cards[k] - colour * int(state.n_ranks)
        own = plus(placing.others, outlook_of(state, with_card(state, placing.placed, rank)))
    else:
        whole = placing.whole
        own = Outlook(whole.now, whole.gain + draws.gains[k], whole.cards + draws.counts[k])
    return finish(own, draws.turns[k]) - draws.opponents[k]


@kernel
def _value_of_source(state: State, placing: _Placing, draws: _Draws, n_samples: int, source: int) -> float:
    if source != DECK:
        return _value(state, placing, draws, SAMPLES + source - 1)
    total = 0.0
    for k in range(n_samples):
        total += _value(state, placing, draws, k)
    return total / n_samples


@kernel
def _choose(state: State, mask: np.ndarray, draws: _Draws, n_samples: int, words: np.ndarray) -> int:
    n_colours, n_ranks = int(state.n_colours), int(state.n_ranks)
    position = Outlook(0.0, 0.0, 0.0)
    for colour in range(n_colours):
        position = plus(position, outlook_of(state, own_colour(state, colour)))
    best, best_value, best_preference, n_best = -1, -np.inf, 0, 0
    for card in range(n_colours * n_ranks):
        if state.hands[0, card] == 0:
            continue
        colour = card // n_ranks
        others = minus(position, outlook_of(state, own_colour(state, colour)))
        for way in range(2):
            if way == PLAY and not extends(state, 0, colour, card - colour * n_ranks):
                continue
            placed = after_placing(state, card, way)
            placing = _Placing(colour, placed, others, plus(others, outlook_of(state, placed)))
            for source in range(n_colours + 1):
                action = encode_action(card, way, source, n_colours)
                if not mask[action]:
                    continue
                value = _value_of_source(state, placing, draws, n_samples, source)
                if value < best_value - _TOLERANCE:
                    continue
                preference = 2 * (way == DISCARD) + (source != DECK)
                if value > best_value + _TOLERANCE or preference > best_preference:
                    best, best_value, best_preference, n_best = action, value, preference, 1
                elif preference == best_preference:
                    n_best += 1
                    if next_below(words, n_best) == 0:
                        best = action
    return best


@kernel
def _choose_all(
    observations: np.ndarray, masks: np.ndarray, seed: np.uint64, blank: np.ndarray, actions: np.ndarray
) -> None:
    state = blank.copy()[0]
    words = np.empty(4, np.uint64)
    unseen = np.empty(MAX_CARD_TYPES, np.int64)
    bag = np.empty(MAX_CARDS, np.int64)
    n_draws = SAMPLES + MAX_COLOURS
    draws = _Draws(
        np.zeros(n_draws, np.int64),
        np.zeros(n_draws),
        np.zeros(n_draws),
        np.zeros(n_draws),
        np.zeros(n_draws),
    )
    for i in range(observations.shape[0]):
        read_observation(observations[i], state)
        seed_words(observation_key(observations[i], seed), words)
        n_samples = _set_draws(state, draws, words, unseen, bag)
        actions[i] = _choose(state, masks[i], draws, n_samples, words)


class ProjectionAgent(KernelAgent):
    """Looks one turn ahead and compares how both players' expeditions are bound to finish."""

    choose_all = staticmethod(_choose_all)
