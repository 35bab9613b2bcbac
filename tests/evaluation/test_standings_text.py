"""Standings as text."""

from textwrap import dedent

from lostcities_env.evaluation.standings_text import command_of, format_elo, standings_report
from lostcities_env.evaluation.statistics import Estimate
from lostcities_env.evaluation.terms import Terms
from lostcities_env.evaluation.tournament import Protocol
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import VARIANTS

from .made_up import standings_of, with_a_guest_that_fails


def test_tables_and_ratings_best_first() -> None:
    luck = [(k % 5 - 2, 2 * (k // 5) - 3) for k in range(20)]
    standings = standings_of(
        ("magpie", "owl", "wren"),
        {
            (0, 1): [(a - 30, b - 30) for a, b in luck],
            (0, 2): [(a - 3, b - 3) for a, b in luck],
            (1, 2): [(a + 10, b + 10) for a, b in luck],
        },
    )
    assert standings_report(standings) == dedent("""\
        3 agents against each other
        mini3, 1 round a game, 20 pairs of games, seed 5, 95% intervals

        Margin per round of the row against the column:
                          owl          wren        magpie
        owl                 -  10.00 ± 0.64  30.00 ± 0.64
        wren    -10.00 ± 0.64             -   3.00 ± 0.64
        magpie  -30.00 ± 0.64  -3.00 ± 0.64             -

        Win rate of the row against the column, %:
                      owl         wren       magpie
        owl             -  100.0 ± 9.0  100.0 ± 9.0
        wren    0.0 ± 9.0            -   93.8 ± 5.4
        magpie  0.0 ± 9.0    6.2 ± 5.4            -

        Ratings, 0 is the mean of the agents:
                       points per round                Elo
        owl        13.33 [13.33, 13.33]     577 [508, 645]
        wren       -2.33 [-2.76, -1.91]    -80 [-125, -35]
        magpie  -11.00 [-11.42, -10.58]  -497 [-580, -414]

        Nash averaging:
                       mass by margins        points against it       mass by win rates  win rate against it
        owl     100.0 % [100.0, 100.0]        0.00 [0.00, 0.00]  100.0 % [100.0, 100.0]  50.0 % [50.0, 50.0]
        wren          0.0 % [0.0, 0.0]   -10.00 [-10.60, -9.42]        0.0 % [0.0, 0.0]     0.0 % [0.0, 0.0]
        magpie        0.0 % [0.0, 0.0]  -30.00 [-30.58, -29.40]        0.0 % [0.0, 0.0]     0.0 % [0.0, 0.0]

        Ratings in points leave 9.5 % of the variance of the margins unexplained (0.0 % would be luck alone);
        most for owl against wren: -5.67 [-5.88, -5.45] a round.""")


def test_margins_that_are_all_0_are_said_to_be() -> None:
    assert standings_report(standings_of(("owl", "wren"), {(0, 1): [(0, 0)] * 3})).endswith(
        "\n\nAll margins are 0."
    )


def test_forfeits_are_counted_and_the_first_of_each_reason_is_told() -> None:
    text = standings_report(with_a_guest_that_fails())
    assert text[text.index("Forfeits:") :] == dedent("""\
        Forfeits:
             games lost by failing  crash  illegal  answer  time
        bot               60 of 80     20       20       0    20
          bot against owl, pair 0, seat 1, round 1, turn 7: crash: crash in pair 0
            saved as pair0.json
          bot against wren, pair 0, seat 0, round 1, turn 7: illegal: illegal in pair 0
            saved as pair0.json
          bot against wren, pair 0, seat 1, round 1, turn 7: time: time in pair 0
            saved as pair0.json
        Win rates and Elo count a forfeited game as lost. It has no margin: margins, ratings in points, Nash
        averaging over margins and style leave it out, which favours an agent that fails when it is losing;
        so agents stand in the order of their Elo. Not rated by margins, for want of them: bot.""")


def test_a_tournament_without_margins_says_so() -> None:
    text = standings_report(standings_of(("owl", "bot"), {(0, 1): [("crash", "crash")] * 5}))
    assert "No two agents have a margin: all of their games were forfeited." in text


def test_the_command_repeats_the_protocol() -> None:
    agents = ("random", "my policies/best.safetensors")
    assert command_of(Protocol(agents, Match(), 500, 3)) == (
        "lostcities tournament random 'my policies/best.safetensors' --pairs 500 --seed 3"
    )
    assert command_of(Protocol(("random", "greedy"), Match(VARIANTS["mini3"], 3, "extra_round"), 500)) == (
        "lostcities tournament random greedy --pairs 500 --seed 0 "
        "--variant mini3 --rounds 3 --tie extra_round"
    )
    terms = Terms(trust=True, move_seconds=2.5, strict=False)
    assert command_of(Protocol(("model.zip", "greedy"), Match(), 500, terms=terms)) == (
        "lostcities tournament model.zip greedy --pairs 500 --seed 0 --move-seconds 2.5 --no-strict --trust"
    )


def test_elo_is_in_whole_points() -> None:
    assert format_elo(Estimate(12.4, -3.6, 28.4)) == "12 [-4, 28]"
    assert format_elo(Estimate(-0.2, None, None)) == "0"
    assert format_elo(Estimate(None, None, None)) == "-"
