"""`Record`: one game or match as it was played, from the deal to the last turn."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lostcities_env.rules.cards import parse_deck
from lostcities_env.rules.game import Game
from lostcities_env.rules.match import Match
from lostcities_env.rules.players import is_player

MANDATORY = ("Player 0", "Player 1", "Variant", "Rules", "Piles close at", "Rounds", "Tie")
"""What a record states before its optional headers, in this order; ``Rules`` of an unnamed variant only."""
RESERVED = (*MANDATORY, "Round", "First player", "Hand 0", "Hand 1", "Deck", "Turn", "Score", "Result")
"""Names that no optional header has, in whatever case."""
MAX_TEXT = 500
"""Characters of a name or of the value of a header, at most."""
_HEADER_NAME = re.compile(r"[A-Za-z][A-Za-z0-9 _-]{0,39}(?<! )")


class InvalidRecordError(ValueError):
    """What no game can have been; the message says what is wrong and where.

    Attributes:
        round: the round that is wrong, from 0; None if it is none of them.
        turn: the turn in it, from 0; None if it is the deal.
        reason: the message without the place.
    """

    def __init__(self, reason: str, round: int | None = None, turn: int | None = None) -> None:
        where = "" if round is None else f"round {round + 1}: "
        if turn is not None:
            where = where.replace(":", f", turn {turn + 1}:")
        super().__init__(where + reason)
        self.reason = reason
        self.round = round
        self.turn = turn


@dataclass(frozen=True)
class RoundRecord:
    """One round of a game.

    Attributes:
        deck: all cards of the variant in notation, first dealt card first, as `Game` takes them: those at
            even places of the deal are the hand of seat 0, those at odd places that of seat 1.
        first_player: the seat that begins, 0 or 1.
        actions: action codes in the order they were taken.
    """

    deck: tuple[str, ...]
    first_player: int
    actions: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "deck", tuple(self.deck))
        object.__setattr__(self, "actions", tuple(self.actions))


@dataclass(frozen=True)
class Record:
    """One game or match as it was played; it may have been left unfinished.

    Attributes:
        match: what was played.
        players: the names of seat 0 and seat 1.
        rounds: every round that was dealt; at least one.
        headers: whatever else is known, such as ``Date`` or ``Seed``: text by name, kept in this order.

    Raises:
        InvalidRecordError: if no game can have gone like this, or a text cannot be written in one line.

    >>> from lostcities_env.rules.actions import parse_action
    >>> match = Match("mini3")
    >>> deck = "B3 R1 B1 Bx R2 R3 B2 Rx".split()  # hands B3 B1 R2 and R1 Bx R3
    >>> turns = [parse_action(match.variant, turn) for turn in ("R2 deck", "-R1 deck")]
    >>> record = Record(match, ("ann", "bob"), (RoundRecord(deck, first_player=0, actions=turns),))
    >>> record.final().winner
    1
    """

    match: Match
    players: tuple[str, str]
    rounds: tuple[RoundRecord, ...]
    headers: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "players", tuple(self.players))
        object.__setattr__(self, "rounds", tuple(self.rounds))
        object.__setattr__(self, "headers", dict(self.headers))
        if len(self.players) != 2:
            raise InvalidRecordError(f"a game has two players, got {len(self.players)}")
        for player, name in enumerate(self.players):
            check_text(f"the name of player {player}", name)
        check_text("the name of the variant", self.match.variant.name)
        seen: list[str] = []
        for name, value in self.headers.items():
            check_header(name, value, seen)
            seen.append(name)
        for _ in self.replay():
            pass

    def positions(self) -> Iterator[tuple[Game, int]]:
        """Every turn: the game before it, a copy of its own, and the action that was taken."""
        for game, action in self.replay():
            if action is not None:
                yield game.clone(), action

    def final(self) -> Game:
        """The game after the last action; see `Game.over` for whether it was finished."""
        for game, _ in self.replay():
            last = game
        return last

    def replay(self) -> Iterator[tuple[Game, int | None]]:
        """Like `positions`, with one game that goes on, and None for the action at its last position.

        Raises:
            InvalidRecordError: at what no game can have been.
        """
        game = self.deal()
        for number, one in enumerate(self.rounds):
            if game.over:
                raise InvalidRecordError("the match was over before this round", number)
            if game.round < number:
                before = self.rounds[number - 1]
                raise InvalidRecordError(_not_over(game), number - 1, len(before.actions))
            if game.mover != one.first_player:
                raise InvalidRecordError(_who_begins(game.mover), number)
            for turn, action in enumerate(one.actions):
                if game.over or game.round > number:
                    raise InvalidRecordError("the round was over before this turn", number, turn)
                try:
                    game.check(action)
                except (TypeError, ValueError) as error:
                    raise InvalidRecordError(str(error), number, turn) from None
                yield game, int(action)
                game.step(action)
        if game.round >= len(self.rounds):
            raise InvalidRecordError("the match goes on, so the deal of the next round is wanted", game.round)
        yield game, None

    def deal(self) -> Game:
        """The game before the first turn; it deals the later rounds as they were dealt."""
        if not self.rounds:
            raise InvalidRecordError("a record has at least one round")
        most = self.match.rounds + (self.match.tie == "extra_round")
        if len(self.rounds) > most:
            raise InvalidRecordError(f"a match of at most {most} round(s) has no such round", most)
        for number, one in enumerate(self.rounds):
            try:
                parse_deck(self.match.variant, one.deck)
            except ValueError as error:
                raise InvalidRecordError(str(error), number) from None
            if not is_player(one.first_player):
                raise InvalidRecordError(f"first_player={one.first_player!r} is neither 0 nor 1", number)
        return Game(
            self.match.variant,
            rounds=self.match.rounds,
            tie=self.match.tie,
            seed=0,  # no round is shuffled: each has its deck
            deck=[one.deck for one in self.rounds],
            first_player=self.rounds[0].first_player,
        )


def _not_over(game: Game) -> str:
    return (
        f"the turn is missing: a round follows, and {game.deck_count} cards of this one's deck are not drawn"
    )


def _who_begins(mover: int) -> str:
    return (
        f"player {mover} begins: the higher scorer of the round before, or after a tie whoever began that one"
    )


def check_text(what: str, text: str) -> None:
    """Checks what is written as one line.

    Raises:
        InvalidRecordError: if it is empty, too long, not printable, or has a space at an end.
    """
    if not isinstance(text, str):
        raise InvalidRecordError(f"{what} must be text, got {text!r}")
    if not text:
        raise InvalidRecordError(f"{what} is empty")
    if not text.isprintable():
        bad = next(c for c in text if not c.isprintable())
        raise InvalidRecordError(f"{what} has the character U+{ord(bad):04X}, which does not print")
    if text != text.strip():
        raise InvalidRecordError(f"{what} begins or ends with a space: {text!r}")
    if len(text) > MAX_TEXT:
        raise InvalidRecordError(f"{what} has {len(text)} characters, {MAX_TEXT} are allowed")


def printable(text: str) -> str:
    """The nearest text that `check_text` takes: for names that come from elsewhere, such as of files.

    >>> printable(" an\\nn ")
    'an?n'
    """
    kept = "".join(c if c.isprintable() else "?" for c in text.strip())
    return kept[:MAX_TEXT].strip() or "?"


def check_header(name: str, value: str, before: list[str]) -> None:
    """Checks an optional header, and that its name is not one of those before.

    Raises:
        InvalidRecordError: saying what is wrong.
    """
    if not isinstance(name, str) or not _HEADER_NAME.fullmatch(name):
        raise InvalidRecordError(
            f"{name!r} is no name of a header: a letter, then up to 39 letters, digits, spaces, - and _"
        )
    if name.lower() in (one.lower() for one in RESERVED):
        raise InvalidRecordError(f"header {name!r}: the format has a place of its own for that")
    if name.lower() in (one.lower() for one in before):
        raise InvalidRecordError(f"header {name!r} is there twice")
    check_text(f"header {name!r}", value)
