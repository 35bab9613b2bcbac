"""Text of records: read exactly, or refused with the line and the reason."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lostcities_env.records import Record, RecordError, format_record, format_records, parse_records
from tests.records.malformed import MALFORMED, RULES, TEXT
from tests.records.strategies import records
from tests.records.test_record import RECORD


def test_the_text_is_the_record() -> None:
    assert parse_records(TEXT) == [RECORD]
    assert format_record(RECORD) == TEXT


def edited(*changes: tuple[str, str]) -> str:
    """The text with every change made once, at its first place."""
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TEXT.replace("\n", "\r\n"), id="line ends of Windows"),
        pytest.param(TEXT.removesuffix("\n"), id="no line end at the end"),
        pytest.param(TEXT.replace("\n\n", "\n"), id="no blank lines"),
        pytest.param(TEXT.replace("\n", "\n\n"), id="more blank lines"),
        pytest.param(TEXT.replace("   1  ", "1 ").replace("      ", " "), id="other spaces"),
        pytest.param(TEXT.replace("Deck: B1 B2", "Deck: B1\n B2"), id="a deck of two lines"),
        pytest.param(TEXT.replace("mini3\n", f"mini3\nRules: {RULES}\n"), id="the rules of a named variant"),
        pytest.param(
            TEXT.replace("-3, player", "-3,  player").replace("e: 0 :", "e:   0 :"), id="wide scores"
        ),
    ],
)
def test_what_people_do_to_spaces_is_no_error(text: str) -> None:
    assert text != TEXT
    assert parse_records(text) == [RECORD]


def test_a_header_may_begin_like_a_line_of_the_format() -> None:
    headers = {"Round of the cup": "1", "Roundabout": "x", "Result at home": "3 : 4", "Variants": "all"}
    record = replace(RECORD, headers=headers)
    assert parse_records(format_record(record)) == [record]


def test_a_match_left_in_the_middle() -> None:
    text = edited(
        ("   1  R1 deck    -B1 deck\nScore: 0 : -2", "   1  R1 deck\nScore: 0 : -2, unfinished"),
        ("Result: -2 : -3, player 0 wins", "Result: unfinished"),
    )
    (record,) = parse_records(text)
    assert format_record(record) == text
    assert record.final().round_scores == [(-2, -1)]


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_record_is_refused_with_line_and_reason(name: str) -> None:
    changes, line, reason = MALFORMED[name]
    with pytest.raises(RecordError) as caught:
        parse_records(edited(*changes))
    assert str(caught.value).startswith(f"line {line}: {reason}")
    assert caught.value.line == line


def test_lines_are_counted_over_all_records() -> None:
    broken = TEXT.replace("Score: 0 : -2", "Score: 0 : 2")
    with pytest.raises(RecordError, match=r"^line 63: the moves make"):
        parse_records(TEXT + "\n" + broken)


@given(st.lists(records(max_turns=30), min_size=1, max_size=2))
def test_records_come_back_from_their_text(several: list[Record]) -> None:
    text = format_records(several)
    back = parse_records(text)
    assert back == several
    assert [list(one.headers) for one in back] == [list(one.headers) for one in several]
    assert format_records(back) == text


@st.composite
def mutations(draw: st.DrawFn) -> str:
    """The text of a valid record with one to three things done to it."""
    text = draw(st.just(TEXT) | records(max_turns=20).map(format_record))
    for _ in range(draw(st.integers(1, 3))):
        text = draw(st.sampled_from([_mutate_lines, _mutate_word, _mutate_character]))(draw, text)
    return text


def _mutate_lines(draw: st.DrawFn, text: str) -> str:
    lines = text.split("\n")
    i, j = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    kind = draw(st.sampled_from(["delete", "duplicate", "swap", "cut"]))
    if kind == "delete":
        del lines[i]
    elif kind == "duplicate":
        lines.insert(j, lines[i])
    elif kind == "swap":
        lines[i], lines[j] = lines[j], lines[i]
    else:
        del lines[i:]
    return "\n".join(lines)


def _mutate_word(draw: st.DrawFn, text: str) -> str:
    words = re.split(r"(\s+)", text)
    i = draw(st.integers(0, len(words) - 1))
    words[i] = draw(st.sampled_from(words) | st.text(max_size=5))
    return "".join(words)


def _mutate_character(draw: st.DrawFn, text: str) -> str:
    i = draw(st.integers(0, len(text)))
    return text[:i] + draw(st.text(max_size=1)) + text[i + draw(st.integers(0, 1)) :]


def error_in(text: str) -> RecordError | None:
    try:
        back = parse_records(text)
    except RecordError as error:
        return error
    assert parse_records(format_records(back)) == back
    return None


@given(mutations())
def test_whatever_is_done_to_a_record_it_is_one_or_the_line_is_named(text: str) -> None:
    error = error_in(text)
    if error is not None:
        assert 1 <= error.line <= text.count("\n") + 1
        assert str(error) == f"line {error.line}: {error.reason}"
        assert "\n" not in str(error)
