"""The file of results: appended line by line, cut short at any byte, never mixed with another tournament."""

import json
from pathlib import Path

import numpy as np
import pytest

from lostcities_env.evaluation.pairs import play_pairs
from lostcities_env.evaluation.results_file import (
    OtherResultsError,
    ResultsError,
    ResultsFile,
    decode_pairs,
    encode_pairs,
)
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import VARIANTS

HEADER = {"agents": ["owl", "wren"], "match": {"rounds": 1, "tie": "draw"}, "pairs": 10}


def chunks_in(path: Path) -> list[dict[str, object]]:
    with ResultsFile(path, HEADER) as results:
        return [record for _, record in results.records()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with two chunks."""
    path = tmp_path / "results.jsonl"
    with ResultsFile(path, HEADER) as results:
        assert list(results.records()) == []
        results.append({"chunk": 1})
        results.append({"chunk": 2})
    return path


def test_a_line_for_the_header_and_each_chunk(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert [json.loads(line) for line in lines] == [HEADER, {"chunk": 1}, {"chunk": 2}]
    assert chunks_in(path) == [{"chunk": 1}, {"chunk": 2}]


def test_wherever_it_was_cut_the_whole_lines_count_and_the_file_goes_on_after_them(path: Path) -> None:
    content = path.read_bytes()
    for length in range(0, len(content), 7):  # each costs a write that is forced to the disk
        path.write_bytes(content[:length])
        with ResultsFile(path, HEADER) as results:
            count = len(list(results.records()))
            assert count == max(content[:length].count(b"\n") - 1, 0)
            for number in range(count + 1, 3):
                results.append({"chunk": number})
        assert path.read_bytes() == content


def test_another_header_is_refused_with_what_differs_and_the_file_stays(path: Path) -> None:
    content = path.read_bytes()
    other = {"agents": ["owl", "wren"], "match": {"rounds": 3, "tie": "draw"}, "pairs": 20, "seed": 4}
    with pytest.raises(OtherResultsError) as caught:
        ResultsFile(path, other)
    assert str(caught.value) == (
        f"{path} holds results of other arguments: match.rounds: 1 there, 3 now; "
        "pairs: 10 there, 20 now; seed: nothing there, 4 now"
    )
    assert path.read_bytes() == content


@pytest.mark.parametrize(("line", "what"), [("{oops", "not JSON"), ("[1]", "not a JSON object")])
def test_a_damaged_line_is_named(path: Path, line: str, what: str) -> None:
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(ResultsError, match=f"results.jsonl, line 4: {what}"):
        chunks_in(path)


def test_pairs_come_back_as_they_were() -> None:
    match = Match(VARIANTS["mini3"], 2, "extra_round")
    played = play_pairs("random", "discard", match, pairs=3, seed=1)
    read = decode_pairs(json.loads(json.dumps(encode_pairs(played))))
    for name in ("rounds", "played", "winners"):
        assert getattr(read, name).dtype == getattr(played, name).dtype
        np.testing.assert_array_equal(getattr(read, name), getattr(played, name))


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("winners", [7, 0], "rounds, played and winners are of different games"),
        ("winners", [[7, 0]], "a game is won by 0 or 1, or drawn: -1"),
        ("played", [[9, 1]], "a game has 0 to 1 rounds"),
        ("played", [[0, 1]], "there must be a forfeit for every game of which no round was played"),
    ],
)
def test_impossible_pairs_are_refused(field: str, value: object, message: str) -> None:
    record = encode_pairs(play_pairs("random", "discard", Match(VARIANTS["mini3"]), pairs=1))
    with pytest.raises(ValueError, match=message):
        decode_pairs(record | {field: value})
