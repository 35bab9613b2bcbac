"""Counts how large the miniatures are, exactly, by walking their whole game trees.

    python benchmarks/count_information_states.py              # every miniature
    python benchmarks/count_information_states.py mini1        # some of them

Equal cards are identical, and a hand has no order. Chance decides both hands, then each card drawn from
the deck at the moment it is drawn.

- A *decision* is a history (hands, turns, cards drawn) after which a player has to act; a *terminal*
  history ends the round.
- An *information state* is what the player to move remembers at a decision, with perfect recall: the hand
  dealt, then in order the own turns, the cards drawn, and the opponent's turns as far as they are public.
  Decisions are grouped by a 64-bit hash of that: among 300,000 the chance that any two collide is 3e-9.
- An *observation* is what the player to move is shown (recall): it forgets the order of past turns.
"""

import argparse
import time
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numba import njit

from lostcities_env.rules import rounds
from lostcities_env.rules import state as kernels
from lostcities_env.rules.actions import DECK, decode_action
from lostcities_env.rules.cards import all_cards
from lostcities_env.rules.generator import mix
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import RECALL, observation_size, write_observation
from lostcities_env.rules.variant import MINIATURES, Variant, get_variant

DECISIONS, TERMINALS, LONGEST = range(3)
TABLE_SIZE = 1 << 22
"""Places in the hash tables: a power of two, well above the number of information states."""


class Size(NamedTuple):
    """How large one round of a variant is; the module's text explains the terms."""

    information_states: int
    observations: int
    decisions: int
    terminals: int
    longest: int


def count(variant: Variant) -> Size:
    """Walks the whole game tree of one round, seat 0 to begin.

    Raises:
        ValueError: if the variant's piles never close, so that the tree has no end.
    """
    if variant.piles_close_at is None:
        raise ValueError(f"variant {variant.name!r} never closes its piles: its tree has no end")
    match = Match(variant)
    longest = variant.piles_close_at + variant.deck_size
    states = match.new_states(longest + 1)
    masks = np.zeros((longest + 1, variant.n_actions), dtype=np.int8)
    memories = np.zeros((longest + 1, 2), dtype=np.uint64)
    row = np.zeros(observation_size(match, "recall"), dtype=np.float32)
    information_states = np.zeros(TABLE_SIZE, dtype=np.uint64)
    observations = np.zeros(TABLE_SIZE, dtype=np.uint64)
    totals = np.zeros(3, dtype=np.int64)
    for first, second, rest in deals(variant):
        dealt = [card for pair in zip(first, second, strict=True) for card in pair]
        states[0]["deck"][: variant.n_cards] = dealt + rest
        rounds.new_match_at(states, 0, 0, False)
        unseen = np.bincount(rest, minlength=variant.n_card_types)
        walk(states, masks, memories, unseen, row, information_states, observations, totals)
    return Size(
        int(np.count_nonzero(information_states)),
        int(np.count_nonzero(observations)),
        *(int(total) for total in totals),
    )


def deals(variant: Variant) -> Iterator[tuple[list[int], list[int], list[int]]]:
    """Every deal once: both hands and what is left for the deck, as sorted card codes."""
    cards = all_cards(variant)
    for first, rest in splits(cards, variant.hand_size):
        for second, deck in splits(rest, variant.hand_size):
            yield first, second, deck


def splits(cards: list[int], taken: int) -> Iterator[tuple[list[int], list[int]]]:
    """Every way to take so many of the cards, equal cards being identical: (taken, left)."""
    seen = set()
    for places in combinations(range(len(cards)), taken):
        hand = tuple(cards[place] for place in places)
        if hand not in seen:
            seen.add(hand)
            yield list(hand), [card for place, card in enumerate(cards) if place not in places]


