"""The command line, run in this process: what it prints, what it writes, how it fails."""

import errno
import inspect
import io
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from lostcities_env.agents import registry, shipped
from lostcities_env.agents.base import Agent
from lostcities_env.agents.policy import Policy
from lostcities_env.cli import evaluate as evaluate_command
from lostcities_env.cli import main, progress
from lostcities_env.evaluation import Hypotheses, evaluate, sequential_test
from lostcities_env.evaluation.report import cross_table, full_report, opponents_table, sequential_report
from lostcities_env.rules.game import Game
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import MINI_1
from tests.agents.test_policy import policy_of_noise

SMALL = ["--variant", "mini3", "--pairs", "4", "--seed", "2"]


class FirstLegal(Agent):
    """Takes the first legal action.

    The rest of the docstring is not for the list.
    """

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        return action_masks.argmax(axis=1)


class Illegal(Agent):
    """Takes action 0, come what may."""

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        return np.zeros(len(observations), dtype=np.int64)


@pytest.fixture(autouse=True)
def _agents() -> Iterator[None]:
    agents = {"first-legal": FirstLegal, "illegal": Illegal}
    for name, agent in agents.items():
        registry.register(name, agent)
    yield
    for name in agents:
        registry.unregister(name)


@pytest.fixture
def boards(monkeypatch: pytest.MonkeyPatch) -> None:
    """A board is one line that says where the game is."""
    text = SimpleNamespace(
        render_text=lambda game, *, viewer=None, colour=False: (
            f"<board: round {game.round + 1}, turn {game.turn}, deck {game.deck_count}, colour {colour}>\n"
        ),
        supports_colour=lambda stream: False,
    )
    monkeypatch.setitem(sys.modules, "lostcities_env.render.text", text)


