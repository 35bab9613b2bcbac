"""Playing a tournament: the same results with any number of workers and after any interruption."""

import json
import multiprocessing
from dataclasses import replace
from multiprocessing.connection import wait
from pathlib import Path

import numpy as np
import pytest

from lostcities_env.agents.attempts import AgentFailedError
from lostcities_env.evaluation.contests import FAILURES, PAIRS_A_CHUNK, chunks_of
from lostcities_env.evaluation.evaluation import summarise, versions
from lostcities_env.evaluation.pairs import play_pairs
from lostcities_env.evaluation.results_file import OtherResultsError, ResultsError
from lostcities_env.evaluation.terms import Terms
from lostcities_env.evaluation.tournament import RESULTS, Protocol, play_tournament
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import VARIANTS

MATCH = Match(VARIANTS["mini3"])
PROTOCOL = Protocol(("random", "discard", "greedy"), MATCH, 2 * PAIRS_A_CHUNK + 5, seed=3)


class Interruption(BaseException):
    """Raised where a person might press Ctrl-C."""


def lines_of(folder: Path) -> list[str]:
    return (folder / RESULTS).read_text().splitlines()


def interrupt_from(share: float) -> object:
    def progress(done: float) -> None:
        if done >= share:
            raise Interruption

    return progress


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament played at one go, by one worker."""
    folder = tmp_path_factory.mktemp("whole")
    play_tournament(PROTOCOL, folder, workers=1)
    return folder


def test_every_two_agents_play_the_pairs_that_an_evaluation_would(whole: Path) -> None:
    tournament = play_tournament(PROTOCOL, whole, workers=1)
    pairings = [("random", "discard"), ("random", "greedy"), ("discard", "greedy")]
    for played, (a, b) in zip(tournament, pairings, strict=True):
        expected = play_pairs(a, b, MATCH, pairs=PROTOCOL.pairs, seed=3)
        np.testing.assert_array_equal(played.rounds, expected.rounds)
        assert summarise(played, (a, b), MATCH, 3) == summarise(expected, (a, b), MATCH, 3)


def test_the_file_says_what_was_played_in_balanced_chunks(whole: Path) -> None:
    header, *chunks = map(json.loads, lines_of(whole))
    assert header == PROTOCOL.to_dict()
    assert header["versions"] == versions()
    sizes = [(chunk["a"], chunk["b"], chunk["first_pair"], chunk["pairs"]) for chunk in chunks]
    assert sizes[:4] == [
        ("random", "discard", 0, 100),
        ("random", "greedy", 0, 100),
        ("discard", "greedy", 0, 100),
        ("random", "discard", 100, 100),
    ]
    assert sizes[-1] == ("discard", "greedy", 200, 5)


def test_it_goes_on_after_an_interruption(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(Interruption):
        play_tournament(PROTOCOL, tmp_path, workers=1, progress=interrupt_from(0.4))  # type: ignore[arg-type]
    assert len(lines_of(tmp_path)) == 5
    shares: list[float] = []
    play_tournament(PROTOCOL, tmp_path, workers=1, progress=shares.append)
    assert shares == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])
    assert lines_of(tmp_path) == lines_of(whole)


def test_a_half_written_chunk_is_played_again(whole: Path, tmp_path: Path) -> None:
    content = (whole / RESULTS).read_bytes()
    (tmp_path / RESULTS).write_bytes(content[:-50])
    play_tournament(PROTOCOL, tmp_path, workers=1)
    assert (tmp_path / RESULTS).read_bytes() == content


def test_a_finished_tournament_is_only_read(whole: Path) -> None:
    content = (whole / RESULTS).read_bytes()
    play_tournament(PROTOCOL, whole, workers=1, progress=interrupt_from(0))  # type: ignore[arg-type]
    assert (whole / RESULTS).read_bytes() == content


@pytest.mark.slow
def test_workers_change_nothing_and_end_with_an_interruption(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(Interruption):
        play_tournament(PROTOCOL, tmp_path, workers=2, progress=interrupt_from(0))  # type: ignore[arg-type]
    for process in multiprocessing.active_children():
        # Not join and is_alive: the executor's thread waits too, and one of the two would miss the end.
        assert wait([process.sentinel], 30)
    play_tournament(PROTOCOL, tmp_path, workers=2)
    assert sorted(lines_of(tmp_path)) == sorted(lines_of(whole))


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (
            Protocol(("random", "greedy"), MATCH, 205, 3),
            "agents: ['random', 'discard', 'greedy'] there, ['ra",
        ),
        (Protocol(PROTOCOL.agents, MATCH, 300, 3), "pairs: 205 there, 300 now"),
        (Protocol(PROTOCOL.agents, MATCH, 205, 4), "seed: 3 there, 4 now"),
        (Protocol(PROTOCOL.agents, Match(VARIANTS["mini3"], 3), 205, 3), "match.rounds: 1 there, 3 now"),
        (
            Protocol(PROTOCOL.agents, Match(VARIANTS["mini1"]), 205, 3),
            "match.variant.name: mini3 there, mini1 now",
        ),
    ],
)
def test_other_arguments_are_refused(whole: Path, other: Protocol, difference: str) -> None:
    before = lines_of(whole)
    with pytest.raises(OtherResultsError) as caught:
        play_tournament(other, whole, workers=1)
    assert difference in str(caught.value)
    assert lines_of(whole) == before


def test_weights_that_changed_are_another_agent(tmp_path: Path) -> None:
    path = tmp_path / "policy.safetensors"
    path.write_bytes(b"first")
    assert list(Protocol(("random", "quick"), Match(), 1).to_dict()["sha256"]) == ["quick"]
    protocol = Protocol(("random", str(path)), MATCH, 1)
    first = protocol.to_dict()["sha256"]
    path.write_bytes(b"second")
    assert list(first) == [str(path)]
    assert protocol.to_dict()["sha256"] != first


BOTS = """
import time

