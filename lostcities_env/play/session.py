"""A game between a person and an agent: who may do what when, and what it took.

Nothing here knows of web pages or terminals. `public` says what of a session the person may know.
"""

from dataclasses import dataclass
from enum import StrEnum

from lostcities_env.agents.base import Agent
from lostcities_env.agents.choose import choose
from lostcities_env.evaluation.transcript import headers_of
from lostcities_env.records import Record, Recorder
from lostcities_env.records.record import printable
from lostcities_env.render.moments import is_round_over, table_after
from lostcities_env.rules.actions import DECK, parse_action, to_action
from lostcities_env.rules.game import ColourScore, Game
from lostcities_env.rules.match import Match

PERSON = "person"
"""The name of the person in records."""


class Phase(StrEnum):
    """Whose turn it is, or what is over."""

    PERSON = "person"
    AGENT = "agent"
    ROUND_OVER = "round_over"
    """Another round follows; `Session.next_round` goes on to it."""
    OVER = "over"


class NotNowError(ValueError):
    """Something that cannot be done at this point of the game; the message says why."""


@dataclass(frozen=True)
class Settings:
    """What is played, and how.

    Attributes:
        agent: what the opponent is called.
        match: the rules.
        seat: of the person, 0 or 1. It decides which cards of a deal they get.
        begins: whether the person begins the first round.
        undo: whether turns may be taken back.
    """

    agent: str
    match: Match
    seat: int = 0
    begins: bool = True
    undo: bool = False


@dataclass(frozen=True)
class Move:
    """A turn that was taken.

    Attributes:
        round: from 1.
        turn: of the round, from 1.
        seat: who took it.
        action: its code.
        drawn: the card that it brought the mover, in notation.
        drawn_openly: whether that card came from a pile, so that the other player knows it.
    """

    round: int
    turn: int
    seat: int
    action: int
    drawn: str
    drawn_openly: bool

    def drawn_as_seen_by(self, seat: int) -> str | None:
        """The card drawn, if that seat may know it."""
        return self.drawn if self.drawn_openly or seat == self.seat else None


@dataclass(frozen=True)
class RoundResult:
    """A finished round: by seat, its points and what made them (a `ColourScore` a colour)."""

    scores: tuple[int, int]
    breakdown: tuple[dict[str, ColourScore], dict[str, ColourScore]]


class Session:
    """One game or match of a person against an agent.

    Args:
        settings: what is played.
        agent: the opponent, made for that match.
        seed: of the deals.

    Attributes:
        game: the game that goes on.
        table: what lies on the table: `game`, or after a round of a match that round as it ended.
        moves: the turns taken.
        results: the finished rounds.
        hints, undone: how often the person asked, and took a turn back.
    """

    def __init__(self, settings: Settings, agent: Agent, *, seed: int) -> None:
        self.settings = settings
        self.agent = agent
        self.seed = seed
        self.hints = 0
        self.undone = 0
        self._begin()

    def _begin(self) -> None:
        self.game = self.table = self._deal()
        self.moves: list[Move] = []
        self.results: list[RoundResult] = []

    def _deal(self) -> Game:
        match, seat = self.settings.match, self.settings.seat
        first_player = seat if self.settings.begins else 1 - seat
        return Game(
            match.variant, rounds=match.rounds, tie=match.tie, seed=self.seed, first_player=first_player
        )

    @property
    def phase(self) -> Phase:
        """What is to happen next."""
        if self.game.over:
            return Phase.OVER
        if self.table is not self.game:
            return Phase.ROUND_OVER
        return Phase.PERSON if self.game.mover == self.settings.seat else Phase.AGENT

    @property
    def players(self) -> tuple[str, str]:
        """The names of seat 0 and seat 1, as in records."""
        names = (PERSON, printable(self.settings.agent))
        return names if self.settings.seat == 0 else (names[1], names[0])

    def play(self, turn: str) -> Move:
        """The person's turn, in notation.

        Raises:
            NotNowError: if it is not their turn.
            NotationError: if it is no turn.
            IllegalActionError: if the rules do not allow it; nothing has changed then.
        """
        self.expect(Phase.PERSON)
        action = parse_action(self.game.variant, turn)
        self.game.check(action)
        return self._take(action)

    def answer(self) -> Move:
        """The agent's turn.

        Raises:
            NotNowError: if it is not its turn.
            AgentFailedError, IllegalActionError: if it gives no legal action; nothing has changed then.
        """
        self.expect(Phase.AGENT)
        return self._take(choose(self.agent, self.settings.agent, self.game))

    def _take(self, action: int) -> Move:
        game = self.game
        after = table_after(game, action)
        source = to_action(game.variant, action).source
        move = Move(
            round=game.round + 1,
            turn=game.turn + 1,
            seat=game.mover,
            action=action,
            drawn=game.deck()[0] if source == DECK else game.pile(source - 1)[-1],
            drawn_openly=source != DECK,
        )
        game.step(action)
        self.moves.append(move)
        if is_round_over(after):
            self.results.append(
                RoundResult(after.scores, (after.score_breakdown(0), after.score_breakdown(1)))
            )
            self.table = game if game.over else after
        return move

    def next_round(self) -> None:
        """Goes on after a round of a match.

        Raises:
            NotNowError: if no round is over, or the match is.
        """
        self.expect(Phase.ROUND_OVER)
        self.table = self.game

    def expect(self, *phases: Phase) -> None:
        """Checks what is to happen next.

        Raises:
            NotNowError: if it is none of these.
        """
        if self.phase not in phases:
            raise NotNowError(
                {
                    Phase.PERSON: "it is your turn",
                    Phase.AGENT: f"it is the turn of {self.settings.agent}",
                    Phase.ROUND_OVER: "the round is over; go on to the next one first",
                    Phase.OVER: "the game is over",
                }[self.phase]
            )

    @property
    def can_undo(self) -> bool:
        """Whether the person may take back a turn now."""
        return self.settings.undo and self.phase is Phase.PERSON and self._last_own_move() is not None

    def undo(self) -> None:
        """Takes back the person's last turn of this round, and the agent's answer.

        Raises:
            NotNowError: if that is not allowed, or there is none.
        """
        if not self.settings.undo:
            raise NotNowError("this game is played without undo")
        self.expect(Phase.PERSON)
        last = self._last_own_move()
        if last is None:
            raise NotNowError("you have taken no turn in this round")
        kept = self.moves[:last]
        self._begin()
        for move in kept:
            self._take(move.action)
            self.table = self.game
        self.undone += 1

    def _last_own_move(self) -> int | None:
        for index in reversed(range(len(self.moves))):
            move = self.moves[index]
            if move.round == self.game.round + 1 and move.seat == self.settings.seat:
                return index
        return None

    def record(self) -> Record:
        """The game so far as a record: it shows the deck, both hands and the seed."""
        headers = headers_of(self.seed)
        if self.hints:
            headers["Hints"] = str(self.hints)
        if self.undone:
            headers["Undone turns"] = str(self.undone)
        game = self._deal()
        recorder = Recorder(game, self.players, headers)
        for move in self.moves:
            recorder.add(move.action)
            game.step(move.action)
        return recorder.record