def outputs(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(argv) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def complaint(capsys: pytest.CaptureFixture[str], *argv: str, code: int = 2) -> str:
    assert main(argv) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("lostcities: ")
    assert captured.err.count("\n") == 1
    return captured.err


# evaluate


def test_two_agents_get_the_full_report(capsys: pytest.CaptureFixture[str]) -> None:
    printed = outputs(
        capsys, "evaluate", "random", "first-legal", *SMALL, "--rounds", "3", "--tie", "extra_round"
    )
    result = evaluate("random", "first-legal", variant="mini3", rounds=3, tie="extra_round", pairs=4, seed=2)
    assert printed == full_report(result) + "\n"


def test_the_example_in_the_documentation_is_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    command = "lostcities evaluate random random --pairs 200 --seed 1"
    page = (Path(__file__).parents[1] / "docs" / "evaluation.md").read_text(encoding="utf-8")
    assert f"$ {command}\n{outputs(capsys, *command.split()[1:])}```" in page


def test_more_agents_get_a_row_each(capsys: pytest.CaptureFixture[str]) -> None:
    printed = outputs(capsys, "evaluate", "random", "first-legal", "random", *SMALL)
    results = [evaluate("random", b, variant="mini3", pairs=4, seed=2) for b in ("first-legal", "random")]
    assert printed == opponents_table(results) + "\n"


def test_all_agents_against_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    printed = outputs(capsys, "evaluate", "--all", "random", "first-legal", *SMALL)
    results = [evaluate("random", "first-legal", variant="mini3", pairs=4, seed=2)]
    assert printed == cross_table(["random", "first-legal"], results) + "\n"


def test_json_holds_every_evaluation_and_repeats_byte_for_byte(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    for path in (first, second):
        outputs(capsys, "evaluate", "random", "first-legal", "random", *SMALL, "--json", str(path))
    data = json.loads(first.read_text())
    assert data["schema"] == "lostcities.evaluations/1"
    expected = evaluate("random", "random", variant="mini3", pairs=4, seed=2).to_dict()
    assert data["evaluations"][1] == expected
    assert first.read_bytes() == second.read_bytes()
    assert sorted(tmp_path.iterdir()) == [first, second]


def test_a_failed_run_leaves_the_json_as_it_was(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text("old")
    error = complaint(capsys, "evaluate", "illegal", "random", *SMALL, "--json", str(path), code=1)
    assert "agent 'illegal' at seat" in error
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_unwritable_json_is_found_before_playing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def played(*args: object, **kwargs: object) -> None:
        raise AssertionError("played first")

    monkeypatch.setattr(evaluate_command, "evaluate", played)
    missing = tmp_path / "nowhere" / "result.json"
    error = complaint(capsys, "evaluate", "random", "random", "--json", str(missing))
    assert error == f"lostcities: cannot write {missing}: No such file or directory\n"
    error = complaint(capsys, "evaluate", "random", "random", "--json", str(tmp_path))
    assert error == f"lostcities: cannot write {tmp_path}: it is not a file\n"


GUEST = """
def play(observation, action_mask):
    print("not for the report")
    return action_mask.argmax()

def fail(observation, action_mask):
    return {}["R2"]

def hang(observation, action_mask):
    while True:
        pass
"""


@pytest.fixture
def guest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "guest.py").write_text(GUEST)
    monkeypatch.chdir(tmp_path)
    return "guest.py"


def test_a_guest_plays_like_any_other_agent(guest: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "random", f"{guest}:play", *SMALL]) == 0
    printed, said = capsys.readouterr()
    expected = evaluate("random", FirstLegal(Match("mini3")), variant="mini3", pairs=4, seed=2)  # type: ignore[arg-type]
    assert printed.replace(f"{guest}:play", "FirstLegal").split() == full_report(expected).split()
    assert set(said.splitlines()) == {"not for the report"}


def test_a_guest_that_fails_loses_its_games_and_the_rest_goes_on(
    guest: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    options = ["--save-failures", "lost", "--json", "result.json", *SMALL]
    printed = outputs(capsys, "evaluate", "random", f"{guest}:fail", "first-legal", *options)
    assert printed.endswith(
        "\n\nForfeits: guest.py:fail lost 8 of 8 games by failing (crash 8).\n"
        "Those 8 games have no margin: margins and figures do not exist; win rates count them as lost.\n"
        "  guest.py:fail, pair 0, seat 1, round 1, turn 2: crash: KeyError: 'R2' (guest.py, line 7)\n"
        "    saved as random-guest.py_fail-seed2-pair0-seat1.json\n"
    )
    failed, fine = json.loads(Path("result.json").read_text())["evaluations"]
    assert [side["games"] for side in failed["forfeits"]] == [0, 8]
    assert failed["matches"]["wins"] == failed["games_without_margin"] == 8
    assert fine == evaluate("random", "first-legal", variant="mini3", pairs=4, seed=2).to_dict()
    assert len(list(Path("lost").glob("random-guest.py_fail-seed2-pair?-seat?.json"))) == 8


def test_a_guest_that_hangs_runs_out_of_time(guest: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--variant", "mini3", "--pairs", "1", "--move-seconds", "0.2"]
    printed = outputs(capsys, "evaluate", "random", f"{guest}:hang", *options)
    assert "by failing (time 2)." in printed
    assert "time: no answer within 0.2 s" in printed


def test_strict_ends_at_the_first_failure(guest: str, capsys: pytest.CaptureFixture[str]) -> None:
    error = complaint(capsys, "evaluate", f"{guest}:fail", "random", *SMALL, "--strict", code=1)
    assert error.startswith(
        "lostcities: agent 'guest.py:fail' at seat 0 (pair 0, round 1, turn 1): crash: KeyErr"
    )
    printed = outputs(capsys, "evaluate", "illegal", "random", *SMALL, "--no-strict")
    assert re.search(r"\n\nForfeits: illegal lost (\d) of 8 games by failing \(illegal \1\)\.\n", printed)


def test_a_test_of_margins_stops_at_a_forfeit_and_one_of_elo_counts_it(
    guest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["sprt", f"{guest}:fail", "random", "--variant", "mini3"]
    why = "a game that is forfeited has no margin; a test of Elo, with --elo0 and --elo1, counts it as lost"
    error = complaint(capsys, *argv, code=1)
    assert "crash: KeyError" in error
    assert error.endswith(f"({why})\n")
    assert complaint(capsys, *argv, "--no-strict") == f"lostcities: --no-strict: {why}\n"
    assert why not in complaint(capsys, *argv, "--strict", code=1)
    assert "Forfeits: guest.py:fail lost 400 of 400 games" in outputs(capsys, *argv, "--elo1", "50")


def test_show_says_which_move_of_a_guest_failed(guest: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "random", f"{guest}:fail", "--seed", "7", "--moves"]) == 1
    error = capsys.readouterr().err
    assert error == "lostcities: agent 'guest.py:fail', turn 2: crash: KeyError: 'R2' (guest.py, line 7)\n"


def test_what_is_wrong_with_a_guest_is_found_before_playing(
    guest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("model.zip").write_text("no archive")
    Path("taken").touch()
    for options, message in (
        ([f"{guest}:paly"], "guest.py has no 'paly'; it has play, fail, hang"),
        (["model.zip"], "--trust on the command line"),
        (["random", "--move-seconds", "0"], "--move-seconds: move_seconds=0.0 is not a positive number"),
        (["random", "--save-failures", "taken"], "cannot save failures to taken: File exists"),
    ):
        assert message in complaint(capsys, "evaluate", "random", *options)


def test_a_trusted_file_is_named_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    save_util = pytest.importorskip("stable_baselines3")
    import gymnasium

    path = tmp_path / "model.zip"
    env = gymnasium.make("LostCities-v0", variant="mini3")
    save_util.PPO("MlpPolicy", env, device="cpu").save(path)
    assert main(["evaluate", str(path), str(path), *SMALL, "--trust"]) == 0
    warning = (
        f"lostcities: warning: loading {path}, which can run any code, because it is said to be trusted\n"
    )
    assert capsys.readouterr().err == warning


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["random"], "evaluate takes at least two agents"),
        (["random", "nobody"], "no agent 'nobody'; there are random, "),
        (["random", "missing.safetensors"], "missing.safetensors"),
        (["random", "random", "--all"], "--all takes every agent once"),
        (["random", "random", "--variant", "nothing"], "no variant 'nothing'; there are standard, "),
        (["random", "random", "--pairs", "0"], "argument --pairs: '0' is not a whole number from 1 on"),
        (["random", "random", "--pairs", "many"], "argument --pairs: 'many' is not a whole number"),
        (["random", "random", "--rounds", "10"], "rounds=10 is outside 1..9"),
        (["random", "random", "--tie", "duel"], "no tie rule 'duel'; there are draw, "),
        (["random", "random", "--seed", "-1"], "seed -1 is outside 0..2**64-1"),
        (["random", "random", "--seed", "x"], "argument --seed: invalid int value: 'x'"),
        (["random", "random", "--frob"], "unrecognized arguments: --frob"),
    ],
)
def test_wrong_arguments_are_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], argv: list[str], message: str
) -> None:
    assert message in complaint(capsys, "evaluate", *argv)


