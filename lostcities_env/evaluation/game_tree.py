"""The whole tree of one round of a small variant, as arrays: for what can only be computed exactly.

A *node* is a history: both hands, the turns, the cards drawn. It is a *decision*, or an *end* of the round.
What chance decides lies on the way to a node: the deal, or the card drawn in the turn that led to it.

An *information state* is what the player to move remembers at a decision, with perfect recall: the hand
dealt, then in order the own turns, the cards drawn, and the opponent's turns as far as they are public.
A *slot* is an action at an information state. A *profile* is a policy of both players: how likely each
action is at each information state, float64 (n_slots,), summing to 1 at each of them.
"""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from lostcities_env.rules import rounds
from lostcities_env.rules.actions import DECK, decode_action
from lostcities_env.rules.chance import count_deck, deals, deck_of, draw_next
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import RECALL, observation_size, write_observation
from lostcities_env.rules.state import MAX_CARD_TYPES, apply, write_mask
from lostcities_env.rules.variant import MINIATURES, Variant, get_variant

MAX_NODES = 5_000_000
"""Of a tree that is laid out: a minute and a few gigabytes at worst."""
MAX_DEALS = 100_000
_SMALL_ENOUGH = "small enough are " + ", ".join(variant.name for variant in MINIATURES)
NONE = -1
"""The parent of a deal; the information state of an end; the slot that no turn has led through."""

NODE = np.dtype(
    [
        ("parent", np.int32),  # NONE for a deal
        ("slot", np.int32),  # the action taken at the parent
        ("information_state", np.int32),  # NONE at an end
        ("chance", np.float64),  # of the card drawn on the way from the parent, or of the deal
        ("margin", np.float64),  # points of seat 0 less those of seat 1 at an end; 0 elsewhere
    ],
    align=True,
)


class GameTreeError(ValueError):
    """A variant whose tree cannot be laid out; the message says why."""


class GameTree:
    """All histories of one round, seat 0 to begin, and all information states.

    Args:
        variant: a `Variant` or the name of one.

    Raises:
        InvalidVariantError: if there is no such variant.
        GameTreeError: if the tree has no end or is too large.

    Attributes:
        match: one round of the variant.
        nodes: `NODE` (n_nodes,), by the number of turns taken.
        levels: int64 (longest + 2,): after k turns the game is at one of the nodes from ``levels[k]`` to
            ``levels[k + 1]``, and player k % 2 is to move.
        first_slots: int64 (n_information_states + 1,): the slots of information state k are those from
            ``first_slots[k]`` to ``first_slots[k + 1]``, in the order of their actions.
        state_levels: int64 (longest + 2,), as `levels`, of the information states.
        previous_slots: int64 (n_information_states,), the player's last action before, or `NONE`.
        slot_states, slot_actions: int64 (n_slots,), the information state and the action of each slot.
        observations: float32 (n_information_states, observation_size), *recall*, of the player to move.
        action_masks: int8 (n_information_states, n_actions).
    """

    def __init__(self, variant: str | Variant) -> None:
        self.match = Match(get_variant(variant))
        if self.match.variant.piles_close_at is None:
            raise GameTreeError(
                f"variant {self.match.variant.name!r} never closes its piles: its tree has no end"
            )
        levels: list[np.ndarray] = []
        masks: list[np.ndarray] = []
        observations: list[np.ndarray] = []
        previous_slots: list[np.ndarray] = []
        n_nodes = n_states = n_slots = 0
        level = _dealt(self.match)
        while len(level.nodes):
            player = len(levels) % 2
            _, where, own = np.unique(level.memories[:, player], return_index=True, return_inverse=True)
            mask, observation = _seen(self.match, level.games[where], player)
            first_slots = n_slots + _starts(np.count_nonzero(mask, axis=1))
            level.nodes["information_state"][level.decisions] = n_states + own
            previous_slots.append(level.last_slots[where, player])
            masks.append(mask)
            observations.append(observation)
            levels.append(level.nodes)
            n_states += len(where)
            following = _after(self.match, level, player, n_nodes, first_slots[own])
            n_slots, n_nodes = int(first_slots[-1]), n_nodes + len(level.nodes)
            level = following
        self.nodes = np.concatenate(levels)
        self.levels = _starts([len(nodes) for nodes in levels])
        self.state_levels = _starts([len(mask) for mask in masks])
        self.action_masks = np.concatenate(masks)
        self.observations = np.concatenate(observations)
        self.previous_slots = np.concatenate(previous_slots)
        self.slot_states, self.slot_actions = np.nonzero(self.action_masks)
        self.first_slots = _starts(np.count_nonzero(self.action_masks, axis=1))

    @property
    def n_information_states(self) -> int:
        """Information states of both players."""
        return len(self.action_masks)

    @property
    def longest(self) -> int:
        """Turns of the longest round."""
        return len(self.levels) - 2

    @property
    def n_decisions(self) -> int:
        """Nodes at which a player has to act."""
        return int(np.count_nonzero(self.nodes["information_state"] != NONE))

    @property
    def n_ends(self) -> int:
        """Nodes at which the round is over."""
        return len(self.nodes) - self.n_decisions

    @property
    def n_slots(self) -> int:
        """Actions at all information states together."""
        return len(self.slot_actions)

    @property
    def slot_players(self) -> np.ndarray:
        """Whose the slots are: int64 (n_slots,)."""
        turns = np.repeat(np.arange(len(self.state_levels) - 1), np.diff(self.state_levels))
        return turns[self.slot_states] % 2


