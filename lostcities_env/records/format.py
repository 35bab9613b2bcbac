"""Records as text: `format_record`, and the words that the format is made of."""

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace

from lostcities_env.records.record import Record, RoundRecord
from lostcities_env.rules.actions import format_action
from lostcities_env.rules.game import Game
from lostcities_env.rules.variant import VARIANTS, Variant

FORMAT = 1
"""Version of the format."""
TITLE = "Lost Cities record"
"""With the version, the first line of every record."""
NEVER = "never"
UNFINISHED = "unfinished"
DRAW = "draw"
CARDS_A_LINE = 20
RULES = tuple(field.name for field in fields(Variant) if field.name not in ("name", "piles_close_at"))
"""The fields of a variant that ``Rules`` states."""
_MOVE = 11  # width of the first column of moves


def format_records(records: Sequence[Record]) -> str:
    """The text of records, one after the other."""
    return "\n".join(map(format_record, records))


def format_record(record: Record) -> str:
    """The canonical text of a record, as `docs/records.md` describes it; `parse_records` is the way back."""
    lines = [f"{TITLE} {FORMAT}", *_headers(record)]
    final = record.final()
    for number, one in enumerate(record.rounds):
        lines += ["", f"Round {number + 1}", *_deal(record, one), "", *_moves(record.match.variant, one)]
        lines.append(f"Score: {score_text(final, number)}")
    lines += ["", f"Result: {result_text(final)}"]
    return "\n".join(lines) + "\n"


def _headers(record: Record) -> Iterator[str]:
    match = record.match
    variant = match.variant
    for player, name in enumerate(record.players):
        yield f"Player {player}: {name}"
    yield f"Variant: {variant.name}"
    if not is_named(variant):
        yield "Rules: " + " ".join(f"{name}={getattr(variant, name)}" for name in RULES)
    close = variant.piles_close_at
    yield f"Piles close at: {NEVER if close is None else close}"
    yield f"Rounds: {match.rounds}"
    yield f"Tie: {match.tie}"
    for name, value in record.headers.items():
        yield f"{name}: {value}"


def is_named(variant: Variant) -> bool:
    """Whether the name of a variant says all of it but when the piles close."""
    named = VARIANTS.get(variant.name)
    return named is not None and replace(named, piles_close_at=variant.piles_close_at) == variant


def _deal(record: Record, one: RoundRecord) -> Iterator[str]:
    dealt = 2 * record.match.variant.hand_size
    yield f"First player: {one.first_player}"
    for player in range(2):
        yield f"Hand {player}: {' '.join(one.deck[player:dealt:2])}"
    deck = one.deck[dealt:]
    rows = [" ".join(deck[k : k + CARDS_A_LINE]) for k in range(0, len(deck), CARDS_A_LINE)]
    yield "Deck: " + "\n      ".join(rows)


def _moves(variant: Variant, one: RoundRecord) -> Iterator[str]:
    yield moves_heading(one.first_player)
    moves = [format_action(variant, action) for action in one.actions]
    for turn in range(0, len(moves), 2):
        first, *second = moves[turn : turn + 2]
        yield f"{turn + 1:4}  {first:{_MOVE}}{''.join(second)}".rstrip()


def moves_heading(first_player: int) -> str:
    """The line above the moves: whose they are."""
    return f"{'Turn':6}{f'Player {first_player}':{_MOVE}}Player {1 - first_player}"


def score_text(game: Game, number: int) -> str:
    """What is said of the score of a round (from 0) of a game that has dealt it."""
    if number < len(game.round_scores):
        first, second = game.round_scores[number]
        return f"{first} : {second}"
    first, second = game.scores
    return f"{first} : {second}, {UNFINISHED}"


def result_text(game: Game) -> str:
    """What is said of the end of a game."""
    if not game.over:
        return UNFINISHED
    first, second = game.match_scores
    return f"{first} : {second}, {DRAW if game.winner is None else f'player {game.winner} wins'}"
