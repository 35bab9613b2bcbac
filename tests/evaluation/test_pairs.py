"""Pairs: the same deal twice with the seats swapped, and what is counted in each round."""

from typing import ClassVar

import numpy as np
import pytest

from lostcities_env.agents.base import Agent
from lostcities_env.agents.random import RandomAgent
from lostcities_env.agents.registry import UnknownAgentError, make
from lostcities_env.evaluation.pairs import PlayedPairs, play_pairs
from lostcities_env.evaluation.table import ROUND, contestant_seed, deal_seed
from lostcities_env.rules.actions import DECK, to_action
from lostcities_env.rules.game import Game, IllegalActionError
from lostcities_env.rules.match import Match
from lostcities_env.rules.state import TIE_RULES
from lostcities_env.rules.variant import STANDARD, VARIANTS, Variant

PER_CONTESTANT = [name for name in ROUND.names or () if ROUND[name].shape == (2,)]


class Quirky(RandomAgent):
    """A deterministic player: its choices depend on what it sees and on the quirk of its class."""

    quirk: ClassVar = 1

    def reset(self, seed: int) -> None:
        super().reset(self.quirk)


class Quirkier(Quirky):
    quirk = 2


class Scripted(Agent):
    """Returns whatever the test wants returned."""

    answer: ClassVar[object] = None

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        return self.answer  # type: ignore[return-value]


def assert_same(one: PlayedPairs, other: PlayedPairs) -> None:
    np.testing.assert_array_equal(one.rounds, other.rounds)
    np.testing.assert_array_equal(one.played, other.played)
    np.testing.assert_array_equal(one.winners, other.winners)


@pytest.mark.parametrize(
    "match", [Match(), Match(VARIANTS["six"], 3), Match(VARIANTS["mini3"], 2, "extra_round")], ids=str
)
def test_a_deterministic_agent_is_exactly_level_with_its_copy_in_every_pair(match: Match) -> None:
    played = play_pairs(Quirky(match), Quirky(match), match, pairs=20, seed=3)
    scores = played.rounds["score"].astype(int)
    np.testing.assert_array_equal(scores[:, 0, :, 0], scores[:, 1, :, 1])
    np.testing.assert_array_equal(scores[:, 0, :, 1], scores[:, 1, :, 0])
    assert ((scores[..., 0] - scores[..., 1]).sum(axis=(1, 2)) == 0).all()


@pytest.mark.parametrize("match", [Match(), Match(STANDARD, 3, "best_expedition")], ids=str)
def test_swapping_two_deterministic_contestants_gives_the_mirror_image(match: Match) -> None:
    played = play_pairs(Quirky(match), Quirkier(match), match, pairs=20, seed=3)
    mirror = play_pairs(Quirkier(match), Quirky(match), match, pairs=20, seed=3)
    for name in PER_CONTESTANT:  # the games of a pair change places, and so do the contestants
        np.testing.assert_array_equal(mirror.rounds[name], played.rounds[name][:, ::-1, :, ::-1])
    np.testing.assert_array_equal(mirror.rounds["starter"], 1 - played.rounds["starter"][:, ::-1])
    winners = played.winners[:, ::-1]
    np.testing.assert_array_equal(mirror.winners, np.where(winners < 0, winners, 1 - winners))


@pytest.mark.parametrize("pairs_at_once", [1, 7, 30, 1000])
def test_the_size_of_a_chunk_changes_nothing(pairs_at_once: int) -> None:
    match = Match(VARIANTS["mini3"], 3)
    whole = play_pairs("random", Quirky(match), match, pairs=30, seed=9)
    assert_same(
        play_pairs("random", Quirky(match), match, pairs=30, seed=9, pairs_at_once=pairs_at_once), whole
    )


def test_the_first_pairs_of_a_longer_run_are_those_of_a_shorter_one() -> None:
    short = play_pairs("random", "random", Match(), pairs=5, seed=4)
    long = play_pairs("random", "random", Match(), pairs=12, seed=4)
    assert_same(short, PlayedPairs(long.rounds[:5], long.played[:5], long.winners[:5]))


