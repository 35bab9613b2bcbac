"""A game between a person and an agent, without a page."""

from collections.abc import Callable

import numpy as np
import pytest

from lostcities_env.agents.base import Agent
from lostcities_env.agents.registry import make
from lostcities_env.play.advice import hint, review
from lostcities_env.play.session import NotNowError, Phase, Session, Settings
from lostcities_env.records import format_record, parse_records
from lostcities_env.rules.actions import format_action
from lostcities_env.rules.cards import NotationError
from lostcities_env.rules.game import IllegalActionError
from lostcities_env.rules.match import Match


class Illegal(Agent):
    """Takes action 0, come what may."""

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        return np.zeros(len(observations), dtype=np.int64)


def session_of(
    agent: str = "greedy",
    variant: str = "standard",
    rounds: int = 1,
    seat: int = 0,
    begins: bool = True,
    undo: bool = False,
) -> Session:
    match = Match(variant, rounds)  # type: ignore[arg-type]
    return Session(Settings(agent, match, seat, begins, undo), make(agent, match, seed=1), seed=7)


def play_out(session: Session, choose: Callable[[Session], str] = lambda one: one.game.legal()[0]) -> None:
    while session.phase is not Phase.OVER:
        if session.phase is Phase.PERSON:
            session.play(choose(session))
        elif session.phase is Phase.AGENT:
            session.answer()
        else:
            session.next_round()


def finish_round(session: Session) -> None:
    while session.phase is not Phase.ROUND_OVER:
        if session.phase is Phase.PERSON:
            session.play(session.game.legal()[0])
        else:
            session.answer()


def answer_if_due(session: Session) -> None:
    if session.phase is Phase.AGENT:
        session.answer()


class TestTurns:
    def test_they_take_turns(self) -> None:
        session = session_of()
        phases = [session.phase]
        session.play(session.game.legal()[0])
        phases.append(session.phase)
        session.answer()
        phases.append(session.phase)
        assert phases == [Phase.PERSON, Phase.AGENT, Phase.PERSON]
        assert [(move.round, move.turn, move.seat) for move in session.moves] == [(1, 1, 0), (1, 2, 1)]

    @pytest.mark.parametrize("seat", [0, 1])
    @pytest.mark.parametrize("begins", [True, False])
    def test_seat_and_who_begins(self, seat: int, begins: bool) -> None:
        session = session_of(seat=seat, begins=begins)
        assert session.phase is (Phase.PERSON if begins else Phase.AGENT)
        assert session.game.mover == (seat if begins else 1 - seat)
        assert session.players[seat] == "person"

    def test_the_seat_decides_the_cards(self) -> None:
        assert session_of(seat=0).game.hand(0) == session_of(seat=1).game.hand(0)

    def test_not_the_persons_turn(self) -> None:
        session = session_of(begins=False)
        with pytest.raises(NotNowError, match="it is the turn of greedy"):
            session.play("R1 deck")
        with pytest.raises(NotNowError, match="it is the turn of greedy"):
            hint(session)

    def test_not_the_agents_turn(self) -> None:
        with pytest.raises(NotNowError, match="it is your turn"):
            session_of().answer()

    def test_an_illegal_turn_changes_nothing(self) -> None:
        session = session_of()
        absent = next(card for card in ("R2", "R3", "R4") if card not in session.game.hand(0))
        with pytest.raises(IllegalActionError, match="is not in hand"):
            session.play(f"{absent} deck")
        with pytest.raises(NotationError):
            session.play("anything")
        assert session.moves == []
        assert session.phase is Phase.PERSON

    def test_an_agent_that_fails_changes_nothing(self) -> None:
        match = Match("standard")  # type: ignore[arg-type]
        session = Session(Settings("bad", match, begins=False), Illegal(match), seed=7)
        with pytest.raises(IllegalActionError, match=r"agent 'bad', turn 1: .* Rx is not in hand"):
            session.answer()
        assert session.phase is Phase.AGENT

    def test_who_may_know_what_was_drawn(self) -> None:
        session = session_of("greedy", "standard")
        deck = session.game.deck()
        mine = session.play(session.game.legal()[0])
        theirs = session.answer()
        assert (mine.drawn_as_seen_by(0), mine.drawn_as_seen_by(1)) == (deck[0], None)
        assert (theirs.drawn_as_seen_by(0), theirs.drawn_as_seen_by(1)) == (None, deck[1])
        from_pile = next((turn for turn in session.game.legal() if not turn.endswith("deck")), None)
        while from_pile is None:
            session.play(next(turn for turn in session.game.legal() if turn.startswith("-")))
            session.answer()
            from_pile = next((turn for turn in session.game.legal() if not turn.endswith("deck")), None)
        top = session.game.pile(session.game.variant.colours.index(from_pile[-1]))[-1]
        assert session.play(from_pile).drawn_as_seen_by(1) == top


