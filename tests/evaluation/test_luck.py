"""That taking luck out of a margin leaves its mean as it is, and that it helps."""

import json
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from lostcities_env.agents import Agent, make
from lostcities_env.cli import main
from lostcities_env.evaluation import evaluate
from lostcities_env.evaluation.luck import FOLDS, MIN_PAIRS, PHASES, corrected_margin, deck_luck, without_luck
from lostcities_env.evaluation.report import luck_table
from lostcities_env.evaluation.transcript import Transcript
from lostcities_env.rules import rounds
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import MINI_1, MINI_3
from tests.agents.positions import deal, step, views


class AnyValues(Agent):
    """Values without any sense: each observation has one."""

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        raise AssertionError("it only judges")

    def values(self, observations: np.ndarray) -> np.ndarray:
        weights = np.random.default_rng(3).normal(size=observations.shape[1])
        return 10 * np.sin(observations @ weights)


def play(states: np.ndarray, players: tuple[Agent, Agent]) -> list[list[int]]:
    """The actions of each game, played to its end."""
    turns: list[list[int]] = [[] for _ in states]
    while (going := np.flatnonzero(states["match_over"] == 0)).size:
        for game in going:
            mover = players[states["mover"][game]]
            action = int(mover.act(*views(mover.match, states[game : game + 1]))[0])
            turns[game].append(action)
            step(states[game : game + 1], [action])
    return turns


class TestLuck:
    @pytest.mark.parametrize("others", [1, 2, 60])
    def test_over_every_deck_it_is_nothing(self, others: int) -> None:
        match = Match(MINI_1)
        decks = [list(deck) for deck in permutations(range(5))]
        dealt = match.new_states(len(decks))
        dealt["deck"][:, :5] = decks
        for game in range(len(decks)):
            rounds.new_match_at(dealt, game, 0, False)
        turns = play(dealt.copy(), (make("random", match, seed=1), make("random", match, seed=2)))
        assert {len(of_game) for of_game in turns} != {3}, "some draw from the piles"
        luck = deck_luck(AnyValues(match), dealt, turns, others)
        assert (dealt["match_over"] == 1).all()
        assert np.abs(luck).max() > 1
        np.testing.assert_allclose(luck.sum(axis=0), 0, atol=1e-9)

    def test_over_many_deals_it_is_little(self) -> None:
        match = Match(MINI_3, rounds=2)
        states = deal(match, 400, seed=9)
        turns = play(states.copy(), (make("random", match, seed=1), make("greedy", match)))
        luck = deck_luck(AnyValues(match), states, turns).sum(axis=1)
        assert (states["match_over"] == 1).all()
        assert luck.std() > 2
        assert abs(luck.mean()) < 4 * luck.std() / np.sqrt(len(luck))