def test_seeds_tell_runs_apart_and_repeat_them() -> None:
    first = play_pairs("random", "random", Match(), pairs=3, seed=1)
    assert_same(play_pairs("random", "random", Match(), pairs=3, seed=1), first)
    other = play_pairs("random", "random", Match(), pairs=3, seed=2)
    assert (first.rounds["score"] != other.rounds["score"]).any()


def test_random_against_itself_does_not_mirror_its_choices() -> None:
    played = play_pairs("random", "random", Match(), pairs=5)
    turns = played.rounds["turns"].sum(axis=-1)
    assert (turns[:, 0] != turns[:, 1]).any()


def test_one_agent_object_can_play_itself_and_is_seeded_apart() -> None:
    agent = make("random")
    alone = play_pairs(agent, agent, Match(), pairs=4, seed=5)
    assert_same(alone, play_pairs("random", "random", Match(), pairs=4, seed=5))


def splitmix(word: int) -> int:
    """SplitMix64's finaliser in plain Python."""
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB % 2**64
    return word ^ (word >> 31)


def derived(seed: int, purpose: int, index: int) -> int:
    return splitmix((splitmix((splitmix(seed) + purpose) % 2**64) + index) % 2**64)


@pytest.mark.parametrize("seed", [0, 1, 12345, 2**64 - 1])
def test_seeds_of_pairs_and_agents_are_as_documented(seed: int) -> None:
    assert [deal_seed(seed, pair) for pair in (0, 1, 999)] == [derived(seed, 1, k) for k in (0, 1, 999)]
    assert [contestant_seed(seed, k) for k in (0, 1)] == [derived(seed, 2, k) for k in (0, 1)]


def test_seeds_of_pairs_and_agents_are_distinct() -> None:
    seeds = [deal_seed(seed, pair) for seed in range(3) for pair in range(500)]
    seeds += [contestant_seed(seed, side) for seed in range(3) for side in range(2)]
    assert len(set(seeds)) == len(seeds)


# Against the readable game.


def replay(match: Match, seed: int, pair: int, seat_of_a: int) -> tuple[Game, list[dict[str, list[int]]]]:
    """A game of the pair on `Game`, one agent and one observation at a time, counted from the cards."""
    agents = [make("random", match, seed=contestant_seed(seed, k)) for k in range(2)]
    seats = agents if seat_of_a == 0 else agents[::-1]
    game = Game(match.variant, rounds=match.rounds, tie=match.tie, seed=deal_seed(seed, pair))
    rounds = []
    while not game.over:
        counts = {name: [0, 0] for name in PER_CONTESTANT}
        counts["starter"] = [game.mover ^ seat_of_a]
        number = game.round
        while game.round == number and not game.over:
            seat = game.mover
            action = seats[seat].act(game.observation(seat)[np.newaxis], game.action_mask()[np.newaxis])[0]
            counts["turns"][seat] += 1
            counts["pile_draws"][seat] += to_action(match.variant, action).source != DECK
            game.step(action)
        for seat in range(2):
            counts["score"][seat] = game.round_scores[number][seat]
            if len(game.round_scores) > game.round:  # else the next deal has cleared the table
                made = game.score_breakdown(seat).values()
                counts["expeditions"][seat] = sum(colour.cards > 0 for colour in made)
                counts["negative"][seat] = sum(colour.points < 0 for colour in made)
                counts["bonuses"][seat] = sum(colour.bonus > 0 for colour in made)
                counts["wagers"][seat] = sum(colour.wagers for colour in made)
        closing = match.variant.piles_close_at
        counts["piles_closed"] = [int(closing is not None and sum(counts["turns"]) >= closing)]
        rounds.append({k: v[::-1] if seat_of_a == 1 else v for k, v in counts.items()})
    return game, rounds


@pytest.mark.parametrize("tie", TIE_RULES)
@pytest.mark.parametrize("rounds", [1, 3])
@pytest.mark.parametrize("variant", VARIANTS)
def test_counts_agree_with_the_readable_game(variant: str, rounds: int, tie: str) -> None:
    match = Match(VARIANTS[variant], rounds, tie)
    played = play_pairs("random", "random", match, pairs=3, seed=6)
    for pair in range(3):
        for seat_of_a in range(2):
            game, counted = replay(match, 6, pair, seat_of_a)
            assert played.played[pair, seat_of_a] == len(counted)
            for number, counts in enumerate(counted):
                row = played.rounds[pair, seat_of_a, number]
                table_is_known = number + 1 == len(counted)
                for name, values in counts.items():
                    if table_is_known or name not in ("expeditions", "negative", "bonuses", "wagers"):
                        assert np.atleast_1d(row[name]).tolist() == values, name
            assert not played.rounds[pair, seat_of_a, len(counted) :]["turns"].any()
            winner = -1 if game.winner is None else game.winner ^ seat_of_a
            assert played.winners[pair, seat_of_a] == winner