class TestMatch:
    def test_the_finished_round_stays_on_the_table(self) -> None:
        session = session_of(variant="mini3", rounds=2)
        finish_round(session)
        assert session.table.deck_count == 0
        assert session.table.scores == session.results[0].scores == session.game.match_scores
        with pytest.raises(NotNowError, match="go on to the next one first"):
            session.answer()
        session.next_round()
        assert session.table is session.game
        assert session.game.turn == 0
        with pytest.raises(NotNowError):
            session.next_round()

    def test_to_the_end(self) -> None:
        session = session_of(variant="mini3", rounds=3)
        play_out(session)
        assert [result.scores for result in session.results] == session.game.round_scores
        assert len(session.results) == 3
        for result in session.results:
            for points, breakdown in zip(result.scores, result.breakdown, strict=True):
                assert points == sum(made.points for made in breakdown.values())


class TestUndo:
    def test_is_off_unless_asked_for(self) -> None:
        session = session_of()
        session.play(session.game.legal()[0])
        session.answer()
        assert not session.can_undo
        with pytest.raises(NotNowError, match="without undo"):
            session.undo()

    def test_goes_back_to_the_persons_last_turn(self) -> None:
        session = session_of(undo=True)
        before = session.game.to_dict()
        session.play(session.game.legal()[0])
        session.answer()
        assert session.can_undo
        session.undo()
        assert session.game.to_dict() == before
        assert session.moves == []
        assert session.undone == 1

    def test_nothing_to_take_back(self) -> None:
        session = session_of(undo=True, begins=False)
        session.answer()
        assert not session.can_undo
        with pytest.raises(NotNowError, match="no turn in this round"):
            session.undo()

    def test_stays_in_the_round(self) -> None:
        session = session_of(undo=True, rounds=2)
        finish_round(session)
        session.next_round()
        finished = len(session.moves)
        answer_if_due(session)
        assert not session.can_undo
        session.play(session.game.legal()[0])
        answer_if_due(session)
        session.undo()
        assert len(session.moves) - finished in (0, 1)
        assert len(session.results) == 1
        play_out(session)
        assert len(session.results) == 2


class TestRecord:
    @pytest.mark.parametrize("seat", [0, 1])
    def test_replays_to_the_same_score(self, seat: int) -> None:
        session = session_of(variant="mini3", rounds=2, seat=seat)
        play_out(session)
        [record] = parse_records(format_record(session.record()))
        assert record.final().match_scores == session.game.match_scores
        assert record.players[seat] == "person"
        assert record.headers["Seed"] == "7"
        assert "Hints" not in record.headers

    def test_says_what_help_there_was(self) -> None:
        session = session_of(undo=True)
        hint(session)
        session.play(session.game.legal()[0])
        session.answer()
        session.undo()
        headers = session.record().headers
        assert (headers["Hints"], headers["Undone turns"]) == ("1", "1")


class TestHint:
    def test_of_an_agent_without_values(self) -> None:
        session = session_of("greedy", "standard")
        suggestions = hint(session)
        assert sum(one.probability for one in suggestions) == pytest.approx(1)
        assert all(one.value is None for one in suggestions)
        session.game.check(suggestions[0].action)

    def test_of_a_policy(self) -> None:
        suggestions = hint(session_of("quick", "standard"))
        chances = [one.probability for one in suggestions]
        assert len(suggestions) == 5
        assert chances == sorted(chances, reverse=True)
        assert all(one.value is not None for one in suggestions)


class TestReview:
    def test_only_at_the_end(self) -> None:
        with pytest.raises(NotNowError):
            review(session_of())

    def test_the_agents_own_choices_are_no_mistakes(self) -> None:
        match = Match("standard")  # type: ignore[arg-type]
        agent = make("quick", match)
        session = session_of("quick", "standard")

        def choose(one: Session) -> str:
            game = one.game
            if len(one.moves) == 2:
                return game.legal()[-1]
            [action] = agent.act(game.observation(0)[np.newaxis], game.action_mask()[np.newaxis])
            return format_action(game.variant, int(action))

        play_out(session, choose)
        verdict = review(session, worlds=2)
        assert verdict.judge == "quick"
        assert verdict.turns == sum(move.seat == 0 for move in session.moves)
        assert [mistake.move.turn for mistake in verdict.mistakes] in ([], [3])
        assert verdict.total == sum(mistake.cost for mistake in verdict.mistakes)

    def test_a_policy_judges_for_an_agent_without_values(self) -> None:
        session = session_of("discard", "standard")
        play_out(session)
        verdict = review(session, worlds=2)
        assert verdict.judge == "quick"
        assert verdict.mistakes
        costs = [mistake.cost for mistake in verdict.mistakes]
        assert costs == sorted(costs, reverse=True)
        assert costs[-1] >= 1

    def test_nobody_can_judge_a_miniature(self) -> None:
        session = session_of(variant="mini3")
        play_out(session)
        assert review(session).judge is None
