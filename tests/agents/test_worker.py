"""A guest in a process of its own: it cannot hang, exit or print its way out."""

import os
import time
from pathlib import Path

import numpy as np
import pytest

from lostcities_env.agents import GuestError, make, worker
from lostcities_env.agents.worker import WorkerGuest
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import observation_size
from lostcities_env.rules.variant import VARIANTS

MATCH = Match(VARIANTS["mini3"])
HANG, EXIT, DIE, CRASH, HALF, CLOSE = range(6)
"""What the bot does when that action is the first legal one; otherwise it takes it."""

BOT = """
import os, signal, subprocess, sys, time

calls = 0

def play(observation, action_mask):
    global calls
    calls += 1
    first = int(action_mask.argmax())
    print("thinking about", first)
    if first == 0:
        subprocess.Popen(["sleep", "60"])  # a child that holds its pipes open
        time.sleep(60)
    if first == 1:
        os._exit(3)
    if first == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    if first == 3:
        raise ValueError("three")
    if first == 4:
        return 0.5
    if first == 5:
        os.closerange(3, 50)
        time.sleep(60)
    return first

def calls_so_far(observation, action_mask):
    global calls
    calls += 1
    return calls

def with_seed(match, seed):
    return lambda observation, action_mask: seed % 40

class InBatches:
    def act(self, observations, action_masks):
        assert len(observations) == 1, "asked for one move at a time"
        return action_masks.argmax(axis=1)

def reads(observation, action_mask):
    return len(sys.stdin.read())
"""


@pytest.fixture(autouse=True)
def _workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    monkeypatch.chdir(tmp_path)


def views(*firsts: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions by their first legal action."""
    masks = np.zeros((len(firsts), MATCH.variant.n_actions), dtype=np.int8)
    for mask, first in zip(masks, firsts, strict=True):
        mask[first:] = 1
    return np.zeros((len(firsts), observation_size(MATCH, "recall")), dtype=np.float32), masks


def guest(name: str, seconds: float = 5.0, seed: int = 0) -> WorkerGuest:
    made = make(f"bot.py:{name}", MATCH, seed=seed, move_seconds=seconds)
    assert isinstance(made, WorkerGuest)
    return made


def test_every_way_to_fail_costs_one_move(capfd: pytest.CaptureFixture[str]) -> None:
    agent = guest("play", seconds=1.5)
    actions, failures = agent.attempt(*views(7, EXIT, 8, CRASH, HANG, HALF, DIE, 9))
    assert actions.tolist() == [7, 0, 8, 0, 0, 0, 0, 9]
    assert {row: failure[:2] for row, failure in failures.items()} == {
        1: ("crash", "its process ended with exit code 3"),
        3: ("crash", "ValueError: three (bot.py, line 19)"),
        4: ("time", "no answer within 1.5 s"),
        5: ("answer", "an integer is wanted, got 0.5 of type float"),
        6: ("crash", "its process ended by SIGKILL"),
    }
    out, err = capfd.readouterr()
    assert out == ""
    assert "thinking about 8\n" in err
    assert agent.act(*views(11)).tolist() == [11]


def test_closed_pipes_are_a_crash() -> None:
    _, failures = guest("play").attempt(*views(CLOSE))
    assert failures[0][:2] == ("crash", "its process closed its pipes")


def test_its_process_lives_from_move_to_move_and_ends_with_it() -> None:
    agent = guest("calls_so_far")
    assert agent.act(*views(1, 1)).tolist() == [1, 2]
    assert agent.act(*views(1)).tolist() == [3]
    agent.reset(1)
    assert agent.act(*views(1)).tolist() == [1]
    assert agent._process is not None
    pid = agent._process._popen.pid
    os.kill(pid, 0)
    del agent
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_it_gets_the_seed_and_no_input() -> None:
    assert guest("with_seed", seed=17).act(*views(0)).tolist() == [17]
    assert guest("reads").act(*views(0)).tolist() == [0]


def test_batches_are_asked_for_move_by_move() -> None:
    assert guest("InBatches").act(*views(4, 2, 0)).tolist() == [4, 2, 0]


def test_a_guest_that_always_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "GIVE_UP_AFTER", 2)
    started = time.monotonic()
    _, failures = guest("play", seconds=0.2).attempt(*views(*[HANG] * 50))
    assert time.monotonic() - started < 20
    assert [failure.reason for failure in failures.values()] == ["time"] * 50
    assert failures[0].message == "no answer within 0.2 s"
    assert failures[49].message.endswith("; not asked again in this batch after 2 times in a row")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("1 / 0\n", r"broken\.py cannot be imported: ZeroDivisionError: .*line 1"),
        ("import os\nos._exit(4)\n", "cannot be made: its process ended with exit code 4"),
        ("import time\ntime.sleep(60)\n", "cannot be made: no answer within 2 s"),
    ],
)
def test_what_cannot_be_loaded_is_refused(
    code: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "START_SECONDS", 2.0 if "sleep" in code else 60.0)
    (tmp_path / "broken.py").write_text(code)
    with pytest.raises(GuestError, match=message):
        make("broken.py:f", MATCH, move_seconds=1)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), True, "1"])
def test_a_time_limit_is_a_positive_number(seconds: float) -> None:
    with pytest.raises(ValueError, match=r"move_seconds=.* is not a positive number of seconds"):
        make("bot.py:play", MATCH, move_seconds=seconds)


def test_agents_of_the_package_have_no_limit() -> None:
    assert type(make("random", MATCH, move_seconds=1.0)) is type(make("random", MATCH))
