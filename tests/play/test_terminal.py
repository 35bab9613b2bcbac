"""A game in the terminal, from what someone types."""

import io
from pathlib import Path

import pytest

from lostcities_env.agents.registry import make
from lostcities_env.play.session import Session, Settings
from lostcities_env.play.terminal import PROMPT, Terminal
from lostcities_env.records import read_records
from lostcities_env.rules.game import IllegalActionError
from lostcities_env.rules.match import Match
from tests.play.test_session import Illegal


def play(
    folder: Path, typed: str, agent: str = "greedy", variant: str = "standard", **settings: bool | int
) -> str:
    """What is written when so much is typed, a command a line."""
    match = Match(variant, int(settings.pop("rounds", 1)))  # type: ignore[arg-type]
    session = Session(Settings(agent, match, **settings), make(agent, match, seed=1), seed=7)  # type: ignore[arg-type]
    written = io.StringIO()
    Terminal(session, folder, io.StringIO("\n".join(typed.split("; ")) + "\n"), written).run()
    return written.getvalue()


def answers(folder: Path, typed: str, *, undo: bool = False) -> list[str]:
    """What follows each prompt."""
    return play(folder, typed, undo=undo).split(PROMPT)[1:]


def test_beginning(tmp_path: Path) -> None:
    text = play(tmp_path, "quit")
    assert text.startswith("You are player 0, greedy is player 1. Type help for the commands.\n")
    assert "> player 0: R8 B7 Gx Yx Y9 W3 W5 W6\n  player 1: 8 hidden\n" in text
    assert text.endswith("Stopped.\n")


def test_a_turn(tmp_path: Path) -> None:
    [answer, _] = answers(tmp_path, "r8 DECK; quit")
    assert answer.startswith("You drew blue 10.\ngreedy plays green 3, draws from the deck.\n\nLost Cities")


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("R8", "turn 'R8' is not a card and a source such as 'R7 deck', 'R7 G' or '-R7 deck'; or type help"),
        (
            "Q8 deck",
            "card 'Q8' does not begin with a colour of variant 'standard', one of R B G Y W; or type help",
        ),
        ("R8 pile", "turn 'R8 PILE' draws from 'PILE'; a source is 'deck' or one of R B G Y W; or type help"),
        (
            "R9 deck",
            "playing R9 and drawing from the deck is illegal for player 0: R9 is not in hand "
            "(R8 B7 Gx Yx Y9 W3 W5 W6)",
        ),
        ("R8 G", "playing R8 and drawing from the green pile is illegal for player 0: that pile is empty"),
        ("undo", "this game is played without undo"),
    ],
)
def test_what_cannot_be_done(tmp_path: Path, typed: str, answer: str) -> None:
    assert answers(tmp_path, f"{typed}; quit")[0] == f"{answer}\n"


def test_help_legal_and_board(tmp_path: Path) -> None:
    help_, question_mark, legal, board, nothing, _ = answers(tmp_path, "help; ?; legal; BOARD; ; quit")
    assert help_ == question_mark
    assert "-R7 deck   discard it" in help_
    assert legal.splitlines()[:2] == ["R8   deck", "-R8  deck"]
    assert len(legal.splitlines()) == 16
    assert board.startswith("Lost Cities (standard): turn 0, deck 44")
    assert nothing == ""


def test_hint(tmp_path: Path) -> None:
    [answer, _] = answers(tmp_path, "hint; quit")
    title, line = answer.splitlines()
    assert title == "greedy would play (how likely):"
    assert line.split() == ["100%", "Gx", "deck"]


def test_undo(tmp_path: Path) -> None:
    *_, undone, _ = answers(tmp_path, "R8 deck; undo; quit", undo=True)
    assert undone.startswith("Taken back.\n\nLost Cities (standard): turn 0, deck 44")


def test_save(tmp_path: Path) -> None:
    [_, answer, _] = answers(tmp_path, "R8 deck; save; quit")
    path = tmp_path / "greedy-standard-7.txt"
    assert answer == f"Saved to {path}; it shows both hands and the deck.\n"
    [record] = read_records(path)
    assert len(record.rounds[0].actions) == 2


def test_the_end_of_the_input_is_the_end(tmp_path: Path) -> None:
    assert play(tmp_path, "R8 deck").endswith(f"{PROMPT}\nStopped.\n")


def test_a_match_to_its_end(tmp_path: Path) -> None:
    hopeful = "; ".join(
        f"{way}{colour}{rank} deck"
        for _ in range(6)
        for way in ("", "-")
        for colour in "RB"
        for rank in "x123"
    )
    text = play(tmp_path, hopeful, variant="mini3", rounds=2)
    assert "match" in text
    assert "There is no agent that can judge turns of this variant." in text
    [record] = read_records(next(tmp_path.iterdir()))
    game = record.final()
    assert game.over
    outcome = {0: "You win.", 1: "greedy wins.", None: "A draw."}[game.winner]
    assert f"\n{outcome}\nSaved to " in text


def test_an_agent_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lostcities_env.agents import registry

    monkeypatch.setitem(registry._registered, "bad", Illegal)
    with pytest.raises(IllegalActionError, match="agent 'bad', turn 1: "):
        play(tmp_path, "quit", agent="bad", begins=False)
    assert len(list(tmp_path.iterdir())) == 1
