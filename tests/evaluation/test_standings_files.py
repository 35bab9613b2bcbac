"""Standings as files."""

import csv
import io
import json

import pytest

from lostcities_env.evaluation.standings import Standings
from lostcities_env.evaluation.standings_files import ratings_csv, summary_json, table_csv

from .made_up import rock_paper_scissors, standings_of, with_a_guest_that_fails


@pytest.fixture(scope="module")
def cycle() -> Standings:
    return rock_paper_scissors(('ro"ck, hard', "paper", "scissors"))


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_table_has_a_row_for_every_two_agents(cycle: Standings) -> None:
    rows = rows_of(table_csv(cycle))
    assert [(row["a"], row["b"]) for row in rows] == [
        ('ro"ck, hard', "paper"),
        ('ro"ck, hard', "scissors"),
        ("paper", "scissors"),
    ]
    first = rows[0]
    assert (first["pairs"], first["wins"], first["draws"], first["losses"]) == ("50", "0", "0", "100")
    margin, residual = cycle.evaluations[0].margin, cycle.points.residuals[0, 1]
    assert [float(first[name]) for name in ("margin", "margin_low", "margin_high")] == [
        margin.value,
        margin.low,
        margin.high,
    ]
    assert float(first["residual"]) == residual.value


def test_the_ratings_have_a_row_an_agent_best_first(cycle: Standings) -> None:
    rows = rows_of(ratings_csv(cycle))
    assert [row["agent"] for row in rows] == [cycle.protocol.agents[k] for k in cycle.order]
    by_agent = {row["agent"]: row for row in rows}
    assert float(by_agent["paper"]["elo_low"]) == cycle.elo.ratings[1].low
    assert float(by_agent["paper"]["nash_mass_margin"]) == pytest.approx(1 / 3)
    assert float(by_agent["paper"]["wagers"]) == 2


def test_a_number_that_does_not_exist_is_an_empty_cell() -> None:
    row = rows_of(table_csv(standings_of(("owl", "wren"), {(0, 1): [(1, 2)]})))[0]
    assert (row["margin"], row["margin_low"]) == ("1.5", "")


def test_the_summary_holds_the_protocol_and_every_number(cycle: Standings) -> None:
    summary = json.loads(summary_json(cycle))
    protocol = cycle.protocol.to_dict()
    assert {key: summary[key] for key in protocol} == protocol
    assert summary["evaluations"] == [evaluation.to_dict() for evaluation in cycle.evaluations]
    assert [rating["agent"] for rating in summary["ratings"]] == [
        cycle.protocol.agents[k] for k in cycle.order
    ]
    assert summary["ratings"][0]["points"] == cycle.points.ratings[cycle.order[0]].to_dict()
    assert summary["unexplained"] == {"value": cycle.points.unexplained, "of_luck_alone": cycle.points.noise}
    assert summary["residuals"][0] == {
        "agents": ['ro"ck, hard', "paper"],
        **cycle.points.residuals[0, 1].to_dict(),
    }


def test_forfeits_are_in_every_file() -> None:
    found = with_a_guest_that_fails()
    table = rows_of(table_csv(found))
    assert [(row["forfeits_a"], row["forfeits_b"]) for row in table] == [("0", "0"), ("0", "20"), ("0", "40")]
    assert (table[2]["margin"], table[2]["win_rate"], table[2]["residual"]) == ("", "1.0", "")
    ratings = {row["agent"]: row for row in rows_of(ratings_csv(found))}
    assert (ratings["bot"]["forfeits"], ratings["bot"]["points"]) == ("60", "")
    summary = json.loads(summary_json(found))
    assert [rating["forfeits"] for rating in summary["ratings"]] == [0, 0, 60]
    assert summary["evaluations"][2]["forfeits"][1]["reasons"] == {"illegal": 20, "time": 20}
