"""The canonical form of records, and what the documentation says of it."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from lostcities_env.records import RoundRecord, format_record, parse_records
from lostcities_env.records.format import RULES, is_named
from lostcities_env.rules.state import TIE_RULES
from lostcities_env.rules.variant import COLOUR_LETTERS, MINI_3, STANDARD, VARIANTS, Variant
from tests.records.test_record import RECORD

PAGE = (Path(__file__).parents[2] / "docs" / "records.md").read_text()


def test_the_example_in_the_documentation_is_canonical() -> None:
    (text,) = re.findall(r'^```text title="game.txt"\n(.*?)^```$', PAGE, re.DOTALL | re.MULTILINE)
    (record,) = parse_records(text)
    assert record.final().over
    assert format_record(record) == text


def test_the_grammar_in_the_documentation_knows_all_words() -> None:
    grammar = PAGE[PAGE.index("file    = ") : PAGE.index("- **Text**")]
    for word in (*TIE_RULES, *COLOUR_LETTERS):
        assert f'"{word}"' in grammar
    for line in re.findall("^[A-Z][A-Za-z0-9 ]+:?(?= )", format_record(RECORD), re.MULTILINE):
        assert line.split("  ")[0] in grammar or line in ("Date:", "Seed:")
    example = " ".join(f"{name}={getattr(Variant(n_colours=3), name)}" for name in RULES)
    assert example in " ".join(PAGE.split())


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=list(VARIANTS))
def test_a_named_variant_is_stated_by_its_name(variant: Variant) -> None:
    assert is_named(variant)
    assert is_named(replace(variant, piles_close_at=None))
    assert not is_named(replace(variant, bonus=variant.bonus + 1))
    assert not is_named(replace(variant, name="mine"))


def test_no_line_is_longer_than_the_cards_or_the_rules_need() -> None:
    assert max(map(len, format_record(RECORD).splitlines())) < 80


def test_a_deck_is_written_in_rows() -> None:
    deck = parse_records(PAGE[PAGE.index("Lost Cities record 1") : PAGE.index("```\n\nThe turns")])[0].rounds[
        0
    ]
    text = format_record(replace(RECORD, match=replace(RECORD.match, variant=STANDARD), rounds=(left(deck),)))
    rows = text[text.index("Deck: ") : text.index("\n\nTurn")].splitlines()
    assert [len(row.removeprefix("Deck:").split()) for row in rows] == [20, 20, 4]
    assert all(row.startswith("      ") for row in rows[1:])


def left(one: RoundRecord) -> RoundRecord:
    """The round before its first turn."""
    return replace(one, actions=())


def test_a_round_without_turns_has_its_heading() -> None:
    text = format_record(replace(RECORD, rounds=(left(RECORD.rounds[0]),)))
    assert text.endswith("Turn  Player 1   Player 0\nScore: 0 : 0, unfinished\n\nResult: unfinished\n")
    assert parse_records(text)[0].match.variant == MINI_3
