"""The viewer in a real browser."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from lostcities_env.records import Record
from lostcities_env.render.viewer import viewer_page
from tests.browser import DESKTOP, PHONE, open_page
from tests.render.games import random_record

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def opening() -> Record:
    """The first turns of a game."""
    return random_record(turns=8)


@pytest.fixture(scope="module")
def judged(opening: Record) -> str:
    """Its page, with a judge."""
    return viewer_page([opening], ["quick"])


@contextmanager
def shown(
    browser: Any,
    folder: Path,
    *records: Record,
    text: str | None = None,
    size: tuple[int, int] = DESKTOP,
    dark: bool = False,
) -> Iterator[Any]:
    """A page, opened: of some games without a judge, or a text. It may neither complain nor load anything."""
    file = folder / "games.html"
    file.write_text(text or viewer_page(records, [None] * len(records)), encoding="utf-8")
    with open_page(browser, size, dark=dark) as watched:
        watched.page.goto(file.as_uri())
        yield watched.page
        assert watched.complaints == []
        assert watched.requests == [file.as_uri()]


def on_the_table(page: Any) -> dict[str, Any]:
    """What can be read on the page, in one call."""
    return page.evaluate(
        """() => ({
            scores: [0, 1].map((seat) => document.querySelector(`[data-total="${seat}"] b`).textContent),
            deck: document.querySelector(".lc-deck .lc-left").textContent,
            hands: [".lc-below", ".lc-above"].map(
                (side) => [...document.querySelectorAll(`${side} .lc-held`)].map((held) => held.dataset.card)
            ),
        })"""
    )


def minus(*scores: int) -> list[str]:
    """Scores as the page writes them."""
    return [str(score).replace("-", "\u2212") for score in scores]


def hand(page: Any, side: str) -> list[str]:
    return page.locator(f"{side} .lc-held").evaluate_all("nodes => nodes.map(node => node.dataset.card)")


@pytest.mark.parametrize(
    ("variant", "size", "dark"),
    [("standard", DESKTOP, False), ("mini3", PHONE, True)],
    ids=["desktop", "phone"],
)
def test_a_whole_game_by_keyboard(
    browser: Any, tmp_path: Path, variant: str, size: tuple[int, int], dark: bool
) -> None:
    record = random_record(variant)
    final = record.final()
    with shown(browser, tmp_path, record, size=size, dark=dark) as page:
        for game, _ in record.positions():
            assert on_the_table(page) == {
                "scores": minus(*game.scores),
                "deck": str(game.deck_count),
                "hands": [game.hand(0), game.hand(1)],
            }
            page.keyboard.press("ArrowRight")
        score = " : ".join(minus(*final.scores))
        assert on_the_table(page)["scores"] == minus(*final.scores)
        assert page.locator("#said-next").inner_text() == f"The round ends {score}."
        assert f"{score}, {record.players[final.winner or 0]} wins" in page.locator("#subtitle").inner_text()
        page.keyboard.press("ArrowRight")
        assert page.locator("#said-next").inner_text() == f"The round ends {score}."  # nothing comes after


def test_the_table_fits_the_window(browser: Any, tmp_path: Path) -> None:
    records = [random_record(variant, turns=30) for variant in ("standard", "six", "mini1")]
    with shown(browser, tmp_path, *records) as page:
        for width, height in (DESKTOP, PHONE):
            page.set_viewport_size({"width": width, "height": height})
            for number in range(len(records)):
                page.select_option("#game", index=number)
                page.locator("#to-end").click()
                table = page.locator(".lc-table").bounding_box()
                controls = page.locator("#controls").bounding_box()
                assert page.evaluate("document.documentElement.scrollWidth") == width
                assert table["x"] >= 0
                assert table["x"] + table["width"] <= width
                assert table["y"] + table["height"] <= controls["y"] + 1
                assert controls["y"] + controls["height"] <= height + 1
                page.locator("#back").click()  # both sentences are there again
                said = page.locator("#said").bounding_box()
                assert said["y"] + said["height"] <= (controls["y"] if width < DESKTOP[0] else height)


def test_home_end_back_and_space(browser: Any, tmp_path: Path) -> None:
    record = random_record("mini3")
    turns = len(record.rounds[0].actions)
    with shown(browser, tmp_path, record) as page:
        where = page.locator("#where")
        page.keyboard.press("End")
        assert where.inner_text() == f"end of {turns}"
        page.keyboard.press("ArrowLeft")
        assert where.inner_text() == f"turn {turns}"
        page.keyboard.press("Home")
        assert where.inner_text() == "turn 1"
        page.select_option("#speed", "150")
        page.locator("#title").click()  # so that the focus is nowhere
        page.keyboard.press("Space")
        expect(where).to_have_text(f"end of {turns}")
        assert page.get_by_role("button", name="Play", exact=True).is_visible()  # it stopped by itself


def test_one_hand_hides_what_its_owner_may_not_know(
    browser: Any, tmp_path: Path, opening: Record, judged: str
) -> None:
    game = opening.final()
    with shown(browser, tmp_path, text=judged) as page:
        page.keyboard.press("End")
        page.keyboard.press("1")
        assert hand(page, ".lc-below") == game.hand(1)
        assert hand(page, ".lc-above") == game.known(0)
        assert page.locator(".lc-above .lc-back").count() == 8 - len(game.known(0))
        assert page.locator("#lines span").all_inner_texts() == ["bob"]
        page.keyboard.press("Home")  # ann is to move
        assert "hidden hand" in page.locator("#judgement-value").inner_text()
        assert page.locator("#bars li").count() == 0
        page.keyboard.press("0")
        assert page.locator("#bars li").count() > 0
        page.keyboard.press("2")
        assert page.locator(".lc-back").count() == 1  # the deck


def test_judgement(browser: Any, tmp_path: Path, opening: Record, judged: str) -> None:
    with shown(browser, tmp_path, text=judged) as page:
        for _ in opening.rounds[0].actions:
            chances = page.locator("#bars li .track").all_inner_texts()
            numbers = [float(text.removesuffix(" %")) for text in chances]
            assert numbers == sorted(numbers, reverse=True)
            assert page.locator("#bars li.taken").count() == 1
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Home")
        page.get_by_role("button", name=re.compile("Show all")).click()
        assert page.locator("#bars li").count() == len(next(opening.positions())[0].legal())


def test_look_here_leads_to_the_turns_that_cost_most(browser: Any, tmp_path: Path, judged: str) -> None:
    with shown(browser, tmp_path, text=judged) as page:
        texts = page.locator("#mistakes-list b").all_inner_texts()
        costs = [float(text.replace("\u2212", "-")) for text in texts]
        assert costs == sorted(costs)
        assert costs[-1] <= -1
        first = page.locator("#mistakes-list button").first
        turn = re.findall(r"Turn (\d+), (\w+)", first.inner_text())[0]
        first.click()
        assert page.locator("#where").inner_text() == f"turn {turn[0]}"
        assert f"costs {-costs[0]:.1f} points" in page.locator("#judgement-value").inner_text()


def test_a_press_on_the_curve_or_on_a_turn_leads_there(browser: Any, tmp_path: Path, judged: str) -> None:
    with shown(browser, tmp_path, text=judged) as page:
        curve = page.locator("#curve svg")
        width = curve.bounding_box()["width"]
        curve.click(position={"x": width - 12, "y": 60})
        assert page.locator("#where").inner_text() == "turn 9"
        page.locator("#turns button").nth(4).click()
        assert page.locator("#where").inner_text() == "turn 5"


def test_without_a_judge_nothing_is_judged(browser: Any, tmp_path: Path) -> None:
    with shown(browser, tmp_path, random_record("mini1")) as page:
        for panel in ("#judgement", "#course", "#mistakes"):
            assert page.locator(panel).is_hidden()


def test_rounds_and_games_to_choose_from(browser: Any, tmp_path: Path) -> None:
    match, other = random_record("mini3", rounds=3), random_record("mini2", players=("cleo", "dan"))
    with shown(browser, tmp_path, match, other) as page:
        for number, score in enumerate(match.final().round_scores):
            button = page.get_by_role("button", name=re.compile(f"^Round {number + 1}"))
            assert button.locator("b").inner_text() == " : ".join(minus(*score))
            button.click()
            assert page.locator("#where").inner_text() == "turn 1"
            assert "current" in button.get_attribute("class")
        page.select_option("#game", index=1)
        assert page.locator("#title").inner_text() == "cleo against dan"
        assert page.locator("#rounds").is_hidden()


def test_hostile_names_are_shown_as_they_are(browser: Any, tmp_path: Path) -> None:
    names = ("</script><img src=x onerror=alert(1)>", "\"'&amp;{{styles}}")
    with shown(browser, tmp_path, random_record("mini1", players=names)) as page:
        assert page.locator("#title").inner_text() == " against ".join(names)
        assert page.title().startswith(" against ".join(names))
        assert page.locator("img").count() == 0
