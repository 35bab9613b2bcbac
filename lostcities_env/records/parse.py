"""`parse_records`: text to records. Strict: every line is where it belongs, and says what the replay says."""

import re
from dataclasses import dataclass, replace

from lostcities_env.records.format import (
    FORMAT,
    NEVER,
    RULES,
    TITLE,
    UNFINISHED,
    moves_heading,
    result_text,
    score_text,
)
from lostcities_env.records.lines import Lines, RecordError, shown
from lostcities_env.records.record import InvalidRecordError, Record, RoundRecord, check_header, check_text
from lostcities_env.rules.actions import parse_action
from lostcities_env.rules.cards import NotationError, parse_card, parse_deck
from lostcities_env.rules.game import Game
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import InvalidVariantError, Variant, get_variant

_SCORE = re.compile(rf"-?[0-9]+ : -?[0-9]+(, {UNFINISHED})?")
_RESULT = re.compile(rf"-?[0-9]+ : -?[0-9]+, (draw|player [01] wins)|{UNFINISHED}")
_MORE_CARDS = re.compile(" +[^ 0-9]")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,4}")
_WORDS_A_MOVE = 2


def parse_records(text: str) -> list[Record]:
    """The records of a text, at least one.

    Raises:
        RecordError: at the first line that is wrong; says why, and what would be right.
    """
    lines = Lines(text)
    records = [_record(lines)]
    while not lines.done:
        records.append(_record(lines))
    return records


@dataclass
class _Round:
    """A round and where its parts were found."""

    record: RoundRecord
    begin: int  # the line of who begins
    turns: list[int]  # the line of every turn
    score: tuple[int, str]  # its line, and what it says


def _record(lines: Lines) -> Record:
    _title(lines)
    begin = lines.number
    headers = _Headers(lines)
    match = headers.match
    rounds = [_round(lines, match.variant, 1)]
    while lines.next.startswith("Round"):
        rounds.append(_round(lines, match.variant, len(rounds) + 1))
    result = " ".join(lines.expect("Result").split())
    if not _RESULT.fullmatch(result):
        lines.fail(
            f"'Result: 62 : 40, player 0 wins', 'Result: 40 : 40, draw' or 'Result: {UNFINISHED}' is wanted, "
            f"got {shown(result)}"
        )
    try:
        record = Record(match, headers.players, tuple(one.record for one in rounds), headers.others)
    except InvalidRecordError as error:
        raise RecordError(_line_of(error, begin, rounds, lines.number), str(error)) from None
    _check_scores(record.final(), rounds, (lines.number, result))
    return record


def _title(lines: Lines) -> None:
    if not lines.next.startswith(TITLE):
        lines.refuse(f"'{TITLE} {FORMAT}', the first line of a record,")
    version = lines.take().removeprefix(TITLE).strip()
    if version != str(FORMAT):
        lines.fail(f"format {shown(version)} is not known; this version reads format {FORMAT}")