def test_an_interrupt_exits_with_130(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluate_command, "evaluate", interrupted)
    argv = ["evaluate", "random", "random", "--json", str(tmp_path / "result.json")]
    assert complaint(capsys, *argv, code=signal.SIGINT + 128) == "lostcities: interrupted\n"
    assert list(tmp_path.iterdir()) == []


# sprt


def test_sprt_prints_the_report_and_writes_it_as_json(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "test.json"
    options = ["--variant", "mini3", "--seed", "2", "--margin1", "4", "--beta", "0.1", "--batch", "50"]
    printed = outputs(capsys, "sprt", "random", "first-legal", *options, "--json", str(path))
    hypotheses = Hypotheses("margin", 0, 4, beta=0.1)
    result = sequential_test("random", "first-legal", hypotheses, variant="mini3", seed=2, batch=50)
    assert printed == sequential_report(result) + "\n"
    assert json.loads(path.read_text()) == result.to_dict()
    assert list(tmp_path.iterdir()) == [path]


def test_sprt_tests_elo_and_gives_up_with_exit_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--variant", "mini3", "--elo1", "0.1", "--max-pairs", "200", "--tie", "extra_round"]
    printed = outputs(capsys, "sprt", "random", "random", *options)
    assert "H1: the Elo of A minus B is 0.1; " in printed
    assert "Undecided after 200 pairs." in printed


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--margin1", "0"], "margin1=0.0 is not above margin0=0.0"),
        (["--elo0", "7"], "elo1=5.0 is not above elo0=7.0"),
        (["--elo1", "7", "--margin1", "2"], "not both --margin0/1 and --elo0/1"),
        (["--alpha", "0.6"], "alpha=0.6 is not between 0 and 0.5"),
        (["--beta", "0"], "beta=0.0 is not between 0 and 0.5"),
        (["--margin1", "nan"], "margin1=nan is not a finite number"),
        (["--max-pairs", "150"], "max_pairs=150 leaves no verdict: the first comes after 200 pairs"),
        (["--batch", "0"], "argument --batch: '0' is not a whole number from 1 on"),
        (["--variant", "nothing"], "no variant 'nothing'"),
        (["--seed", "-1"], "seed -1 is outside 0..2**64-1"),
    ],
)
def test_wrong_arguments_of_sprt(capsys: pytest.CaptureFixture[str], argv: list[str], message: str) -> None:
    assert message in complaint(capsys, "sprt", "random", "random", *argv)


