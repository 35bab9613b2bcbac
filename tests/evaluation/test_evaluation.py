"""The numbers of an evaluation: by hand, by properties, and as JSON."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lostcities_env.agents.registry import make
from lostcities_env.evaluation import Estimate, Evaluation, evaluate
from lostcities_env.evaluation.evaluation import summarise
from lostcities_env.evaluation.pairs import PlayedPairs
from lostcities_env.evaluation.table import ROUND
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import STANDARD, VARIANTS, InvalidVariantError


def two_pairs() -> PlayedPairs:
    """Two pairs of matches of two rounds, the last with an extra round, made up for easy sums."""
    rounds = np.zeros((2, 2, 3), dtype=ROUND)
    scores: list[list[list[tuple[int, int] | None]]] = [
        [[(30, 10), (0, 0), None], [(5, 15), (20, 0), None]],
        [[(10, 10), (-5, 5), None], [(8, 8), (3, 3), (1, 2)]],
    ]
    for index in np.ndindex(2, 2, 3):
        score = scores[index[0]][index[1]][index[2]]
        if score is not None:
            row = rounds[index]
            row["score"] = score
            row["expeditions"] = (3, 2)
            row["negative"] = (1, 0)
            row["bonuses"] = (0, 1)
            row["wagers"] = (2, 4)
            row["turns"] = (25, 24)
            row["pile_draws"] = (5, 6)
            row["starter"] = index[1]
            row["piles_closed"] = index == (0, 0, 0)
    played = np.array([[2, 2], [2, 3]], dtype=np.int8)
    winners = np.array([[0, 0], [1, 1]], dtype=np.int8)
    return PlayedPairs(rounds, played, winners)


@pytest.fixture(scope="module")
def by_hand() -> Evaluation:
    return summarise(two_pairs(), ("left", "right"), Match(STANDARD, 2, "extra_round"), 5)


def test_margin_and_outcomes_by_hand(by_hand: Evaluation) -> None:
    # Margins: 20 + 0, -10 + 20 in the first pair; 0 - 10, 0 + 0 - 1 in the second; nine rounds.
    assert by_hand.margin.value == pytest.approx((30 - 11) / 9)
    assert (by_hand.rounds.wins, by_hand.rounds.draws, by_hand.rounds.losses) == (2, 4, 3)
    assert by_hand.rounds.win_rate.value == pytest.approx((2 + 4 / 2) / 9)
    assert (by_hand.matches.wins, by_hand.matches.draws, by_hand.matches.losses) == (2, 0, 2)
    assert by_hand.matches.win_rate.value == 0.5


def test_figures_by_hand(by_hand: Evaluation) -> None:
    left, right = by_hand.figures
    assert left.score.value == pytest.approx((30 + 0 + 5 + 20 + 10 - 5 + 8 + 3 + 1) / 9)
    assert right.score.value == pytest.approx((10 + 0 + 15 + 0 + 10 + 5 + 8 + 3 + 2) / 9)
    assert (left.expeditions.value, right.expeditions.value) == (3.0, 2.0)
    assert left.points_per_expedition.value == pytest.approx(72 / 27)
    assert (left.negative_expeditions.value, right.negative_expeditions.value) == (1.0, 0.0)
    assert (left.bonuses.value, right.bonuses.value) == (0.0, 1.0)
    assert (left.wagers.value, right.wagers.value) == (2.0, 4.0)
    assert (left.pile_draw_share.value, right.pile_draw_share.value) == pytest.approx((5 / 25, 6 / 24))


def test_numbers_of_the_round_by_hand(by_hand: Evaluation) -> None:
    assert by_hand.turns_per_round.value == 49.0
    assert by_hand.piles_closed_share.value == pytest.approx(1 / 9)
    # First rounds: A starts and wins 30:10, B starts and wins 15:5, and two ties.
    assert by_hand.first_player_win_rate.value == pytest.approx((1 + 1 + 0.5 + 0.5) / 4)


def test_the_margin_is_the_difference_of_the_scores(by_hand: Evaluation) -> None:
    left, right = (figures.score.value for figures in by_hand.figures)
    assert left is not None
    assert right is not None
    assert by_hand.margin.value == pytest.approx(left - right)


def test_swapping_the_contestants_mirrors_the_evaluation(by_hand: Evaluation) -> None:
    played = two_pairs()
    for name in ROUND.names or ():
        if ROUND[name].shape == (2,):
            played.rounds[name] = played.rounds[name][..., ::-1].copy()
    played.rounds["starter"] = 1 - played.rounds["starter"]
    mirror = summarise(
        PlayedPairs(played.rounds, played.played, 1 - played.winners), ("right", "left"), by_hand.match, 5
    )
    assert mirror.figures == by_hand.figures[::-1]
    assert by_hand.margin == Estimate(*(-x for x in mirrored_numbers(mirror.margin)))
    for outcomes, other in ((mirror.rounds, by_hand.rounds), (mirror.matches, by_hand.matches)):
        assert (outcomes.wins, outcomes.draws, outcomes.losses) == (other.losses, other.draws, other.wins)
        expected = [1 - x for x in mirrored_numbers(other.win_rate)]
        assert list(numbers(outcomes.win_rate)) == pytest.approx(expected)
    assert mirror.first_player_win_rate == by_hand.first_player_win_rate


def numbers(estimate: Estimate) -> tuple[float, float, float]:
    assert estimate.value is not None
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.value, estimate.low, estimate.high


def mirrored_numbers(estimate: Estimate) -> tuple[float, float, float]:
    value, low, high = numbers(estimate)
    return value, high, low


@pytest.mark.parametrize("rounds", [1, 3])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_can_be_evaluated(variant: str, rounds: int) -> None:
    result = evaluate("random", "random", variant=variant, rounds=rounds, pairs=4, seed=1)
    assert result.match == Match(VARIANTS[variant], rounds)
    assert result.rounds.wins + result.rounds.draws + result.rounds.losses == 4 * 2 * rounds
    assert result.matches.wins + result.matches.draws + result.matches.losses == 4 * 2


def test_agents_may_be_objects() -> None:
    by_name = evaluate("random", "random", pairs=3, seed=2)
    by_object = evaluate(make("random"), "random", pairs=3, seed=2)
    assert by_object.agents == ("RandomAgent", "random")
    assert by_object.margin == by_name.margin


def test_random_against_itself_is_level() -> None:
    low, high = numbers(evaluate("random", "random", pairs=400, seed=3).margin)[1:]
    assert low < 0 < high
    assert high - low < 6


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(InvalidVariantError, match="no variant 'nothing'"):
        evaluate("random", "random", variant="nothing")


def test_the_json_has_the_documented_shape() -> None:
    data = evaluate("random", "random", variant="mini1", pairs=1).to_dict()
    assert data["schema"] == "lostcities.evaluation/3"
    assert list(data) == [
        "schema",
        "versions",
        "agents",
        "match",
        "pairs",
        "seed",
        "confidence",
        "margin",
        "rounds",
        "matches",
        "figures",
        "turns_per_round",
        "piles_closed_share",
        "first_player_win_rate",
        "games_without_margin",
        "forfeits",
    ]
    assert list(data["versions"]) == ["lostcities-env", "numpy", "numba", "python"]
    assert list(data["rounds"]) == list(data["matches"]) == ["wins", "draws", "losses", "win_rate"]
    assert list(data["margin"]) == ["value", "low", "high"]
    assert data["margin"]["low"] is None
    assert len(data["figures"]) == 2
    assert Match.from_dict(data["match"]) == Match(VARIANTS["mini1"])
    json.dumps(data, allow_nan=False)


def test_the_documentation_names_every_key() -> None:
    page = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")
    data = evaluate("random", "random", variant="mini1", pairs=1).to_dict()
    keys = {*data, *data["versions"], *data["match"], *data["rounds"], *data["figures"][0]}
    assert sorted(key for key in keys if f"`{key}`" not in page) == []


def test_the_same_seed_gives_the_same_bytes_in_another_process() -> None:
    code = (
        "import json; from lostcities_env.evaluation import evaluate\n"
        "print(json.dumps(evaluate('random', 'random', pairs=20, seed=7, rounds=2).to_dict()))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    here = evaluate("random", "random", pairs=20, seed=7, rounds=2)
    assert run.stdout.rstrip("\n") == json.dumps(here.to_dict())
