"""`Game`: one readable game over the kernels."""

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lostcities_env.rules import rounds
from lostcities_env.rules import state as kernels
from lostcities_env.rules.actions import format_action, parse_action
from lostcities_env.rules.cards import WAGER, format_card, format_rank, parse_deck
from lostcities_env.rules.explain import explain_illegal
from lostcities_env.rules.generator import check_seed, random_seed
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import (
    LEVELS,
    check_level,
    observation_size,
    write_observation_at,
)
from lostcities_env.rules.players import is_player
from lostcities_env.rules.serialise import game_from_dict, game_to_dict
from lostcities_env.rules.snapshot import check_same_match, check_snapshot
from lostcities_env.rules.variant import COLOUR_NAMES, Variant


class IllegalActionError(ValueError):
    """An action that the rules do not allow now; the message says what was wrong with it and why."""


class ColourScore(NamedTuple):
    """What made the score of one expedition: ``(total - cost) * (1 + wagers) + bonus``, 0 if unopened."""

    cards: int
    wagers: int
    total: int
    cost: int
    bonus: int
    points: int


class Game:
    """One game: a round, or a match of several.

    Args:
        variant: a `Variant` or the name of one.
        rounds: see `Match`.
        tie: see `Match`.
        seed: 0..2**64-1; the same seed gives the same deals in every face of the project. None draws
            one from the operating system.
        deck: instead of a shuffle, the exact order of the cards in notation, first dealt card first
            (a list for the first round, or a list of such lists, one a round). Rounds beyond those
            given are shuffled.
        first_player: who starts the first round.

    Raises:
        InvalidVariantError, NotationError, TypeError, ValueError: naming the argument that was wrong.

    >>> game = Game(seed=7)
    >>> for turn in list(game.legal())[:3]:
    ...     print(turn)
    R8 deck
    -R8 deck
    B7 deck
    >>> game.play("R8 deck")
    >>> game.mover, game.turn, game.scores
    (1, 1, (-12, 0))
    """

    def __init__(
        self,
        variant: str | Variant = "standard",
        *,
        rounds: int = 1,
        tie: str = "draw",
        seed: int | None = None,
        deck: Sequence[str] | Sequence[Sequence[str]] | None = None,
        first_player: int = 0,
    ) -> None:
        self.match = Match(variant, rounds, tie)  # type: ignore[arg-type]
        self._states = self.match.new_states(1)
        self.seed(random_seed() if seed is None else seed)
        self.restart(deck=deck, first_player=first_player)

    @property
    def variant(self) -> Variant:
        """The rules of each round."""
        return self.match.variant

    def seed(self, seed: int) -> None:
        """Seeds the generator that shuffles the next deals."""
        rounds.seed_at(self._states, 0, np.uint64(check_seed(seed)))

    def restart(
        self,
        *,
        deck: Sequence[str] | Sequence[Sequence[str]] | None = None,
        first_player: int = 0,
    ) -> None:
        """Begins a new match with the generator as it stands; arguments as for the class."""
        if not is_player(first_player):
            raise ValueError(f"first_player={first_player!r} is neither 0 nor 1")
        self._decks = self._parse_decks(deck)
        shuffled = self._lay_next_deck()
        rounds.new_match_at(self._states, 0, int(first_player), shuffled)

    def _parse_decks(self, deck: Sequence[str] | Sequence[Sequence[str]] | None) -> list[list[int]]:
        if deck is None:
            return []
        if not isinstance(deck, (Sequence, np.ndarray)) or len(deck) == 0 or isinstance(deck[0], str):
            return [parse_deck(self.variant, deck)]  # type: ignore[arg-type]
        most = self.match.rounds + (self.match.tie == "extra_round")
        if len(deck) > most:
            raise ValueError(f"{len(deck)} decks given for a match of at most {most} round(s)")
        decks = []
        for number, one in enumerate(deck):
            try:
                decks.append(parse_deck(self.variant, one))
            except ValueError as error:
                raise type(error)(f"deck of round {number}: {error}") from None
        return decks

    def _lay_next_deck(self) -> bool:
        """Puts the next given deck in place; True if there is none and the deal shuffles."""
        if not self._decks:
            return True
        self._states[0]["deck"][: self.variant.n_cards] = self._decks.pop(0)
        return False

    @property
    def states(self) -> np.ndarray:
        """The game's own record, for kernels: a `STATE` array (1,). Writing to it skips every check."""
        return self._states

    @property
    def mover(self) -> int:
        """Who is to move, 0 or 1."""
        return int(self._states[0]["mover"])

    @property
    def turn(self) -> int:
        """Turns taken in this round."""
        return int(self._states[0]["turn"])

    @property
    def round(self) -> int:
        """The round being played, from 0."""
        return int(self._states[0]["round"])

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return bool(self._states[0]["match_over"])

    @property
    def winner(self) -> int | None:
        """0 or 1 once a match is won; None before and for a draw."""
        winner = int(self._states[0]["winner"])
        return None if winner < 0 else winner

    @property
    def scores(self) -> tuple[int, int]:
        """Points of both players in this round (the last one when the match is over)."""
        first, second = self._states[0]["scores"]
        return int(first), int(second)

    @property
    def match_scores(self) -> tuple[int, int]:
        """Points of both players in the finished rounds of the match."""
        first, second = self._states[0]["match_scores"]
        return int(first), int(second)

    @property
    def round_scores(self) -> list[tuple[int, int]]:
        """Points of both players in each finished round."""
        finished = self.round + self.over
        return [(int(a), int(b)) for a, b in self._states[0]["round_scores"][:finished]]

    @property
    def deck_count(self) -> int:
        """Cards left in the deck."""
        return int(self._states[0]["n_cards"] - self._states[0]["deck_next"])

    def action_mask(self) -> np.ndarray:
        """The mover's legal actions: int8 (n_actions,), all 0 when the match is over."""
        mask = np.empty(self.variant.n_actions, dtype=np.int8)
        kernels.write_mask_at(self._states, 0, mask)
        return mask

    def legal(self) -> list[str]:
        """The mover's legal turns in notation, in the order of their codes."""
        return [format_action(self.variant, int(a)) for a in np.flatnonzero(self.action_mask())]

    def observation(self, player: int, level: str = "recall") -> np.ndarray:
        """What `player` sees: float32 (observation_size,); see `observation_blocks`."""
        index = check_level(level, LEVELS)
        out = np.empty(observation_size(self.match, level), dtype=np.float32)
        write_observation_at(self._states, 0, _check_player(player), index, out)
        return out

    def play(self, turn: str) -> None:
        """Takes a turn in notation, such as ``R7 deck``.

        Raises:
            NotationError: if it is not a turn.
            IllegalActionError: if the rules do not allow it now.
        """
        self.step(parse_action(self.variant, turn))

    def step(self, action: int) -> int:
        """Takes a turn by its code; returns how much it changed the mover's score.

        When a round of a match ends, the next one is dealt at once.

        Raises:
            TypeError: if `action` is not an integer.
            IllegalActionError: if it is out of range, or the rules do not allow it now. Nothing has
                changed then.
        """
        self.check(action)
        gain = rounds.turn_at(self._states, 0, int(action))
        if self._states[0]["round_over"] and not self.over:
            self.deal_next_round()
        return int(gain)

    def deal_next_round(self) -> None:
        """Deals the next round of a match. `step` does it; for who steps `states` with kernels."""
        rounds.next_round_at(self._states, 0, self._lay_next_deck())

    def check(self, action: int) -> None:
        """Raises what `step` would raise for this action."""
        if isinstance(action, bool) or not isinstance(action, (int, np.integer)):
            kind = type(action).__name__
            raise TypeError(f"an action is an integer, got {action!r} of type {kind}")
        if not 0 <= action < self.variant.n_actions:
            raise IllegalActionError(
                f"action {action} is outside 0..{self.variant.n_actions - 1} of variant {self.variant.name!r}"
            )
        reason = kernels.legality_at(self._states, 0, int(action))
        if reason != kernels.LEGAL:
            raise IllegalActionError(explain_illegal(self, int(action), reason))

    def hand(self, player: int) -> list[str]:
        """A player's hand in notation, sorted."""
        return self._cards(self._states[0]["hands"][_check_player(player)])

    def known(self, player: int) -> list[str]:
        """The cards of a player's hand that the opponent knows, sorted."""
        return self._cards(self._states[0]["known"][_check_player(player)])

    def expedition(self, player: int, colour: int) -> list[str]:
        """The cards of a player's expedition in the order they were played."""
        counts = self._states[0]["expeditions"][_check_player(player)].copy()
        n_ranks = self.variant.n_ranks
        self._check_colour(colour)
        counts[: colour * n_ranks] = 0
        counts[(colour + 1) * n_ranks :] = 0
        return self._cards(counts)

    def pile(self, colour: int) -> list[str]:
        """The discard pile of a colour, its top card last."""
        self._check_colour(colour)
        state = self._states[0]
        ranks = state["piles"][colour, : state["pile_size"][colour]]
        return [self.variant.colours[colour] + format_rank(self.variant, int(r)) for r in ranks]

    def deck(self) -> list[str]:
        """The cards left in the deck, the next one first."""
        state = self._states[0]
        cards = state["deck"][state["deck_next"] : state["n_cards"]]
        return [format_card(self.variant, int(card)) for card in cards]

    def _check_colour(self, colour: int) -> None:
        if colour not in range(self.variant.n_colours):
            raise ValueError(f"colour {colour!r} is outside 0..{self.variant.n_colours - 1}")

    def _cards(self, counts: np.ndarray) -> list[str]:
        codes = np.repeat(np.arange(counts.size), counts)
        return [format_card(self.variant, int(card)) for card in codes]

    def score_breakdown(self, player: int) -> dict[str, ColourScore]:
        """What made a player's score in this round: a `ColourScore` for each colour's name."""
        state, variant = self._states[0], self.variant
        _check_player(player)
        breakdown = {}
        for colour in range(variant.n_colours):
            cards = int(state["length"][player, colour])
            wagers = int(state["expeditions"][player, colour * variant.n_ranks + WAGER])
            breakdown[COLOUR_NAMES[colour]] = ColourScore(
                cards=cards,
                wagers=wagers,
                total=int(state["total"][player, colour]),
                cost=variant.expedition_cost if cards else 0,
                bonus=variant.bonus if 0 < variant.bonus_length <= cards else 0,
                points=int(state["colour_scores"][player, colour]),
            )
        return breakdown

    def clone(self) -> "Game":
        """An independent copy, random generator included."""
        return copy.deepcopy(self)

    def get_state(self) -> dict[str, Any]:
        """A snapshot for `set_state`: faster than `to_dict`, and only for this version."""
        return {"states": self._states.copy(), "decks": copy.deepcopy(self._decks)}

    def set_state(self, snapshot: dict[str, Any]) -> None:
        """Goes back to a snapshot of a game of the same match.

        Raises:
            ValueError: if it is no snapshot, or one of another match.
        """
        check_snapshot(snapshot, ("states", "decks"))
        check_same_match(snapshot["states"], self._states)
        self._states[:] = snapshot["states"]
        self._decks = copy.deepcopy(snapshot["decks"])

    def to_dict(self) -> dict[str, Any]:
        """The whole state as JSON types, cards in notation; see `lostcities_env.rules.serialise`."""
        return game_to_dict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Game":
        """The game that `to_dict` described; it goes on exactly as that one would.

        Raises:
            InvalidStateError: naming what is wrong, and where.
        """
        return game_from_dict(cls, data)


def _check_player(player: int) -> int:
    if player not in (0, 1):
        raise ValueError(f"player {player!r} is neither 0 nor 1")
    return int(player)