# exploitability


def test_exploitability_prints_a_row_an_agent_and_the_equilibrium(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path, policy = tmp_path / "result.json", tmp_path / "noise.safetensors"
    policy_of_noise(Match(MINI_1)).write(policy)
    agents = ["random", "first-legal", str(policy)]
    printed = outputs(capsys, "exploitability", *agents, "--precision", "0.01", "--json", str(path))
    heading, value, table = printed.split("\n\n")
    assert heading.startswith("mini1: 465 information states, 920 decisions, 1,200 ends; ")
    assert value.startswith("Value of the game to the player who begins: ")
    result = json.loads(path.read_text())
    assert result["schema"] == "lostcities.exploitability/1"
    assert result["value"]["low"] <= 2 <= result["value"]["high"]
    rows = [*result["agents"], result["equilibrium"]]
    names = ["random", "first-legal", str(policy), f"{policy}, sampled", "equilibrium (CFR+)"]
    assert [row["agent"] for row in rows] == names
    for row, line in zip(rows, table.splitlines()[1:], strict=True):
        numbers = (row["exploitability"], *row["best_replies"], row["self_play"])
        assert line.split()[-4:] == [f"{number:z.2f}" for number in numbers]
    assert rows[0]["exploitability"] == pytest.approx(1.9875)
    assert rows[-1]["exploitability"] <= 0.01


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["nobody"], "no agent 'nobody'"),
        (["random", "--variant", "standard"], "variant 'standard' has more than 100,000 deals"),
        (["random", "--variant", "nothing"], "no variant 'nothing'"),
        (["random", "--precision", "0"], "--precision 0 is not above 0 and at most 1"),
        (["random", "--precision", "nan"], "--precision nan is not above 0"),
        (["random", "--samples", "0"], "argument --samples: '0' is not a whole number from 1 on"),
        (["random", "--seed", "-1"], "seed -1 is outside"),
    ],
)
def test_wrong_arguments_of_exploitability(
    capsys: pytest.CaptureFixture[str], argv: list[str], message: str
) -> None:
    assert message in complaint(capsys, "exploitability", *argv)