@njit
def walk(
    states: np.ndarray,
    masks: np.ndarray,
    memories: np.ndarray,
    unseen: np.ndarray,
    row: np.ndarray,
    information_states: np.ndarray,
    observations: np.ndarray,
    totals: np.ndarray,
) -> None:
    """Walks the tree below the deal in ``states[0]``, depth first.

    ``states[d]`` is the game after d turns, ``memories[d, p]`` the hash of what player p remembers of them,
    `unseen` (n_card_types,) counts the cards left in the deck. `actions` and `cards` hold the branch being
    walked at each depth.
    """
    n_types = unseen.shape[0]
    actions = np.zeros(states.shape[0], dtype=np.int64)
    cards = np.zeros(states.shape[0], dtype=np.int64)
    for player in range(2):
        memories[0, player] = mix(np.uint64(player + 1))
        for card in range(n_types):
            for _ in range(states[0].hands[player, card]):
                remember(memories, 0, player, card)
    depth = 0
    arrived = True
    while depth >= 0:
        state = states[depth]
        if arrived:
            totals[LONGEST] = max(totals[LONGEST], depth)
            if state.round_over:
                totals[TERMINALS] += 1
            else:
                totals[DECISIONS] += 1
                mover = state.mover
                add(information_states, memories[depth, mover])
                write_observation(state, mover, RECALL, row)
                add(observations, hash_row(row, mover))
                kernels.write_mask(state, masks[depth])
            actions[depth] = 0
            cards[depth] = 0
            arrived = False
        # The next branch: an action, and for a draw from the deck one of the cards left in it.
        action = actions[depth]
        while action < masks.shape[1] and masks[depth, action] == 0:
            action += 1
        if state.round_over or action == masks.shape[1]:
            depth -= 1
            if depth >= 0 and actions[depth] % (states[0].n_colours + 1) == DECK:
                unseen[cards[depth]] += 1
                cards[depth] += 1
            elif depth >= 0:
                actions[depth] += 1
            continue
        if action != actions[depth]:
            cards[depth] = 0
        actions[depth] = action
        from_deck = decode_action(action, state.n_colours)[2] == DECK
        if from_deck:
            card = cards[depth]
            while card < n_types and unseen[card] == 0:
                card += 1
            if card == n_types:
                actions[depth] += 1
                cards[depth] = 0
                continue
            cards[depth] = card
            unseen[card] -= 1
        states[depth + 1] = state
        if from_deck:
            states[depth + 1].deck[state.deck_next] = cards[depth]
        kernels.apply(states[depth + 1], action)
        for player in range(2):
            memories[depth + 1, player] = memories[depth, player]
            remember(memories, depth + 1, player, n_types + action)
        if from_deck:
            remember(memories, depth + 1, state.mover, cards[depth])
        depth += 1
        arrived = True


@njit
def remember(memories: np.ndarray, depth: int, player: int, event: int) -> None:
    """Adds an event to what a player remembers."""
    memories[depth, player] = mix(memories[depth, player] ^ np.uint64(event + 1))


@njit
def hash_row(row: np.ndarray, mover: int) -> np.uint64:
    """A hash of an observation and whose it is."""
    key = mix(np.uint64(mover + 1))
    for word in row.view(np.uint32):
        key = mix(key ^ np.uint64(word)) + np.uint64(1)
    return key


@njit
def add(table: np.ndarray, key: np.uint64) -> None:
    """Adds a key (not 0) to a hash table of uint64, if it is not there."""
    mask = np.uint64(table.shape[0] - 1)
    place = key & mask
    while table[place] != 0 and table[place] != key:
        place = (place + np.uint64(1)) & mask
    table[place] = key


def main() -> None:
    """Prints one line a variant."""
    parser = argparse.ArgumentParser(description="Counts how large the miniatures are.")
    parser.add_argument("variants", nargs="*", default=[variant.name for variant in MINIATURES])
    print(f"{'variant':<14}{'information':>12}{'obser-':>10}{'deci-':>12}{'terminal':>12}{'longest':>9}")
    print(f"{'':<14}{'states':>12}{'vations':>10}{'sions':>12}{'histories':>12}{'round':>9}{'seconds':>9}")
    for name in parser.parse_args().variants:
        start = time.perf_counter()
        size = count(get_variant(name))
        print(
            f"{name:<14}{size.information_states:>12,}{size.observations:>10,}{size.decisions:>12,}"
            f"{size.terminals:>12,}{size.longest:>9}{time.perf_counter() - start:>9.1f}"
        )


if __name__ == "__main__":
    main()