class _Headers:
    """The headers of a record."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._seen: dict[str, int] = {}
        self.players = (self._text("Player 0"), self._text("Player 1"))
        self.match = self._match()
        self.others: dict[str, str] = {}
        while ":" in lines.next or not lines.next.startswith("Round"):
            self._other()

    def _take(self, name: str) -> str:
        value = self._lines.expect(name)
        self._seen[name.lower()] = self._lines.number
        return value

    def _text(self, name: str) -> str:
        value = self._take(name)
        try:
            check_text(name, value)
        except InvalidRecordError as error:
            self._lines.fail(error.reason)
        return value

    def _match(self) -> Match:
        lines = self._lines
        name = self._text("Variant")
        try:
            variant = self._custom(name) if lines.next.startswith("Rules:") else get_variant(name)
        except InvalidVariantError as error:
            lines.fail(f"{error}; a variant of another name states its 'Rules: ...' in the next line")
        close = self._take("Piles close at")
        try:
            turns = None if close == NEVER else _number(lines, close, f"a number of turns or '{NEVER}'")
            variant = replace(variant, piles_close_at=turns)
            rounds = _number(lines, self._take("Rounds"), "a number of rounds")
            Match(variant, rounds)
            return Match(variant, rounds, self._take("Tie"))
        except RecordError:
            raise
        except ValueError as error:
            lines.fail(str(error))

    def _custom(self, name: str) -> Variant:
        lines = self._lines
        rules: dict[str, int] = {}
        for word in self._take("Rules").split():
            key, equals, value = word.partition("=")
            if key not in RULES or not equals:
                lines.fail(
                    f"{shown(word)} is no rule; each is one of {', '.join(RULES)}, then = and a number"
                )
            if key in rules:
                lines.fail(f"{key} is there twice")
            rules[key] = _number(lines, value, f"a number after {key}=")
        missing = [key for key in RULES if key not in rules]
        if missing:
            lines.fail(f"{', '.join(missing)} is missing")
        try:
            return Variant(name=name, **rules)
        except InvalidVariantError as error:
            lines.fail(str(error))

    def _other(self) -> None:
        lines = self._lines
        if ":" not in lines.next:
            lines.refuse("another header 'Name: value' or 'Round 1'")
        name, _, value = lines.take().partition(":")
        first = self._seen.get(name.lower())
        if first is not None:
            lines.fail(f"header {shown(name)} is there twice, first in line {first}")
        value = value.strip()
        try:
            check_header(name, value, [])
        except InvalidRecordError as error:
            lines.fail(error.reason)
        self._seen[name.lower()] = lines.number
        self.others[name] = value


def _number(lines: Lines, text: str, wanted: str) -> int:
    if not _NUMBER.fullmatch(text):
        lines.fail(f"{wanted} is wanted, got {shown(text)}")
    return int(text)


def _round(lines: Lines, variant: Variant, number: int) -> _Round:
    if lines.next != f"Round {number}":
        lines.refuse(f"'Round {number}'")
    lines.take()
    first = lines.expect("First player")
    begin = lines.number
    if first not in ("0", "1"):
        lines.fail(f"the first player is 0 or 1, got {shown(first)}")
    deck = _deal(lines, variant)
    actions, turns = _moves(lines, variant, int(first))
    score = " ".join(lines.expect("Score").split())
    if not _SCORE.fullmatch(score):
        lines.fail(f"'Score: 62 : 40' or 'Score: 62 : 40, {UNFINISHED}' is wanted, got {shown(score)}")
    record = RoundRecord(tuple(deck), int(first), tuple(actions))
    return _Round(record, begin, turns, (lines.number, score))


def _deal(lines: Lines, variant: Variant) -> list[str]:
    """All cards, first dealt card first."""
    hands = []
    for player in range(2):
        hand = _cards(lines, variant, lines.expect(f"Hand {player}"))
        if len(hand) != variant.hand_size:
            lines.fail(f"a hand has {variant.hand_size} cards, got {len(hand)}")
        hands.append(hand)
    deck = _cards(lines, variant, lines.expect("Deck"))
    begin = lines.number
    while _MORE_CARDS.match(lines.next):
        deck += _cards(lines, variant, lines.take())
    if len(deck) != variant.deck_size:
        raise RecordError(begin, f"the deck has {variant.deck_size} cards after the deal, got {len(deck)}")
    cards = [card for pair in zip(*hands, strict=True) for card in pair] + deck
    try:
        parse_deck(variant, cards)
    except ValueError as error:
        raise RecordError(begin, f"with the hands: {error}") from None
    return cards


def _cards(lines: Lines, variant: Variant, text: str) -> list[str]:
    cards = text.split()
    try:
        for card in cards:
            parse_card(variant, card)
    except NotationError as error:
        lines.fail(str(error))
    return cards


def _moves(lines: Lines, variant: Variant, first: int) -> tuple[list[int], list[int]]:
    """Action codes, and the line of each."""
    heading = moves_heading(first)
    if lines.next.split() != heading.split():
        lines.refuse(f"'{heading}', the heading of the moves,")
    lines.take()
    actions: list[int] = []
    turns: list[int] = []
    while lines.next and not lines.next.startswith("Score"):
        number, *words = lines.take().split()
        if len(actions) % 2:
            raise RecordError(
                turns[-1], f"turn {len(actions) + 1} is missing; only the last line has one move"
            )
        if number != str(len(actions) + 1):
            lines.fail(f"turn {len(actions) + 1} or 'Score: ...' is wanted, got {shown(number)}")
        if len(words) not in (_WORDS_A_MOVE, 2 * _WORDS_A_MOVE):
            lines.fail(
                f"one or two moves such as 'R7 deck' are wanted after {number}, got {shown(' '.join(words))}"
            )
        for k in range(0, len(words), _WORDS_A_MOVE):
            try:
                actions.append(parse_action(variant, " ".join(words[k : k + _WORDS_A_MOVE])))
            except NotationError as error:
                lines.fail(f"turn {len(actions) + 1}: {error}")
            turns.append(lines.number)
    return actions, turns


def _line_of(error: InvalidRecordError, begin: int, rounds: list[_Round], end: int) -> int:
    """The line that is to blame."""
    if error.round is None:
        return begin
    if error.round >= len(rounds):
        return end
    one = rounds[error.round]
    if error.turn is None:
        return one.begin
    return one.turns[error.turn] if error.turn < len(one.turns) else one.score[0]


def _check_scores(game: Game, rounds: list[_Round], result: tuple[int, str]) -> None:
    for number, one in enumerate(rounds):
        line, said = one.score
        right = score_text(game, number)
        if right.endswith(UNFINISHED) and not said.endswith(UNFINISHED):
            raise RecordError(
                line,
                f"the round is not over after {len(one.turns)} turns, {game.deck_count} cards are left in "
                f"the deck: moves are missing, or this is 'Score: {right}'",
            )
        if said != right:
            raise RecordError(line, f"the moves make 'Score: {right}', got 'Score: {said}'")
    line, said = result
    right = result_text(game)
    if said != right:
        raise RecordError(line, f"the moves make 'Result: {right}', got 'Result: {said}'")