def test_exploitability_of_an_agent_that_breaks_the_rules(capsys: pytest.CaptureFixture[str]) -> None:
    error = complaint(capsys, "exploitability", "illegal", code=1)
    assert error.startswith(
        "lostcities: agent 'illegal' may choose 'Rx deck', which is illegal, when it sees: "
    )


# show


@pytest.mark.usefixtures("boards")
def test_show_prints_boards_turns_and_scores(capsys: pytest.CaptureFixture[str]) -> None:
    printed = outputs(capsys, "show", "first-legal", "random", "--seed", "3")
    lines = printed.splitlines()
    assert lines[0] == "first-legal (0) against random (1): standard, seed 3"
    assert lines[2:5] == ["Round 1", "", "<board: round 1, turn 0, deck 44, colour False>"]
    assert re.fullmatch(r"   1  0 first-legal  \S+ deck +-?\d+ +0", lines[6])
    turns = [int(found[1]) for found in map(re.compile(r" *(\d+)  [01] ").match, lines) if found]
    boards = [int(turn) for turn in re.findall(r"<board: round 1, turn (\d+),", printed)]
    assert turns == list(range(1, turns[-1] + 1))
    assert boards == [*range(0, turns[-1], 10), turns[-1]]
    assert f"Scores after {turns[-1]} turns" in lines


def test_the_turns_shown_play_the_game_of_that_seed(capsys: pytest.CaptureFixture[str]) -> None:
    printed = outputs(capsys, "show", "random", "random", "--seed", "3", "--moves")
    game = Game(seed=3)
    for turn, first, second in re.findall(
        r"(-?\w+ (?:deck|[RBGYW])) +(-?\d+) +(-?\d+)$", printed, re.MULTILINE
    ):
        game.play(turn)
        assert game.scores == (int(first), int(second))
    assert game.over
    winner = "a draw" if game.winner is None else f"random ({game.winner}) wins"
    assert printed.endswith(f"Final score {game.scores[0]} : {game.scores[1]}, {winner}\n")
    made = game.score_breakdown(0)["red"]
    assert re.search("^0 random +red +" + " +".join(map(str, made)) + "$", printed, re.MULTILINE)


@pytest.mark.usefixtures("boards")
def test_show_plays_every_round_of_a_match(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["show", "random", "first-legal", "--variant", "six", "--rounds", "3", "--seed", "1"]
    printed = outputs(capsys, *argv)
    assert re.findall(r"^Round (\d)$", printed, re.MULTILINE) == ["1", "2", "3"]
    totals = [int(points) for points in re.findall(r"^[01] \S+ +total +(-?\d+)$", printed, re.MULTILINE)]
    final = f"Final score {sum(totals[0::2])} : {sum(totals[1::2])}, "
    assert final in printed
    assert printed.count("deck 0,") == 3


def test_show_refuses_what_cannot_be_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert "no agent 'nobody'" in complaint(capsys, "show", "random", "nobody")
    assert "no variant 'nothing'" in complaint(capsys, "show", "random", "random", "--variant", "nothing")


def test_show_says_which_turn_was_illegal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "illegal", "random", "--seed", "7", "--moves"]) == 1
    error = capsys.readouterr().err
    assert error.startswith(
        "lostcities: agent 'illegal', turn 1: playing Rx and drawing from the deck is illegal"
    )


# agents, --version, --help