class _Level(NamedTuple):
    """The nodes after so many turns, and of the decisions among them what the next level follows from."""

    nodes: np.ndarray  # NODE (n,)
    decisions: np.ndarray  # int64 (m,), which of the nodes
    games: np.ndarray  # STATE (m,)
    memories: np.ndarray  # int64 (m, 2), a number for what each player remembers
    last_slots: np.ndarray  # int64 (m, 2), where each player's last turn led through, or NONE


def _dealt(match: Match) -> _Level:
    variant = match.variant
    dealt = list(islice(deals(variant), MAX_DEALS + 1))
    if len(dealt) > MAX_DEALS:
        raise GameTreeError(
            f"variant {variant.name!r} has more than {MAX_DEALS:,} deals: its tree is too large to be laid "
            f"out; {_SMALL_ENOUGH}"
        )
    nodes = np.full(len(dealt), NONE, dtype=NODE)
    nodes["chance"] = [deal.chance for deal in dealt]
    nodes["margin"] = 0.0
    games = match.new_states(len(dealt))
    for k, deal in enumerate(dealt):
        games[k]["deck"][: variant.n_cards] = deck_of(variant, deal.hands)
        rounds.new_match_at(games, k, 0, False)
    hands = np.array([deal.hands for deal in dealt], dtype=np.int64)
    memories = [np.unique(hands[:, k], axis=0, return_inverse=True)[1].reshape(-1) for k in range(2)]
    last_slots = np.full((len(dealt), 2), NONE, dtype=np.int64)
    return _Level(nodes, np.arange(len(dealt)), games, np.stack(memories, axis=1), last_slots)


def _seen(match: Match, games: np.ndarray, player: int) -> tuple[np.ndarray, np.ndarray]:
    """The player's legal actions and observations."""
    masks = np.empty((len(games), match.variant.n_actions), dtype=np.int8)
    observations = np.empty((len(games), observation_size(match, "recall")), dtype=np.float32)
    _see(games, player, masks, observations)
    return masks, observations


