"""The agent against a slow one, written from its description, that tries each action on a copy."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from lostcities_env.agents import make
from lostcities_env.agents.base import observation_key
from lostcities_env.agents.outlook import opponent_finish
from lostcities_env.agents.unseen import sample_unseen
from lostcities_env.rules import rounds
from lostcities_env.rules import state as kernels
from lostcities_env.rules.actions import DECK, DISCARD, to_action
from lostcities_env.rules.cards import WAGER
from lostcities_env.rules.generator import seed_words
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import read_observation_at
from lostcities_env.rules.variant import VARIANTS, Variant
from tests.agents.positions import choice, mean_margin, midgame, play_pairs, variants, views


class Slow:
    """Values of a row's actions, as `lostcities_env.agents.projection` describes them."""

    def __init__(self, match: Match, row: np.ndarray, seed: int) -> None:
        self.match = match
        self.variant = match.variant
        self.states = match.new_states(1)
        read_observation_at(row, self.states, 0)
        self.samples = self.sample(row, seed)

    def unseen(self, state: Any) -> np.ndarray:
        counts = np.tile([self.variant.n_wagers] + [1] * self.variant.n_numbers, self.variant.n_colours)
        n_types = self.variant.n_card_types
        counts -= state["hands"][:, :n_types].sum(axis=0) + state["expeditions"][:, :n_types].sum(axis=0)
        for colour in range(self.variant.n_colours):
            for rank in state["piles"][colour, : state["pile_size"][colour]]:
                counts[colour * self.variant.n_ranks + rank] -= 1
        return counts

    def sample(self, row: np.ndarray, seed: int) -> list[int]:
        words, bag = np.empty(4, np.uint64), np.empty(kernels.MAX_CARDS, np.int64)
        seed_words(np.uint64(observation_key(row, np.uint64(seed))), words)
        drawn = sample_unseen(self.unseen(self.states[0]), self.variant.n_card_types, words, bag, 6)
        return bag[:drawn].tolist()

    def value(self, action: int) -> float:
        if to_action(self.variant, action).source != DECK:
            return self.value_after(action)
        return float(np.mean([self.value_after(action, card) for card in self.samples]))

    def value_after(self, action: int, drawn: int = 0) -> float:
        states = self.states.copy()
        deck_next = states[0]["deck_next"]
        if deck_next < self.variant.n_cards:
            states[0]["deck"][deck_next] = drawn
        rounds.turn_at(states, 0, action)
        state = states[0]
        deck = int(self.variant.n_cards - state["deck_next"])
        if deck == 0:
            return float(state["scores"][0] - state["scores"][1])
        own = self.finish(state, 0, state["hands"][0].astype(float), deck / 2)
        return own - self.opponent_finish(state, deck)

    def opponent_finish(self, state: Any, deck: int) -> float:
        unseen = self.unseen(state)
        hidden = self.variant.hand_size - state["hands"][1].sum()
        theirs = state["hands"][1].astype(float)
        turns = (deck + 1) / 2
        if unseen.sum():
            theirs[: unseen.size] += unseen * min((hidden + 0.55 * turns) / unseen.sum(), 1)
        return self.finish(state, 1, theirs, turns)

    def finish(self, state: Any, player: int, coming: np.ndarray, turns: float) -> float:
        now = gain = cards = 0.0
        for colour in range(self.variant.n_colours):
            at = slice(colour * self.variant.n_ranks, (colour + 1) * self.variant.n_ranks)
            table = state["expeditions"][player][at].astype(float)
            top = int(state["top"][player, colour])
            playable = coming[at] * (np.arange(self.variant.n_ranks) > top)
            wagers = coming[at][WAGER] if top <= WAGER else 0.0
            score = self.points(table)
            best, best_cards = score, 0.0
            for extra in sorted({max(wagers - k, 0.0) for k in range(self.variant.n_wagers + 1)}):
                playable[WAGER] = extra
                if self.points(table + playable) > best:
                    best, best_cards = self.points(table + playable), playable.sum()
            now, gain, cards = now + score, gain + best - score, cards + best_cards
        return now + gain * (min(1, turns / cards) if cards else 0)

    def points(self, cards: np.ndarray) -> float:
        if cards.sum() == 0:
            return 0.0
        numbers = np.arange(self.variant.lowest, self.variant.highest + 1)
        score = (cards[1:] @ numbers - self.variant.expedition_cost) * (1 + cards[WAGER])
        return score + (self.variant.bonus if 0 < self.variant.bonus_length <= cards.sum() else 0)