def test_agents_are_listed_with_the_first_line_of_their_docstring(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = outputs(capsys, "agents").splitlines()
    described = dict(line.split(maxsplit=1) for line in lines)
    guests = ["PATH.safetensors", "MODULE:FUNCTION", "PATH.py:FUNCTION", "PATH.zip"]
    assert list(described) == [*registry.names(), *guests]
    for name in shipped.names():
        assert described[name] == shipped.describe(name)
    for name in set(registry.names()) - set(shipped.names()):
        docstring = inspect.getdoc(type(registry.make(name))) or ""
        assert described[name] == docstring.splitlines()[0]
    assert described["first-legal"] == "Takes the first legal action."
    for description in described.values():
        assert re.fullmatch(r"[A-Z][^;]+\.", description), "a sentence that stands alone"
    assert len({len(line) - len(line.split(maxsplit=1)[1]) for line in lines}) == 1


def test_a_broken_agent_does_not_hide_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    def broken(match: object, seed: int) -> Agent:
        raise RuntimeError("no licence")

    registry.register("broken", broken)
    try:
        printed = outputs(capsys, "agents")
    finally:
        registry.unregister("broken")
    assert re.search(r"^broken +\(cannot be loaded: no licence\)$", printed, re.MULTILINE)
    assert "random" in printed


def test_weights_say_where_they_come_from(capsys: pytest.CaptureFixture[str]) -> None:
    origins, results = outputs(capsys, "weights").split("\n\n")
    for name in shipped.names():
        for path in shipped.files(name).values():
            origin = Policy.read(path).provenance
            (row,) = [line.split() for line in origins.splitlines() if line.startswith(f"{path.name} ")]
            assert f"{origin['turns']:,}" in row
            assert origin["config"]["name"] in row
            assert origin["commit"][:7] in row
            against = [line.split()[1] for line in results.splitlines() if line.startswith(f"{path.name} ")]
            assert against == list(origin["evaluation"])


def test_a_learned_policy_refuses_a_variant_that_it_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    for name in shipped.names():
        error = complaint(capsys, "evaluate", "--all", "random", name, "--variant", "mini1")
        assert f"agent '{name}' knows the rules of" in error


def test_version_and_help_exit_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    for argv, expected in (
        (["--version"], f"lostcities-env {version('lostcities-env')}\n"),
        (["evaluate", "--help"], "usage: lostcities evaluate "),
    ):
        with pytest.raises(SystemExit) as caught:
            main(argv)
        assert caught.value.code == 0
        assert capsys.readouterr().out.startswith(expected)


@pytest.mark.parametrize("argv", [[], ["frobnicate"]])
def test_a_command_is_needed(capsys: pytest.CaptureFixture[str], argv: list[str]) -> None:
    assert "COMMAND" in complaint(capsys, *argv)


def test_a_reader_that_has_had_enough_is_no_error() -> None:
    code = "import sys; from lostcities_env.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "show", "random", "random", "--rounds", "9", "--moves"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 1


# The progress bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_appears_on_a_terminal_once_patience_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "PATIENCE", 0)
    with progress.progress_bar("owl - wren") as advance:
        assert advance is not None
        for share in (0.1, 0.1, 1.0):
            advance(share)
    assert "owl - wren" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r")  # it wipes itself out


def test_the_bar_of_a_sequential_test_shows_its_ratio_between_the_bounds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "PATIENCE", 0)
    with progress.sequential_bar("owl - wren", 5000, (-2.94, 2.94)) as show:
        assert show is not None
        show(100, 0.5)
        time.sleep(0.2)  # longer than between two refreshes
        show(200, 1.25)
    assert "owl - wren 200 of at most 5000 pairs, LLR 1.25 (-2.94, 2.94)" in terminal.getvalue()


def test_a_short_task_shows_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress.progress_bar("owl - wren") as advance:
        assert advance is not None
        advance(1.0)
    assert terminal.getvalue().strip() == ""


def test_there_is_no_bar_without_a_terminal_or_without_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    with progress.progress_bar("owl - wren") as advance:
        assert advance is None
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with progress.progress_bar("owl - wren") as advance:
        assert advance is None


def test_a_disk_that_is_full_is_said_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(self: Path, *arguments: object, **named: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    file = tmp_path / "result.json"
    arguments = ["evaluate", "random", "greedy", "--pairs", "2", "--variant", "mini3", "--json", str(file)]
    assert main(arguments) == 1
    assert capsys.readouterr().err == "lostcities: No space left on device\n"
    assert list(tmp_path.iterdir()) == []
