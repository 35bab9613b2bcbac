import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from lostcities_env.render.moments import table_after
from lostcities_env.render.view import action_view, table_view
from lostcities_env.rules.actions import parse_action
from lostcities_env.rules.cards import all_cards, format_card
from lostcities_env.rules.game import Game
from lostcities_env.rules.variant import STANDARD, VARIANTS
from tests.agents.positions import shuffle_unseen
from tests.envs.play import choose

DECK = [format_card(STANDARD, card) for card in all_cards(STANDARD)]


def positions(name: str, *, rounds: int = 1, seed: int = 1) -> Iterator[Game]:
    game, rng = Game(name, rounds=rounds, seed=seed), np.random.default_rng(seed)
    while not game.over:
        yield game
        game.step(choose(game.action_mask(), rng))
    yield game


class TestTableView:
    def test_says_what_lies_on_the_table(self) -> None:
        game = Game(deck=DECK)
        for turn in ("Rx deck", "-R2 deck", "R5 deck", "-B2 R"):
            game.play(turn)
        view = table_view(game, 0)
        assert view["turn"] == 4
        assert view["mover"] == 0
        assert view["deck_count"] == 41
        assert view["piles"] == {"R": [], "B": ["B2"], "G": [], "Y": [], "W": []}
        mine, theirs = view["players"]
        assert mine["score"] == -30
        assert mine["expeditions"]["R"] == {
            "cards": ["Rx", "R5"],
            "length": 2,
            "wagers": 1,
            "total": 5,
            "cost": 20,
            "bonus": 0,
            "points": -30,
        }
        assert [held["card"] for held in mine["hand"]] == game.hand(0)
        assert theirs["hand"] == [{"card": "R2", "known": True}] + 7 * [{"card": None, "known": False}]

    def test_both_hands(self) -> None:
        game = Game(seed=1)
        view = table_view(game, None)
        for player in range(2):
            assert [held["card"] for held in view["players"][player]["hand"]] == game.hand(player)

    def test_of_two_wagers_in_a_hand_one_is_known(self) -> None:
        game = Game(deck=DECK)
        for turn in ("-Rx deck", "R2 R"):
            game.play(turn)
        hand = table_view(game, 1)["players"][1]["hand"]
        wagers = [held["known"] for held in hand if held["card"] == "Rx"]
        assert wagers == [True, False]

    @pytest.mark.parametrize("name", VARIANTS)
    def test_is_the_same_json_whatever_is_hidden(self, name: str) -> None:
        rng = np.random.default_rng(0)
        for game in positions(name):
            if game.over:
                break
            viewer = game.mover
            states = shuffle_unseen(game.states, rng)
            other = game.clone()
            other.states[:] = states
            assert json.dumps(table_view(game, viewer)) == json.dumps(table_view(other, viewer))

    def test_who_waits_is_not_told_the_turns_of_the_mover(self) -> None:
        game = Game(seed=1)
        assert table_view(game, 1)["legal"] == []
        assert [turn["text"] for turn in table_view(game, 0)["legal"]] == game.legal()
        assert [turn["text"] for turn in table_view(game, None)["legal"]] == game.legal()

    def test_every_card_is_somewhere_and_cards_on_the_table_nowhere_else(self) -> None:
        for game in positions("six"):
            view = table_view(game, None)
            seen = [card for pile in view["piles"].values() for card in pile]
            for player in view["players"]:
                seen += [held["card"] for held in player["hand"]]
                seen += [card for made in player["expeditions"].values() for card in made["cards"]]
            assert len(seen) + view["deck_count"] == game.variant.n_cards
            assert not Counter(seen) - Counter(format_card(game.variant, c) for c in all_cards(game.variant))

    def test_the_end_of_a_match(self) -> None:
        for game in positions("mini3", rounds=3):
            view = table_view(game, None)
            assert view["rounds"] == 3
            assert view["round"] == game.round
        assert view["over"]
        assert view["mover"] is None
        assert view["legal"] == []
        assert view["winner"] == game.winner
        assert view["match_scores"] == [sum(scores) for scores in zip(*view["round_scores"], strict=True)]

    @pytest.mark.parametrize("viewer", [2, -1, "0"])
    def test_bad_viewer(self, viewer: object) -> None:
        with pytest.raises(ValueError, match="is neither None, 0 nor 1"):
            table_view(Game(seed=1), viewer)  # type: ignore[arg-type]


def test_a_finished_round_still_lies_on_the_table() -> None:
    before, rng = Game("mini3", rounds=2, seed=1), np.random.default_rng(0)
    game = before.clone()
    while game.round == 0:
        before = game.clone()
        action = choose(game.action_mask(), rng)
        game.step(action)
    view = table_view(table_after(before, action), None)
    assert view["deck_count"] == 0
    assert view["round"] == 0
    assert view["round_over"]
    assert not view["over"]
    assert view["mover"] is None
    assert view["legal"] == []
    assert [player["score"] for player in view["players"]] == view["round_scores"][0]
    assert view["round_scores"] == [list(scores) for scores in game.round_scores]


def test_action_view() -> None:
    variant = replace(STANDARD, name="mine")
    assert action_view(variant, parse_action(variant, "-R10 G")) == {
        "code": parse_action(variant, "-R10 G"),
        "text": "-R10 G",
        "card": "R10",
        "way": "discard",
        "source": "G",
    }
    assert action_view(variant, 0)["source"] == "deck"
    assert action_view(variant, 0)["way"] == "play"
