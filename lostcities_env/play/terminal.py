"""The game in a terminal: the board as text, turns typed in notation."""

from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from lostcities_env.agents.attempts import AgentFailedError
from lostcities_env.evaluation.report import align
from lostcities_env.play.advice import hint, review
from lostcities_env.play.saving import save
from lostcities_env.play.session import NotNowError, Phase, Session
from lostcities_env.play.words import card_in_words, turn_in_words
from lostcities_env.render.text import render_text, supports_colour
from lostcities_env.rules.actions import format_action
from lostcities_env.rules.cards import WAGER_LETTER, NotationError, parse_card
from lostcities_env.rules.game import IllegalActionError

HELP = """\
A turn is a card and where to draw from:
  R7 deck    play the red 7, draw from the deck      Rx is a red wager
  R7 G       play it, draw the top of the green pile
  -R7 deck   discard it
legal   the turns that you may take     hint   what the agent would play
board   the table again                 undo   take back your last turn
save    write the game to a file        quit   stop
"""
PROMPT = "your turn> "
MISTAKES_SHOWN = 10


class Terminal:
    """Plays a session with someone who types.

    Args:
        session: the game.
        folder: where games are saved.
        stdin: what is typed, a line a command; its end is like ``quit``.
        stdout: what is written.
    """

    def __init__(self, session: Session, folder: Path, stdin: TextIO, stdout: TextIO) -> None:
        self._session = session
        self._folder = folder
        self._stdin = stdin
        self._stdout = stdout
        self._commands: dict[str, Callable[[], None]] = {
            "help": lambda: self._say(HELP.rstrip()),
            "legal": self._legal,
            "hint": self._hint,
            "board": self._board,
            "undo": self._undo,
            "save": self._save,
        }

    def run(self) -> None:
        """Plays until the game is over or the person has had enough.

        Raises:
            AgentFailedError, IllegalActionError: if the agent gives no legal action; the game so far has been
                saved.
        """
        session, settings = self._session, self._session.settings
        self._say(
            f"You are player {settings.seat}, {settings.agent} is player {1 - settings.seat}. "
            "Type help for the commands.\n"
        )
        while session.phase is not Phase.OVER:
            if session.phase is Phase.AGENT:
                self._answer()
            elif session.phase is Phase.ROUND_OVER:
                self._end_of_round()
                session.next_round()
            elif not self._persons_turn():
                self._say("Stopped.")
                return
        self._end_of_round()
        self._end()

    def _say(self, text: str) -> None:
        print(text, file=self._stdout, flush=True)

    def _answer(self) -> None:
        session = self._session
        try:
            move = session.answer()
        except (AgentFailedError, IllegalActionError):
            self._save()
            raise
        seen = move.drawn_as_seen_by(session.settings.seat)
        self._say(f"{session.settings.agent} {turn_in_words(session.game.variant, move.action, seen)}.\n")

    def _persons_turn(self) -> bool:
        """Asks until a turn is taken; False if the person has had enough."""
        self._board()
        while self._session.phase is Phase.PERSON:
            self._stdout.write(PROMPT)
            self._stdout.flush()
            line = self._stdin.readline()
            if not line:
                self._say("")
                return False
            word = line.strip()
            if word.lower() in ("quit", "exit"):
                return False
            if word:
                self._obey(word)
        return True

    def _obey(self, text: str) -> None:
        command = self._commands.get("help" if text == "?" else text.lower())
        try:
            if command is not None:
                command()
                return
            move = self._session.play(tidy(text))
        except NotationError as error:
            self._say(f"{error}; or type help")
        except (NotNowError, IllegalActionError) as error:
            self._say(str(error))
        else:
            variant = self._session.game.variant
            self._say(f"You drew {card_in_words(variant, parse_card(variant, move.drawn))}.")

    def _board(self) -> None:
        colour = supports_colour(self._stdout)
        table = render_text(self._session.table, viewer=self._session.settings.seat, colour=colour)
        self._say(f"{table}\n")

    def _legal(self) -> None:
        sources: dict[str, list[str]] = {}
        for turn in self._session.game.legal():
            card, source = turn.split()
            sources.setdefault(card, []).append(source)
        self._say(align([[card, " ".join(places)] for card, places in sources.items()], left=(0, 1)))

    def _hint(self) -> None:
        session = self._session
        rows = []
        suggestions = hint(session)
        for one in suggestions:
            value = "" if one.value is None else f"{one.value:+.1f}"
            turn = format_action(session.game.variant, one.action)
            rows.append([f"{one.probability:.0%}", value, turn])
        what = "how likely" + (", margin it expects" if suggestions[0].value is not None else "")
        self._say(f"{session.settings.agent} would play ({what}):")
        self._say(align(rows, left=(2,)))

    def _undo(self) -> None:
        self._session.undo()
        self._say("Taken back.\n")
        self._board()

    def _save(self) -> None:
        try:
            path = save(self._session, self._folder)
        except OSError as error:
            self._say(f"cannot save to {self._folder}: {error.strerror}")
        else:
            over = self._session.phase is Phase.OVER
            self._say(f"Saved to {path}" + ("." if over else "; it shows both hands and the deck."))

    def _end_of_round(self) -> None:
        session = self._session
        self._board()
        result = session.results[-1]
        rows = [
            ["", *("you" if seat == session.settings.seat else session.settings.agent for seat in range(2))]
        ]
        first, second = result.breakdown
        rows += [[name, str(first[name].points), str(second[name].points)] for name in first]
        rows.append(["total", *map(str, result.scores)])
        if session.settings.match.rounds > 1:
            rows.append(["match", *map(str, session.game.match_scores)])
        self._say(align(rows) + "\n")

    def _end(self) -> None:
        session = self._session
        winner = session.game.winner
        if winner is None:
            self._say("A draw.")
        else:
            self._say("You win." if winner == session.settings.seat else f"{session.settings.agent} wins.")
        self._save()
        self._review()

    def _review(self) -> None:
        session = self._session
        verdict = review(session)
        if verdict.judge is None:
            self._say("There is no agent that can judge turns of this variant.")
            return
        count = len(verdict.mistakes)
        self._say(
            f"\n{verdict.judge} sees mistakes in {count} of your {verdict.turns} turns, "
            f"{verdict.total:.1f} points in all:"
            if count
            else f"\n{verdict.judge} sees no mistake in your {verdict.turns} turns."
        )
        variant = session.game.variant
        rows = [
            [
                f"round {one.move.round}" if session.settings.match.rounds > 1 else "",
                f"turn {one.move.turn}",
                f"{one.cost:.1f} points:",
                f"{format_action(variant, one.move.action)}, better {format_action(variant, one.better)}",
            ]
            for one in verdict.mistakes[:MISTAKES_SHOWN]
        ]
        if rows:
            self._say(align(rows, left=(0, 1, 3)))


def tidy(text: str) -> str:
    """A turn as someone types it, in the notation's own letters.

    >>> tidy("-r7 DECK"), tidy("bX g")
    ('-R7 deck', 'Bx G')
    """
    return text.upper().replace("DECK", "deck").replace("X", WAGER_LETTER)