class TestCorrection:
    def made_up(self, pairs: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Margins of which luck explains nine tenths of the variance, around a mean of 6 for two rounds."""
        rng = np.random.default_rng(seed)
        lucks = rng.normal(size=(pairs, PHASES)) * [9, 6, 3]
        margins = np.rint(6 + lucks @ [1, 1, 2] + rng.normal(size=pairs) * 4)
        return margins, np.full(pairs, 2), lucks

    def test_it_takes_out_what_luck_explains(self) -> None:
        one = corrected_margin(*self.made_up(2000))
        assert one.factor == pytest.approx(10.6, rel=0.1)
        assert one.coefficients == pytest.approx((1, 1, 2), abs=0.15)
        assert one.margin.low is not None
        assert one.margin.high is not None
        assert one.margin.low < 3 < one.margin.high

    def test_few_pairs_do_not_bias_it(self) -> None:
        """Coefficients fitted to the same pairs would pull the mean to what the sample happens to say."""
        errors, reaches = [], []
        for seed in range(400):
            margin = corrected_margin(*self.made_up(MIN_PAIRS, seed)).margin
            assert margin.value is not None
            assert margin.low is not None
            errors.append(margin.value - 3)
            reaches.append(margin.value - margin.low)
        assert abs(np.mean(errors)) < 4 * np.std(errors) / 20
        covered = np.mean(np.abs(errors) < reaches)
        assert 0.91 < covered < 0.98

    def test_luck_that_explains_nothing_costs_next_to_nothing(self) -> None:
        margins, rounds_of_pair, lucks = self.made_up(1000)
        one = corrected_margin(margins, rounds_of_pair, np.random.default_rng(2).permutation(lucks))
        assert one.factor == pytest.approx(1, abs=0.02)

    def test_swapping_the_agents_swaps_the_sign(self) -> None:
        margins, rounds_of_pair, lucks = self.made_up(200)
        one = corrected_margin(margins, rounds_of_pair, lucks)
        other = corrected_margin(-margins, rounds_of_pair, -lucks)
        assert one.margin.value is not None
        assert other.margin.value == -one.margin.value
        assert one.factor == pytest.approx(other.factor)

    def test_it_helps(self) -> None:
        transcript = Transcript(100)
        raw = evaluate("champion", "quick", pairs=100, seed=1, transcript=transcript).margin
        one = without_luck(make("champion"), transcript, 100)
        assert raw.low is not None
        assert raw.high is not None
        assert one.margin.value is not None
        assert one.factor is not None
        assert raw.low < one.margin.value < raw.high
        assert one.factor > 2

    def test_there_is_none_where_games_were_forfeited(self, tmp_path: Path) -> None:
        guest = tmp_path / "sulky.py"
        guest.write_text(
            "def play(observation, mask):\n    return -1 if observation[0] > 1 else mask.argmax()\n"
        )
        transcript = Transcript(60)
        raw = evaluate(f"{guest}:play", "greedy", pairs=60, seed=1, transcript=transcript)
        assert 0 < raw.games_without_margin < 120
        one = without_luck(make("quick"), transcript, 60)
        assert one.to_dict() == {
            "margin": {"value": None, "low": None, "high": None},
            "factor": None,
            "coefficients": [],
        }
        table = luck_table("quick", [raw], [one])
        assert table.splitlines()[2].split()[-2:] == ["-", "-"]
        assert table.endswith("luck has a part in which games are left.")


class TestCommandLine:
    argv = ("evaluate", "greedy", "random", "--pairs", str(MIN_PAIRS), "--seed", "1", "--luck")

    def test_it_stands_beside_the_raw_margin(
        self, capsys: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        path = tmp_path / "result.json"
        assert main([*self.argv, "quick", "--json", str(path)]) == 0
        out = capsys.readouterr().out
        assert "Without the luck of the deck, by the values of quick:" in out
        content = json.loads(path.read_text())
        [evaluation], [one] = content["evaluations"], content["without_luck"]
        for margin in (evaluation["margin"], one["margin"]):
            assert f"{margin['value']:.2f} [{margin['low']:.2f}, {margin['high']:.2f}]" in out
        assert len(one["coefficients"]) == PHASES

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            (["projection"], "--luck: ProjectionAgent has no values"),
            (["nobody"], "no agent 'nobody'"),
            (["scratch", "--variant", "six"], "knows the rules of standard"),
            (["quick", "--pairs", str(MIN_PAIRS - 1)], f"--luck takes at least {MIN_PAIRS} pairs"),
        ],
    )
    def test_what_cannot_be_is_said_before_anything_is_played(
        self, capsys: pytest.CaptureFixture[str], changes: list[str], message: str
    ) -> None:
        assert main([*self.argv, *changes]) == 2
        assert message in capsys.readouterr().err


def test_too_few_pairs() -> None:
    assert MIN_PAIRS > 2 * FOLDS
    with pytest.raises(ValueError, match="3 pairs are too few"):
        without_luck(make("quick"), Transcript(3), 3)
