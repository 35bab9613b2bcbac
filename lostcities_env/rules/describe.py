"""An observation in words, for people who debug an agent."""

import numpy as np

from lostcities_env.rules.cards import format_card
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import (
    LEVELS,
    observation_blocks,
    observation_range,
    observation_size,
    read_observation_at,
)
from lostcities_env.rules.variant import COLOUR_NAMES, Variant

NOTHING = "-"


def describe(observation: np.ndarray, match: Match | Variant | str = "standard") -> str:
    """What an observation says, in a few lines.

    Args:
        observation: float32 (observation_size,), *visible*, *recall* or *full*: its length tells which.
        match: what is played; a variant or its name stands for a single round.

    Raises:
        TypeError: if the observation is not an array of float32.
        ValueError: if its shape is not that of an observation of the match.

    >>> from lostcities_env.rules.game import Game
    >>> game = Game("mini3", seed=1)
    >>> game.play(game.legal()[0])
    >>> print(describe(game.observation(1, "recall"), "mini3"))
    hand: Rx R2 B3
    own red: - (0)
    own blue: - (0)
    opponent's red: R1 (-2)
    opponent's blue: - (0)
    piles: none
    deck: 1 card left
    score: 0 against -2
    turn of the round: 1; rounds to come: 0; match margin before this round: 0
    opponent surely holds: -
    opponent knows of own hand: -
    """
    if not isinstance(match, Match):
        match = Match(match)  # type: ignore[arg-type]
    level = _check_observation(observation, match)
    return "\n".join(_Words(observation, match, level).lines())


def _check_observation(observation: np.ndarray, match: Match) -> str:
    if not isinstance(observation, np.ndarray) or observation.dtype != np.float32:
        kind = getattr(observation, "dtype", type(observation).__name__)
        raise TypeError(f"an observation is a NumPy array of float32, got {kind}")
    sizes = {observation_size(match, level): level for level in LEVELS}
    if observation.ndim != 1 or observation.size not in sizes:
        known = ", ".join(f"({size},) for {level}" for size, level in sizes.items())
        raise ValueError(
            f"an observation of variant {match.variant.name!r} has shape {known}; got {observation.shape}"
        )
    level = sizes[observation.size]
    low, high = observation_range(match, level)
    wrong = np.flatnonzero(~((low <= observation) & (observation <= high)))
    if wrong.size:
        place = int(wrong[0])
        name = next(b.name for b in observation_blocks(match, level) if place < b.start + b.size)
        raise ValueError(
            f"no observation: its value {observation[place]} at place {place} (block {name!r}) is outside "
            f"{low[place]:g}..{high[place]:g}"
        )
    return level


class _Words:
    """The lines of one description."""

    def __init__(self, observation: np.ndarray, match: Match, level: str) -> None:
        self.variant = match.variant
        self.level = level
        self.blocks = {
            block.name: observation[block.slice].reshape(block.shape)
            for block in observation_blocks(match, level)
        }
        # `read_observation` reads a recall row; what a visible row lacks is read as nothing.
        row = np.zeros(observation_size(match, "recall"), dtype=np.float32)
        row[: min(observation.size, row.size)] = observation[: row.size]
        states = match.new_states(1)
        read_observation_at(row, states, 0)
        self.state = states[0]

    def lines(self) -> list[str]:
        """The whole description."""
        lines = [f"hand: {self._cards('hand')}"]
        for player, whose, block in ((0, "own", "expeditions"), (1, "opponent's", "opponent_expeditions")):
            for colour in range(self.variant.n_colours):
                cards = self._cards(block, colour)
                points = self.state["colour_scores"][player, colour]
                lines.append(f"{whose} {COLOUR_NAMES[colour]}: {cards} ({points})")
        left = int(self.variant.n_cards - self.state["deck_next"])
        own, theirs = self.state["scores"]
        lines += [
            self._piles(),
            f"deck: {left} card{'' if left == 1 else 's'} left",
            f"score: {own} against {theirs}",
        ]
        if self.level != "visible":
            lines += self._remembered()
        if self.level == "full":
            lines += self._hidden()
        return lines

    def _remembered(self) -> list[str]:
        turn = int(self.state["turn"])
        margin = int(self.state["match_scores"][0])
        to_come = round(float(self.blocks["rounds_left"][0]))
        return [
            f"turn of the round: {turn}; rounds to come: {to_come}; match margin before this round: {margin}",
            f"opponent surely holds: {self._cards('opponent_known')}",
            f"opponent knows of own hand: {self._cards('known')}",
        ]

    def _hidden(self) -> list[str]:
        to_move = "yes" if self.blocks["to_move"][0] else "no"
        return [
            f"opponent's hand (hidden): {self._cards('opponent_hand')}",
            f"deck (hidden), next card first: {' '.join(self._by_depth('deck_order')) or NOTHING}",
            f"to move: {to_move}",
        ]

    def _piles(self) -> str:
        piles = []
        for colour, name in enumerate(COLOUR_NAMES[: self.variant.n_colours]):
            top = self._cards("discard_tops", colour)
            if top == NOTHING:
                continue
            below = self._by_depth("pile_depth", colour)[1:] if self.level != "visible" else []
            piles.append(f"{name} {top}" + (f" on {' '.join(below)}" if below else ""))
        return "piles: " + ("; ".join(piles) or "none")

    def _cards(self, block: str, colour: int | None = None) -> str:
        """The cards of a block of counts, of all colours or one."""
        counts = np.rint(self.blocks[block]).astype(np.int64)
        if colour is not None:
            counts = np.where(np.arange(len(counts))[:, None] == colour, counts, 0)
        codes = np.repeat(np.arange(counts.size), counts.ravel())
        return " ".join(format_card(self.variant, int(card)) for card in codes) or NOTHING

    def _by_depth(self, block: str, colour: int | None = None) -> list[str]:
        """The cards of a block of reciprocal depths, the shallowest first."""
        values = self.blocks[block]
        found = []
        for row in range(self.variant.n_colours) if colour is None else [colour]:
            for place in np.flatnonzero(values[row]):
                rank = max(int(place) - self.variant.n_wagers + 1, 0)
                card = format_card(self.variant, row * self.variant.n_ranks + rank)
                found.append((-float(values[row, place]), card))
        return [card for _, card in sorted(found)]
