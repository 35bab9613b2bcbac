"""Code from outside: how it is named, what it may be, and what is said when it cannot be loaded."""

import re
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lostcities_env.agents import Agent, GuestError, NoValuesError, make
from lostcities_env.agents.attempts import (
    LONGEST_MESSAGE,
    AgentFailedError,
    Guest,
    describe_error,
    one_line,
)
from lostcities_env.agents.guests import names_a_guest
from lostcities_env.agents.local_guest import guarded
from lostcities_env.agents.safetensors_file import WeightsError
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import observation_size
from lostcities_env.rules.variant import VARIANTS

MATCH = Match(VARIANTS["mini3"])
N_ACTIONS = MATCH.variant.n_actions

BOT = '''
import numpy as np
from lostcities_env.agents import Agent
import neighbour

def first(observation, action_mask):
    assert observation.ndim == action_mask.ndim == 1
    return action_mask.argmax()

def lower_half(observation, action_mask, only=20):
    return int(action_mask[:only].argmax())

class InBatches(Agent):
    def act(self, observations, action_masks):
        return neighbour.last(action_masks)

class Plain:
    """Neither an Agent nor seeded."""
    def act(self, observations, action_masks):
        return neighbour.last(action_masks)

def seeded(match, seed):
    return lambda observation, action_mask: np.flatnonzero(action_mask)[seed % action_mask.sum()]

def batch_factory(match, *, seed):
    return InBatches(match, seed)

class Team:
    captain = Plain()

number = 3
def one(observation): return 0
class Needy:
    def __init__(self, something): ...
def failing(match, seed):
    return {}[match.rounds]
def for_another_match(match, seed):
    return InBatches("standard" and __import__("lostcities_env").Match(), seed)
'''


@pytest.fixture(autouse=True)
def _workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory with code; what it puts into this process is taken out again."""
    (tmp_path / "bot.py").write_text(BOT)
    (tmp_path / "neighbour.py").write_text(
        "def last(masks):\n    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for module in ("bot", "neighbour", "broken"):
        monkeypatch.delitem(sys.modules, module, raising=False)


def views(*legal: list[int]) -> tuple[np.ndarray, np.ndarray]:
    masks = np.zeros((len(legal), N_ACTIONS), dtype=np.int8)
    for mask, actions in zip(masks, legal, strict=True):
        mask[actions] = 1
    return np.zeros((len(legal), observation_size(MATCH, "recall")), dtype=np.float32), masks


def choices(name: str, seed: int = 0) -> list[int]:
    return make(name, MATCH, seed=seed).act(*views([3, 5, 9], [7])).tolist()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bot:first", [3, 7]),
        ("bot.py:first", [3, 7]),
        ("./bot.py:first", [3, 7]),
        ("bot:lower_half", [3, 7]),
        ("bot:InBatches", [9, 7]),
        ("bot:Plain", [9, 7]),
        ("bot.py:batch_factory", [9, 7]),
        ("bot:Team.captain", [9, 7]),
    ],
)
def test_what_can_play(name: str, expected: list[int]) -> None:
    assert choices(name) == expected
    assert isinstance(make(name, MATCH), Guest)


class TestWhatAnAgentSays:
    """A guest that is an `Agent` is asked for its own probabilities and values."""

    CODE = """
import numpy as np
from bot import InBatches

class Sure(InBatches):
    def probabilities(self, observations, action_masks, *, samples=1):
        return action_masks / action_masks.sum(axis=1, keepdims=True)
    def values(self, observations):
        return np.full(len(observations), 7.0)

class Unsure(InBatches):
    def probabilities(self, observations, action_masks, *, samples=1):
        raise KeyError(samples)
    def values(self, observations):
        return 1 / 0

class Wrong(InBatches):
    def __init__(self, match, seed, told):
        super().__init__(match, seed)
        self.told = told
    def values(self, observations):
        return self.told