def test_long_expeditions_are_counted_as_bonuses() -> None:
    short = Variant(name="short", bonus_length=2, bonus=1)
    played = play_pairs("random", "random", Match(short), pairs=2)
    _, (counts,) = replay(Match(short), 0, 1, 1)
    assert played.rounds["bonuses"][1, 1, 0].tolist() == counts["bonuses"]
    assert sum(counts["bonuses"]) > 2


def test_rounds_that_reach_the_closing_of_the_piles_are_marked() -> None:
    never = play_pairs("random", "random", Match(Variant(piles_close_at=10_000)), pairs=3)
    always = play_pairs("random", "random", Match(Variant(piles_close_at=0)), pairs=3)
    assert not never.rounds["piles_closed"].any()
    assert always.rounds["piles_closed"].all()
    assert not always.rounds["pile_draws"].any()
    assert (always.rounds["turns"].sum(axis=-1) == STANDARD.deck_size).all()


# Progress and errors.


@pytest.mark.parametrize(
    "match", [Match(VARIANTS["mini3"]), Match(VARIANTS["mini3"], 1, "extra_round")], ids=str
)
def test_progress_rises_to_one(match: Match) -> None:
    shares: list[float] = []
    play_pairs("random", "random", match, pairs=10, pairs_at_once=4, progress=shares.append)
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] == 1.0


def test_an_illegal_action_names_the_agent_the_game_and_the_reason() -> None:
    class First(Scripted):
        def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
            return np.where(np.arange(len(observations)) == 4, 119, action_masks.argmax(axis=1))

    # Every game waits for B when it first acts: row 4 is game 4, where B answers A's first turn.
    with pytest.raises(IllegalActionError) as caught:
        play_pairs("random", First(Match()), Match(), pairs=6, seed=1)
    message = str(caught.value)
    assert message.startswith("agent 'First' at seat 1 (pair 2, round 1, turn 2): discarding R10 and drawing")
    assert "is illegal for player 1: " in message


@pytest.mark.parametrize("action", [-1, 600])
def test_an_action_out_of_range_is_refused(action: int) -> None:
    class Outside(Scripted):
        def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
            return np.full(len(observations), action)

    with pytest.raises(IllegalActionError, match=rf"agent 'Outside'.*action {action} is outside 0\.\.599"):
        play_pairs(Outside(Match()), "random", Match(), pairs=2)


@pytest.mark.parametrize("answer", [np.zeros(1, dtype=np.int64), np.zeros(4), None])
def test_actions_must_be_one_integer_a_game(answer: object) -> None:
    class Wrong(Scripted):
        pass

    Wrong.answer = answer
    with pytest.raises(TypeError, match=r"agent 'Wrong' must return 4 integer actions, shape \(4,\)"):
        play_pairs(Wrong(Match()), "random", Match(), pairs=4)


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(ValueError, match="pairs=0 is not a positive integer"):
        play_pairs("random", "random", Match(), pairs=0)
    with pytest.raises(ValueError, match="pairs_at_once=True is not a positive integer"):
        play_pairs("random", "random", Match(), pairs=1, pairs_at_once=True)
    with pytest.raises(ValueError, match=r"outside 0\.\.2\*\*64-1"):
        play_pairs("random", "random", Match(), pairs=1, seed=-1)
    with pytest.raises(ValueError, match="never closes its piles"):
        play_pairs("random", "random", Match(Variant(piles_close_at=None)), pairs=1)
    with pytest.raises(ValueError, match=r"agent RandomAgent was made for .*rounds=1.*, not for .*rounds=3"):
        play_pairs(make("random"), "random", Match(rounds=3), pairs=1)
    with pytest.raises(UnknownAgentError, match="no agent 'nobody'"):
        play_pairs("nobody", "random", Match(), pairs=1)