@njit  # not cached: no one would notice that the package has changed
def opponent_finish_at(states: np.ndarray, i: int, unseen: np.ndarray, deck: int) -> float:
    return opponent_finish(states[i], unseen, unseen.sum(), deck)


def assert_chooses_best(match: Match, states: np.ndarray, seed: int) -> None:
    rows, masks = views(match, states)
    actions = make("projection", match, seed=seed).act(rows, masks)
    for row, mask, chosen in zip(rows, masks, actions, strict=True):
        slow = Slow(match, row, seed)
        deck = int(match.variant.n_cards - slow.states[0]["deck_next"])
        expected = slow.opponent_finish(slow.states[0], deck)
        unseen = slow.unseen(slow.states[0])
        assert opponent_finish_at(slow.states, 0, unseen, deck) == pytest.approx(expected)
        values = {int(action): slow.value(int(action)) for action in np.flatnonzero(mask)}
        best = max(values.values())
        assert values[int(chosen)] == pytest.approx(best, abs=1e-5)
        equals = [to_action(match.variant, action) for action in values if values[action] > best - 1e-9]
        waiting = [(action.way == DISCARD, action.source != DECK) for action in equals]
        action = to_action(match.variant, int(chosen))
        assert (action.way == DISCARD, action.source != DECK) >= max(waiting)


class TestAgainstSlowOne:
    @pytest.mark.parametrize(("variant", "count"), [("standard", 20), ("six", 8), ("mini1", 8), ("mini3", 8)])
    def test_in_play(self, variant: str, count: int) -> None:
        match = Match(VARIANTS[variant])
        for name in ("random", "projection"):
            states = midgame(match, count, 1, make(name, match), 70)
            assert_chooses_best(match, states, seed=3)

    @settings(max_examples=15, deadline=None)
    @given(variants(), st.integers(0, 1000))
    def test_on_any_variant(self, variant: Variant, seed: int) -> None:
        match = Match(variant)
        assert_chooses_best(match, midgame(match, 2, seed, make("greedy", match), 30), seed)


class TestChoice:
    def test_opens_a_strong_colour_when_turns_run_short(self) -> None:
        hand = "R4 R6 R8 R9 R10 B2 G2 Y2"
        assert choice(make("projection"), hand, deck=10) == "R4 deck"

    def test_waits_while_there_is_time(self) -> None:
        assert choice(make("projection"), "R4 R6 R8 R9 R10 B2 G2 Y2", deck=44).startswith("-")

    def test_takes_what_it_needs_from_a_pile(self) -> None:
        turn = choice(make("projection"), "R4 R6 R8 B2 G2 Y2 W2 Wx", own="R2 R3", piles="R10", deck=30)
        assert turn.endswith(" R")

    def test_keeps_what_it_can_play(self) -> None:
        """The dead card is the only one that costs nothing."""
        turn = choice(make("projection"), "R3 R8 R9 R10 B8 B9 B10 G8", own="R6 B6 G6", opponent="R2", deck=30)
        assert turn.startswith("-R3 ")

    def test_plays_the_most_points_in_the_last_turn(self) -> None:
        assert choice(make("projection"), "R9 B10 W7", own="R2 Bx Wx Wx", deck=1) == "W7 deck"

    def test_does_not_open_what_can_only_lose(self) -> None:
        assert choice(make("projection"), "R9 B10 W5", deck=1).startswith("-")

    def test_chooses_among_equals_at_random(self) -> None:
        agent = make("projection")
        turns = set()
        for seed in range(40):
            agent.reset(seed)
            turns.add(choice(agent, "R9 B10 W5", deck=1))
        assert turns == {"-R9 deck", "-B10 deck", "-W5 deck"}


def test_beats_threshold_and_random() -> None:
    projection = make("projection")
    assert 10 < mean_margin(projection, make("threshold"), 100, seed=1) < 40
    assert 120 < mean_margin(projection, make("random"), 100, seed=1) < 160


def test_against_itself_both_build_high_scores_from_recycled_piles() -> None:
    states = play_pairs(make("projection"), make("projection", seed=1), 50, seed=1)
    assert 85 < states["match_scores"].mean() < 115
    assert 55 < states["turn"].mean() < 90