def first(observation, action_mask):
    return action_mask.argmax()

def crash(observation, action_mask):
    raise ValueError(f"{len(observation)} values")

def hang(observation, action_mask):
    time.sleep(60)
"""


@pytest.fixture
def bots(tmp_path: Path) -> str:
    path = tmp_path / "bots.py"
    path.write_text(BOTS)
    return str(path)


def test_a_guest_that_fails_forfeits_and_the_tournament_goes_on(bots: str, tmp_path: Path) -> None:
    protocol = Protocol(("random", f"{bots}:crash", f"{bots}:first"), MATCH, 105, seed=3)
    folder = tmp_path / "out"
    crashing, level, other = play_tournament(protocol, folder, workers=1)
    assert (level.forfeits, len(crashing.forfeits), len(other.forfeits)) == ((), 210, 210)
    assert {(forfeit.contestant, forfeit.reason) for forfeit in crashing.forfeits} == {(1, "crash")}
    assert {(forfeit.contestant, forfeit.reason) for forfeit in other.forfeits} == {(0, "crash")}
    assert (crashing.winners == 0).all()
    again = play_tournament(protocol, folder, workers=1)  # now from the file
    assert [played.forfeits for played in again] == [crashing.forfeits, (), other.forfeits]
    saved = [forfeit.saved for played in again for forfeit in played.forfeits if forfeit.saved]
    assert len(saved) == 4, "the first of each reason of a chunk"
    assert sorted(saved) == sorted(path.name for path in (folder / FAILURES).iterdir())


@pytest.mark.slow
def test_guests_play_in_workers_against_the_clock(bots: str, tmp_path: Path) -> None:
    agents = ("random", f"{bots}:hang", f"{bots}:first")
    protocol = Protocol(agents, MATCH, 2, seed=3, terms=Terms(move_seconds=0.5))
    hanging, level, _ = play_tournament(protocol, tmp_path / "out", workers=2)
    assert {forfeit.reason for forfeit in hanging.forfeits} == {"time"}
    assert (len(hanging.forfeits), level.forfeits) == (4, ())
    assert len(list((tmp_path / "out" / FAILURES).iterdir())) == 2


def test_a_guest_whose_file_has_changed_is_another_agent(bots: str, tmp_path: Path) -> None:
    protocol = Protocol(("random", f"{bots}:first"), MATCH, 2)
    play_tournament(protocol, tmp_path / "out", workers=1)
    Path(bots).write_text(BOTS + "\n")
    with pytest.raises(
        OtherResultsError, match=r"sha256\..*bots\.py:first: [0-9a-f]{64} there, [0-9a-f]{64} now"
    ):
        play_tournament(protocol, tmp_path / "out", workers=1)


@pytest.mark.parametrize(
    ("terms", "difference"),
    [
        (Terms(move_seconds=5), "move_seconds: None there, 5 now"),
        (Terms(strict=True), "strict: None there, True now"),
    ],
)
def test_other_terms_are_refused(whole: Path, terms: Terms, difference: str) -> None:
    with pytest.raises(OtherResultsError, match=difference):
        play_tournament(replace(PROTOCOL, terms=terms), whole, workers=1)


def test_strict_terms_end_at_the_first_failure(bots: str, tmp_path: Path) -> None:
    protocol = Protocol(("random", f"{bots}:crash"), MATCH, 2, terms=Terms(strict=True))
    with pytest.raises(AgentFailedError, match="crash: ValueError"):
        play_tournament(protocol, tmp_path / "out", workers=1)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"a": "nobody"}, "not a chunk of these contests"),
        ({"rounds": {}}, "not a chunk of results"),
        ({"first_pair": 7}, "not a chunk of these contests"),
        ({"forfeits": [{"reason": "crash"}]}, "not a chunk of results"),
        ({"played": [[0, 1]] * PAIRS_A_CHUNK}, "not a chunk of results .*a forfeit for every game"),
        ({"winners": [[0, 0]], "played": [[1, 1]]}, "not a chunk of results .*are of different games"),
    ],
)
def test_a_chunk_that_cannot_be_is_refused(
    whole: Path, tmp_path: Path, change: dict[str, object], what: str
) -> None:
    header, chunk, *_ = lines_of(whole)
    (tmp_path / RESULTS).write_text(f"{header}\n{json.dumps(json.loads(chunk) | change)}\n")
    with pytest.raises(ResultsError, match=f"line 2: {what}"):
        play_tournament(PROTOCOL, tmp_path, workers=1)


@pytest.mark.parametrize(
    ("agents", "pairs", "seed", "message"),
    [
        (("random",), 1, 0, "at least two agents, got 1"),
        (("random", "greedy", "random"), 1, 0, "every agent once, got 'random' twice"),
        (("random", "greedy"), 0, 0, "pairs=0 is not a positive integer"),
        (("random", "greedy"), 1, -1, "seed"),
    ],
)
def test_a_protocol_that_cannot_be_played(
    agents: tuple[str, ...], pairs: int, seed: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Protocol(agents, MATCH, pairs, seed)


def test_the_number_of_workers_is_checked(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="workers=0 is not a positive integer"):
        play_tournament(PROTOCOL, tmp_path, workers=0)


def test_chunks_cover_every_pair_once() -> None:
    chunks = chunks_of(PROTOCOL.contests)
    covered = [
        (chunk.contest, pair) for chunk in chunks for pair in range(chunk.first, chunk.first + chunk.pairs)
    ]
    assert covered == sorted(set(covered), key=covered.index)
    assert set(covered) == {(contest, k) for contest in PROTOCOL.contests for k in range(PROTOCOL.pairs)}
    assert chunks[0].key == {"a": "random", "b": "discard", "first_pair": 0, "pairs": PAIRS_A_CHUNK}
