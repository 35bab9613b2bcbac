"""The page: well-formed, needs nothing from outside, and no name can get out of its place."""

import re
from html.parser import HTMLParser

import pytest

from lostcities_env.evaluation.html_report import html_report
from lostcities_env.evaluation.standings import Standings

from .made_up import rock_paper_scissors, standings_of, with_a_guest_that_fails

EVIL = '<script>alert("x")</script>&amp;'
VOID = {"meta", "br", "wbr"}


class Page(HTMLParser):
    """Collects elements and text; fails where tags do not nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def tags(self) -> set[str]:
        return {tag for tag, _ in self.elements}

    def all(self, tag: str, of_class: str = "") -> list[dict[str, str | None]]:
        return [
            attributes
            for name, attributes in self.elements
            if name == tag and of_class in (attributes.get("class") or "")
        ]


@pytest.fixture(scope="module")
def cycle() -> Standings:
    return rock_paper_scissors(("rock", "paper", EVIL))


@pytest.fixture(scope="module")
def page(cycle: Standings) -> Page:
    return Page(html_report(cycle))


def test_it_needs_nothing_from_outside(cycle: Standings, page: Page) -> None:
    text = html_report(cycle)
    assert not page.tags() & {"script", "link", "img", "iframe", "object", "embed", "base", "form", "a"}
    assert not any({"src", "href", "srcset", "action"} & attributes.keys() for _, attributes in page.elements)
    assert not re.search(r"url\(|@import|https?:|//[a-z]|javascript:", text)


def test_a_name_stays_text(cycle: Standings, page: Page) -> None:
    assert "script" not in page.tags()
    assert "<script" not in html_report(cycle)
    assert page.text.count(EVIL) == 7  # two plots and five tables
    assert f"{EVIL} against rock" in [cell.get("title") for cell in page.all("td")]


def test_it_can_be_read_on_a_phone_and_in_the_dark(cycle: Standings, page: Page) -> None:
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in page.all("meta")
    assert "prefers-color-scheme: dark" in html_report(cycle)


def test_heat_is_the_share_of_the_largest_margin_and_coloured_by_its_sign() -> None:
    ladder = standings_of(
        ("owl", "wren", "magpie"),
        {(0, 1): [(10, 10), (10, 10)], (0, 2): [(20, 20), (20, 20)], (1, 2): [(5, 5), (5, 5)]},
    )
    cells = [cell for cell in Page(html_report(ladder)).all("td") if "title" in cell]
    margins = cells[:6]
    assert [(cell["class"], cell["style"], cell["title"]) for cell in margins] == [
        ("plus", "--heat:0.375", "owl against wren"),
        ("plus", "--heat:0.750", "owl against magpie"),
        ("minus", "--heat:0.375", "wren against owl"),
        ("plus", "--heat:0.188", "wren against magpie"),
        ("minus", "--heat:0.750", "magpie against owl"),
        ("minus", "--heat:0.188", "magpie against wren"),
    ]


def test_residuals_within_luck_are_not_coloured() -> None:
    noisy = standings_of(
        ("owl", "wren", "magpie"),
        {
            (0, 1): [(30, -28), (-24, 26)],
            (0, 2): [(20, -10), (-25, 20)],
            (1, 2): [(5, -9), (-5, 6)],
        },
    )
    cells = [cell for cell in Page(html_report(noisy)).all("td") if "title" in cell]
    residuals = cells[12:]
    assert [cell["style"] for cell in residuals] == ["--heat:0.000"] * 6


def test_every_section_is_there(page: Page) -> None:
    text = " ".join(page.text)
    for title in ("Ratings", "Margins", "Win rates", "What the ratings do not explain", "Nash", "Style"):
        assert title in text
    assert "100.0 % of the variance" in text
    assert len(page.all("i", "dot")) == 6
    assert len(page.all("i", "interval")) == 6


def test_a_single_pair_has_a_page_without_intervals() -> None:
    page = Page(html_report(standings_of(("owl", "wren"), {(0, 1): [(1, 2)]})))
    assert len(page.all("i", "dot")) == 4
    assert page.all("i", "interval") == []


def test_level_agents_have_a_page() -> None:
    page = Page(html_report(standings_of(("owl", "wren"), {(0, 1): [(0, 0), (0, 0)]})))
    assert "All margins are 0." in page.text


def test_forfeits_have_a_section_only_if_there_are_any(page: Page) -> None:
    assert "Forfeits" not in page.text
    page = Page(html_report(with_a_guest_that_fails()))
    text = " ".join(page.text)
    assert "Forfeits" in page.text
    assert "of 80. Win rates and Elo count a forfeited game as lost." in text
    assert "owl 20" in page.text
    assert "wren 40" in page.text
    for reason, opponent in (("crash", "owl"), ("illegal", "wren"), ("time", "wren")):
        assert f"bot against {opponent}: {reason}" in page.text
    assert page.text.count("pair0.json") == 3
    assert len(page.all("i", "dot")) == 5, "no rating in points for want of margins"


def test_a_tournament_without_margins_has_a_page() -> None:
    page = Page(html_report(standings_of(("owl", "bot"), {(0, 1): [("crash", "crash")] * 5})))
    assert "No two agents have a margin: all of their games were forfeited." in page.text


def test_the_same_standings_give_the_same_page(cycle: Standings) -> None:
    assert html_report(cycle) == html_report(rock_paper_scissors(("rock", "paper", EVIL)))