def short(match, seed): return Wrong(match, seed, np.zeros(1))
def nothing(match, seed): return Wrong(match, seed, np.full(2, np.nan))
def words(match, seed): return Wrong(match, seed, ["a", "b"])
"""

    @pytest.fixture(autouse=True)
    def _write(self, tmp_path: Path) -> None:
        (tmp_path / "sure.py").write_text(self.CODE)

    def test_is_what_counts(self) -> None:
        observations, masks = views([3, 5], [7])
        guest = make("sure.py:Sure", MATCH)
        chances = guest.probabilities(observations, masks)
        assert chances[0, [3, 5]].tolist() == [0.5, 0.5]
        assert chances[1, 7] == 1
        assert guest.values(observations).tolist() == [7.0, 7.0]

    def test_may_be_nothing(self) -> None:
        observations, masks = views([3, 5])
        guest = make("bot:InBatches", MATCH)
        assert guest.probabilities(observations, masks)[0, 5] == 1
        for name in ("bot:InBatches", "bot:first"):
            with pytest.raises(NoValuesError, match="has no values"):
                make(name, MATCH).values(observations)

    def test_may_fail(self) -> None:
        observations, masks = views([3, 5])
        guest = make("sure.py:Unsure", MATCH)
        with pytest.raises(AgentFailedError, match=r"crash: KeyError: 32 \(sure.py, line 13\)"):
            guest.probabilities(observations, masks)
        with pytest.raises(AgentFailedError, match=r"crash: ZeroDivisionError: .* \(sure.py, line 15\)"):
            guest.values(observations)

    @pytest.mark.parametrize("name", ["short", "nothing", "words"])
    def test_may_be_no_values(self, name: str) -> None:
        observations, _ = views([3], [5])
        with pytest.raises(
            AgentFailedError, match=r"answer: 2 finite values of shape \(2,\) are wanted, got arr"
        ):
            make(f"sure.py:{name}", MATCH).values(observations)


def test_a_factory_gets_the_seed() -> None:
    assert [choices("bot:seeded", seed)[0] for seed in range(4)] == [3, 5, 9, 3]
    agent = make("bot:seeded", MATCH, seed=1)
    agent.reset(2)
    assert agent.act(*views([3, 5, 9])).tolist() == [9]


def test_a_file_may_be_elsewhere_and_called_like_another_module(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "json.py").write_text("import near\n\ndef play(observation, action_mask):\n    return near.X\n")
    (folder / "near.py").write_text("X = 5\n")
    assert choices("elsewhere/json.py:play") == [5, 5]
    assert hasattr(sys.modules["json"], "dumps")
    assert str(folder) not in sys.path


def test_it_may_import_its_neighbours_when_it_plays(tmp_path: Path) -> None:
    (tmp_path / "lazy.py").write_text(
        "def play(observation, action_mask):\n"
        "    import neighbour\n\n"
        "    return neighbour.last(action_mask[None])[0]\n"
    )
    path = list(sys.path)
    assert choices("lazy:play") == [9, 7]
    assert sys.path == path


def test_a_module_is_imported_once(tmp_path: Path) -> None:
    (tmp_path / "count.py").write_text(
        "import sys\nsys.times = getattr(sys, 'times', 0) + 1\n\ndef play(o, m):\n    return 0\n"
    )
    for _ in range(2):
        make("count.py:play", MATCH)
    assert sys.__dict__.pop("times") == 1


def test_an_object_that_both_contestants_name_is_copied(tmp_path: Path) -> None:
    (tmp_path / "shared.py").write_text(
        "import lostcities_env.agents as a\nagent = a.make('random', 'mini3')\n"
    )
    one, other = make("shared.py:agent", MATCH, seed=1), make("shared.py:agent", MATCH, seed=2)
    crowded = views(*[list(range(N_ACTIONS))] * 2)
    assert one.act(*crowded).tolist() == make("random", MATCH, seed=1).act(*crowded).tolist()
    assert other.act(*crowded).tolist() == make("random", MATCH, seed=2).act(*crowded).tolist()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bots:first", r"there is no module 'bots' in .* or elsewhere on sys\.path"),
        ("bot.more:first", r"there is no module 'bot\.more'"),
        ("nothing.py:first", r"there is no file nothing\.py"),
        ("bot.py", r"name what plays in it too, such as bot\.py:function"),
        ("bot.py:", r"such as bot\.py:function"),
        (":first", r"such as first:function"),
        ("bot:frist", r"bot has no 'frist'; it has first, lower_half, InBatches, Plain, seeded"),
        ("bot:number", r"is int, which cannot play: a function \(observation, action_mask\) -> action,"),
        ("bot:one", r"is a function of \(observation\): one of \(observation, action_mask\), or a factory"),
        ("bot:Needy", r"cannot be made: TypeError: .*missing 1 required positional argument: 'something'"),
        ("bot:failing", r"cannot be made: KeyError: 1 \(bot\.py, line 36\)"),
        ("bot:for_another_match", r"was made for .*standard.*, not for .*mini3"),
    ],
)
def test_what_cannot(name: str, message: str) -> None:
    with pytest.raises(GuestError, match=message) as caught:
        make(name, MATCH)
    assert str(caught.value).startswith(f"agent {name!r}")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def f(:\n    pass\n", r"SyntaxError: .* \(broken\.py, line 1\)"),
        ("import math\n\n1 / 0\n", r"ZeroDivisionError: division by zero \(broken\.py, line 3\)"),
        ("import no_such_library\n", r"ModuleNotFoundError: .*no_such_library.* \(broken\.py, line 1\)"),
        ("import math\nmath.sqrt(\n    -1\n)\n", r"ValueError: math domain error.* \(broken\.py, line 2\)"),
        ("import json\njson.loads('x')\n", r"JSONDecodeError: .* \(broken\.py, line 2\)"),
        ("raise SystemExit('bye')\n", r"SystemExit: bye \(broken\.py, line 1\)"),
        ("raise ValueError('x' * 10**6)\n", r"ValueError: x{297}\.\.\. \(broken\.py, line 1\)"),
        ("raise ValueError('two\\nlines')\n", r"ValueError: two lines"),
    ],
)
@pytest.mark.parametrize("place", ["broken", "broken.py"])
def test_an_error_at_import_names_the_line_of_the_user(
    place: str, code: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "broken.py").write_text(code)
    for _ in range(2):  # a second try is no other
        with pytest.raises(GuestError, match=rf"^agent '{place}:f': {place} cannot be imported: {message}"):
            make(f"{place}:f", MATCH)


def test_a_name_is_not_taken_for_a_guest_without_need() -> None:
    assert all(names_a_guest(name) for name in ("a:b", "a.py", "a.py:b", "a.zip"))
    assert not any(names_a_guest(name) for name in ("random", "policy.safetensors", "a/b"))
    with pytest.raises(WeightsError, match="C:nothing"):  # a drive, not a module
        make("C:nothing.safetensors", MATCH)


# Failures.


@given(st.text())
def test_a_message_from_outside_is_one_line_of_bounded_length(text: str) -> None:
    shown = one_line(text * 50)
    assert len(shown.splitlines()) <= 1
    assert len(shown) <= LONGEST_MESSAGE
    assert len(describe_error(ValueError(text * 50), None)) <= LONGEST_MESSAGE + len("ValueError: ")


class Tricky(Agent):
    """Answers with what a test wants."""

    answer: Callable[[np.ndarray], Any]

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        return type(self).answer(action_masks)


def attempt(answer: Callable[[np.ndarray], Any]) -> tuple[list[int], dict[int, tuple[str, str]]]:
    class Own(Tricky):
        pass

    Own.answer = staticmethod(answer)
    actions, failures = guarded(Own(MATCH)).attempt(*views([3], [5], [9]))
    return actions.tolist(), {row: (reason, message) for row, (reason, message, _) in failures.items()}


def test_a_batch_without_failure_is_asked_for_once() -> None:
    sizes = []

    def answer(masks: np.ndarray) -> np.ndarray:
        sizes.append(len(masks))
        return masks.argmax(axis=1)

    assert attempt(answer) == ([3, 5, 9], {})
    assert sizes == [3]


def test_only_the_games_in_which_it_fails_are_lost() -> None:
    def answer(masks: np.ndarray) -> np.ndarray:
        if masks[:, 5].any():
            raise ZeroDivisionError("five")
        return masks.argmax(axis=1)

    actions, failures = attempt(answer)
    assert actions == [3, 0, 9]
    assert list(failures) == [1]
    reason, message = failures[1]
    assert reason == "crash"
    assert message.startswith("ZeroDivisionError: five (test_guests.py, line ")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            lambda masks: masks.argmax(axis=1).astype(float),
            r"1 integer actions of .*, got float64 of shape \(1,\)",
        ),
        (lambda masks: np.full(len(masks), np.nan), "got float64"),
        (lambda masks: masks.argmax(axis=1)[:, np.newaxis], r"got int64 of shape \(1, 1\)"),
        (lambda masks: 3, r"got int64 of shape \(\)"),
        (lambda masks: None, r"got object of shape \(\)"),
        (lambda masks: masks.astype(bool)[:, 0], r"got bool of shape \(1,\)"),
    ],
)
def test_an_answer_to_a_batch_is_one_integer_a_game(
    answer: Callable[[np.ndarray], Any], message: str
) -> None:
    actions, failures = attempt(answer)
    assert actions == [0, 0, 0]
    assert {reason for reason, _ in failures.values()} == {"answer"}
    assert all(re.search(message, text) for _, text in failures.values())


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


ROW_ANSWERS: dict[str, tuple[Any, int | tuple[str, str]]] = {
    "int": (4, 4),
    "numpy": (np.int8(4), 4),
    "array": (np.array(4), 4),
    "negative": (-1, -1),  # an action for the game to refuse
    "float": (4.0, ("answer", "an integer is wanted, got 4.0 of type float")),
    "nan": (float("nan"), ("answer", "an integer is wanted, got nan of type float")),
    "bool": (True, ("answer", "an integer is wanted, got True of type bool")),
    "none": (None, ("answer", "an integer is wanted, got None of type NoneType")),
    "shape": (np.array([4]), ("answer", "an integer is wanted, got array([4]) of type ndarray")),
    "text": ("x" * 10**6, ("answer", f"an integer is wanted, got '{'x' * 296}... of type str")),
    "huge": (2**64, ("answer", "an action has at most 64 bits, got an integer of 65")),
    "unshowable": (
        Unshowable(),
        ("answer", "an integer is wanted, got something that cannot be shown of type Unshowable"),
    ),
}


@pytest.mark.parametrize("kind", ROW_ANSWERS)
def test_an_answer_to_one_game_is_an_integer(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, expected = ROW_ANSWERS[kind]
    module = types.ModuleType("answers")
    module.play = lambda observation, action_mask: answer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "answers", module)
    agent = make("answers:play", MATCH)
    assert isinstance(agent, Guest)
    actions, failures = agent.attempt(*views([4]))
    if isinstance(expected, int):
        assert (actions.tolist(), failures) == ([expected], {})
    else:
        assert failures[0][:2] == expected
        with pytest.raises(AgentFailedError, match=expected[0]):
            agent.act(*views([4]))


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (SystemExit(3), "SystemExit: 3"),
        (MuteError(), "MuteError: (its message cannot be shown)"),
        (MemoryError(), "MemoryError"),
        (ValueError("y" * 10**6), f"ValueError: {'y' * 297}..."),
    ],
    ids=lambda value: type(value).__name__,
)
def test_any_exception_is_a_crash(error: BaseException, message: str) -> None:
    def answer(masks: np.ndarray) -> np.ndarray:
        raise error

    _, failures = attempt(answer)
    reason, text = failures[2]
    assert reason == "crash"
    assert text.startswith(f"{message} (test_guests.py, line ")


def test_an_interrupt_is_not_a_failure_of_the_agent() -> None:
    def answer(masks: np.ndarray) -> np.ndarray:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attempt(answer)


def test_what_it_prints_goes_to_stderr(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "chatty.py").write_text("print('hi')\n\ndef play(o, m):\n    print('move')\n    return 0\n")
    make("chatty.py:play", MATCH).act(*views([0]))
    assert capsys.readouterr() == ("", "hi\nmove\n")


def test_it_may_write_on_what_it_was_given(tmp_path: Path) -> None:
    (tmp_path / "rude.py").write_text("def play(o, m):\n    o[:] = 7\n    m[:] = 1\n    return 0\n")
    observations, masks = views([3])
    make("rude.py:play", MATCH).act(observations, masks)
    assert not observations.any()
    assert masks.sum() == 1
