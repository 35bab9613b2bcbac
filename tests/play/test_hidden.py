"""The traffic: nothing that the server sends depends on what the person may not see."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from lostcities_env.agents.base import Agent
from lostcities_env.agents.registry import make
from lostcities_env.play.session import Session, Settings
from lostcities_env.rules.game import Game
from lostcities_env.rules.match import Match
from tests.agents.positions import shuffle_unseen
from tests.play.page_server import Client, serving

CARD = re.compile(r'"([RBGYWP](?:x|\d+))"|"-?([RBGYWP](?:x|\d+)) (?:deck|[RBGYWP])"')


class Scripted(Agent):
    """Takes the given actions, one after the other."""

    def __init__(self, match: Match, actions: list[int]) -> None:
        super().__init__(match)
        self._actions = iter(actions)

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        return np.array([next(self._actions)])


def shuffled_for_person(session: Session, rng: np.random.Generator) -> np.ndarray:
    """The state of a session with the cards dealt anew that the person can't see, whoever is to move."""
    states = session.game.states.copy()
    mover = states["mover"].copy()
    states["mover"] = session.settings.seat
    states = shuffle_unseen(states, rng)
    states["mover"] = mover
    return states


def everything(client: Client, position: dict[str, Any]) -> list[str]:
    """All answers that change nothing but the count of hints."""
    path = f"/api/games/{position['id']}"
    answers = [client.get(path), client.get(f"{path}/record"), client.get(f"{path}/review")]
    answers.append(client.post(f"{path}/hint"))
    answers.append(client.post(f"{path}/turn", version=position["version"], turn="no turn"))
    return [f"{answer.status} {answer.text}" for answer in answers]


def step(client: Client, position: dict[str, Any]) -> dict[str, Any]:
    """The position after the next turn; the person takes the first one, or one that draws from a pile."""
    if position["phase"] == "agent":
        return client.act(position, "answer")
    turns = [turn["text"] for turn in position["table"]["legal"]]
    piles = [turn for turn in turns if not turn.endswith("deck")]
    return client.act(position, "turn", turn=piles[0] if piles and len(position["moves"]) % 3 else turns[0])


def test_dealing_the_unseen_cards_anew_changes_no_answer(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    with serving(tmp_path, "threshold") as client:
        position = client.begin()
        session = client.session(position)
        changed = 0
        while position["phase"] != "over":
            if len(position["moves"]) % 5 in (0, 1):  # the turn of either
                as_dealt = session.game.states.copy()
                answers = everything(client, position)
                session.game.states[:] = shuffled_for_person(session, rng)
                changed += bool((session.game.states != as_dealt).any())
                assert everything(client, position) == answers
                session.game.states[:] = as_dealt
            position = step(client, position)
        assert changed > 10  # else this shows nothing


def test_a_game_with_other_hidden_cards_looks_the_same_to_its_end(tmp_path: Path) -> None:
    """The same public course on two deals that differ in the cards that are never shown."""
    match = Match("standard")  # type: ignore[arg-type]
    settings = Settings("scripted", match)
    original = Session(settings, make("greedy", match), seed=7)
    dealt = original.record().rounds[0].deck
    while original.phase != "over":
        original.answer() if original.phase == "agent" else original.play(original.game.legal()[0])
    never_shown = {card for card in original.game.hand(1) if card not in original.game.known(1)}
    places = [place for place, card in enumerate(dealt) if card in never_shown and dealt.count(card) == 1]
    other = list(dealt)
    for place, source in zip(places, places[1:] + places[:1], strict=True):
        other[place] = dealt[source]
    assert len(places) > 2
    answers = [int(move.action) for move in original.moves if move.seat == 1]

    def course(deck: list[str], folder: Path) -> list[str]:
        def begin(_: Settings) -> Session:
            session = Session(settings, Scripted(match, answers), seed=7)
            session.game = session.table = Game(match.variant, deck=deck, seed=0)
            return session

        with serving(folder, begin=begin) as client:
            position = client.begin()
            texts = []
            for move in original.moves:
                texts.append(json.dumps(position | {"id": ""}))
                if move.seat == 0:
                    turn = next(t["text"] for t in position["table"]["legal"] if t["code"] == move.action)
                    position = client.act(position, "turn", turn=turn)
                else:
                    position = client.act(position, "answer")
            assert position["phase"] == "over"
            return texts

    assert course(list(dealt), tmp_path) == course(other, tmp_path)


def test_no_answer_names_a_card_that_the_person_has_not_seen(tmp_path: Path) -> None:
    with serving(tmp_path, "threshold") as client:
        position = client.begin()
        game = client.session(position).game
        seen: set[str] = set()
        while position["phase"] != "over":
            seen |= {*game.hand(0), *game.known(1)}
            for colour in range(5):
                seen |= {*game.expedition(0, colour), *game.expedition(1, colour), *game.pile(colour)}
            named = {one or other for one, other in CARD.findall(json.dumps(position))}
            assert set(game.hand(0)) <= named  # the pattern finds cards
            assert named <= seen
            assert position["seed"] is None
            position = step(client, position)
        assert {card["card"] for card in position["table"]["players"][1]["hand"]} == set(game.hand(1))


def test_between_the_rounds_of_a_match_the_other_hand_stays_hidden(tmp_path: Path) -> None:
    with serving(tmp_path, variant="mini3", rounds=2) as client:
        position = client.begin()
        while position["phase"] != "round_over":
            position = step(client, position)
        session = client.session(position)
        before = client.get(f"/api/games/{position['id']}").text
        session.game.states["hands"][:] = session.game.states["hands"][:, ::-1]  # of the next round
        assert client.get(f"/api/games/{position['id']}").text == before
        hidden = [held["card"] for held in position["table"]["players"][1]["hand"]]
        assert hidden.count(None) == len(session.table.hand(1)) - len(session.table.known(1))