def _after(match: Match, level: _Level, player: int, first_node: int, first_slots: np.ndarray) -> _Level:
    """The level after a turn of `player`; `first_slots` (m,) are those of the decisions."""
    n_actions = match.variant.n_actions
    n_nodes, n_decisions = _count(level.games, n_actions)
    if first_node + len(level.nodes) + n_nodes > MAX_NODES:
        raise GameTreeError(
            f"the tree of {match.variant.name!r} has more than {MAX_NODES:,} nodes: too large to be laid "
            f"out; {_SMALL_ENOUGH}"
        )
    nodes = np.empty(n_nodes, dtype=NODE)
    parents = np.empty(n_nodes, dtype=np.int64)  # among the decisions of the level
    events = np.empty((n_nodes, 2), dtype=np.int64)  # what each player learns from the turn
    games = np.empty(n_decisions, dtype=level.games.dtype)
    n_events = _take_turns(level.games, first_slots, n_actions, nodes, parents, events, games)
    nodes["parent"] = first_node + level.decisions[parents]
    decisions = np.flatnonzero(nodes["information_state"] != NONE)
    parents, events = parents[decisions], events[decisions]
    learned = level.memories[parents] * n_events + np.where(
        np.arange(2) == player, events[:, :1], events[:, 1:]
    )
    memories = [np.unique(learned[:, k], return_inverse=True)[1] for k in range(2)]
    last_slots = level.last_slots[parents]
    last_slots[:, player] = nodes["slot"][decisions]
    return _Level(nodes, decisions, games, np.stack(memories, axis=1), last_slots)


def _starts(sizes: Sequence[int] | np.ndarray) -> np.ndarray:
    """Where each of the parts of such sizes starts, and where the last ends."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


@kernel
def _see(games: np.ndarray, player: int, masks: np.ndarray, observations: np.ndarray) -> None:
    for k in range(games.shape[0]):
        write_mask(games[k], masks[k])
        write_observation(games[k], player, RECALL, observations[k])


@kernel
def _count(games: np.ndarray, n_actions: int) -> tuple[int, int]:
    """How many nodes follow, and how many of them are decisions."""
    mask = np.empty(n_actions, dtype=np.int8)
    deck = np.empty(MAX_CARD_TYPES, dtype=np.int64)
    n_nodes = n_decisions = 0
    for k in range(games.shape[0]):
        write_mask(games[k], mask)
        left = count_deck(games[k], deck)
        kinds = int(np.count_nonzero(deck))
        for action in range(n_actions):
            if mask[action]:
                from_deck = decode_action(action, games[k].n_colours)[2] == DECK
                n_nodes += kinds if from_deck else 1
                if not from_deck or left > 1:
                    n_decisions += kinds if from_deck else 1
    return n_nodes, n_decisions


@kernel
def _take_turns(
    games: np.ndarray,
    first_slots: np.ndarray,
    n_actions: int,
    nodes: np.ndarray,
    parents: np.ndarray,
    events: np.ndarray,
    following: np.ndarray,
) -> int:
    """Takes every turn in every game, with every card that it may draw from the deck.

    Writes `nodes` but for their parents (a decision gets information state 0), the game that each comes from
    in `parents`, what the mover (0) and the opponent (1) learn in `events`, and the games that go on in
    `following`. Returns a number above all events.
    """
    mask = np.empty(n_actions, dtype=np.int8)
    deck = np.empty(MAX_CARD_TYPES, dtype=np.int64)
    n_draws = MAX_CARD_TYPES + 1
    n_nodes = n_decisions = 0
    game = games[:1].copy()
    for k in range(games.shape[0]):
        write_mask(games[k], mask)
        left = count_deck(games[k], deck)
        slot = first_slots[k]
        for action in range(n_actions):
            if not mask[action]:
                continue
            from_deck = decode_action(action, games[k].n_colours)[2] == DECK
            for card in range(MAX_CARD_TYPES if from_deck else 1):
                if from_deck and deck[card] == 0:
                    continue
                game[0] = games[k]
                if from_deck:
                    draw_next(game[0], card)
                apply(game[0], action)
                node = nodes[n_nodes]
                node.slot = slot
                node.chance = deck[card] / left if from_deck else 1.0
                parents[n_nodes] = k
                events[n_nodes, 0] = action * n_draws + (card + 1 if from_deck else 0)
                events[n_nodes, 1] = action * n_draws
                if game[0].round_over:
                    node.information_state = NONE
                    node.margin = game[0].scores[0] - game[0].scores[1]
                else:
                    node.information_state = 0
                    node.margin = 0.0
                    following[n_decisions] = game[0]
                    n_decisions += 1
                n_nodes += 1
            slot += 1
    return n_actions * n_draws
