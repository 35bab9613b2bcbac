"""The page in Chromium: a person plays it by keyboard and by mouse."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lostcities_env.records import read_records
from tests.browser import DESKTOP, PHONE, Watched, open_page
from tests.play.page_server import Client, serving

pytestmark = pytest.mark.browser

READY = "body:not(.busy) #choices button, #game.finished"
"""It is the person's turn, or the round is over."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with serving(tmp_path_factory.mktemp("games"), undo=True) as one:
        yield one


def begin(watched: Watched, client: Client, **choices: str) -> Any:
    """The page of a new game; `choices` are set in the form."""
    page = watched.page
    page.emulate_media(reduced_motion="reduce")  # the agent answers at once
    page.goto(client.address)
    page.wait_for_selector("#start:not([hidden])")
    for name, value in choices.items():
        page.select_option(f"#{name}", value)
    page.click("text=Deal the cards")
    page.wait_for_selector(READY)
    return page


def position_of(page: Any, client: Client) -> dict[str, Any]:
    """What the server says of the game of a page."""
    return client.get(f"/api/games/{page.url.partition('#')[2]}").json


def keys_of(position: dict[str, Any], turn: dict[str, Any]) -> list[str]:
    """The keys that take a turn."""
    hand = [held["card"] for held in position["table"]["players"][position["seat"]]["hand"]]
    source = "d" if turn["source"] == "deck" else turn["source"].lower()
    return [str(hand.index(turn["card"]) + 1), turn["way"][0], source]


def assert_quiet(watched: Watched, client: Client) -> None:
    assert watched.complaints == []
    assert all(request.startswith(client.address) for request in watched.requests)


def test_a_round_by_keyboard_alone(browser: Any, client: Client) -> None:
    with open_page(browser) as watched:
        page = begin(watched, client)
        while (position := position_of(page, client))["phase"] == "person":
            legal = position["table"]["legal"]
            piles = [turn for turn in legal if turn["source"] != "deck"]
            for key in keys_of(position, piles[0] if piles and len(position["moves"]) % 6 == 0 else legal[0]):
                page.keyboard.press(key)
            page.wait_for_selector(READY)
        assert position["phase"] == "over"
        mine, theirs = position["table"]["match_scores"]
        outcome = page.inner_text("#result h2").replace("\u2212", "-")
        assert outcome in (
            f"You win, {mine} to {theirs}",
            f"greedy wins, {theirs} to {mine}",
            f"A draw, {mine} to {theirs}",
        )
        [record] = read_records(position["saved"].removeprefix("Saved to "))
        assert list(record.final().match_scores) == [mine, theirs]
        with page.expect_download() as download:
            page.click("text=Save the record")
        assert read_records(download.value.path()) == [record]
        page.wait_for_selector(".mistakes li")
        assert "quick would have played otherwise" in page.inner_text("#review")
        assert_quiet(watched, client)


def test_turns_by_mouse(browser: Any, client: Client) -> None:
    with open_page(browser, PHONE) as watched:
        page = begin(watched, client)
        page.click("#table [data-place='0']")
        page.click("#table .lc-can.lc-pile")  # its own: discards
        page.click("#table .lc-deck")
        page.wait_for_selector(READY)
        assert len(position_of(page, client)["moves"]) == 2
        assert page.inner_text("#last").startswith("greedy played")
        page.click("#choices >> text=Hint")
        page.wait_for_selector("#hints li")
        assert "100 %" in page.inner_text("#hints")
        page.click("#choices >> text=Undo")
        page.wait_for_selector("#moves:empty", state="attached")
        assert position_of(page, client)["moves"] == []
        page.click("#table [data-place='1']")
        page.click("text=Play it")
        page.click("#choices >> text=Back")
        page.click("text=Discard it")
        page.click("#choices >> text=Deck")
        page.wait_for_selector("#moves li >> nth=1")
        assert page.viewport_size["width"] == page.locator("body").bounding_box()["width"]
        assert_quiet(watched, client)


def test_a_match_of_a_miniature(browser: Any, client: Client) -> None:
    with open_page(browser) as watched:
        page = begin(watched, client, variant="mini3", rounds="2")
        rounds = 0
        while (position := position_of(page, client))["phase"] != "over":
            if position["phase"] == "round_over":
                rounds += 1
                assert page.inner_text("#result h2").startswith("Round 1 is over")
                page.keyboard.press("n")
                page.wait_for_selector("#game:not(.finished)")
            else:
                for key in keys_of(position, position["table"]["legal"][0]):
                    page.keyboard.press(key)
            page.wait_for_selector(READY)
        assert rounds == 1
        assert page.locator(".scores").count() == 2
        page.wait_for_selector("text=No agent here can judge")
        page.keyboard.press("n")
        page.wait_for_selector("#game:not(.finished)")
        page.wait_for_selector(READY)
        assert position_of(page, client)["moves"] == []
        assert_quiet(watched, client)


def test_a_reload_and_other_tabs(browser: Any, client: Client) -> None:
    with open_page(browser) as watched:
        page = begin(watched, client)
        other = page.context.new_page()
        other.goto(page.url)
        other.wait_for_selector(READY)
        for key in keys_of(position_of(page, client), position_of(page, client)["table"]["legal"][0]):
            page.keyboard.press(key)
        page.wait_for_selector("#moves li >> nth=1")
        other.keyboard.press("1")
        other.click("#choices button >> nth=0")
        other.click("#choices >> text=Deck")
        other.wait_for_selector("text=the game has changed since")
        other.wait_for_selector("#moves li >> nth=1")
        moves = page.inner_text("#moves")
        page.reload()
        page.wait_for_selector(READY)
        assert page.inner_text("#moves") == moves


def test_going_back_leads_to_the_game_before(browser: Any, client: Client) -> None:
    with open_page(browser) as watched:
        page = begin(watched, client)
        game = page.url
        page.click("text=New game")
        page.wait_for_selector("#start:not([hidden])")
        page.go_back()
        page.wait_for_selector(READY)
        assert page.url == game
        assert page.is_hidden("#start")
        assert_quiet(watched, client)


def test_a_game_that_is_gone(browser: Any, client: Client) -> None:
    with open_page(browser) as watched:
        watched.page.goto(f"{client.address}#gone")
        watched.page.wait_for_selector("text=no game 'gone' here")
        assert watched.page.is_visible("#start")


def test_the_keys_are_explained(browser: Any, client: Client) -> None:
    with open_page(browser) as watched:
        page = begin(watched, client)
        page.keyboard.press("?")
        assert page.is_visible("#keys")
        page.keyboard.press("Escape")
        assert not page.is_visible("#keys")
        assert_quiet(watched, client)


@pytest.mark.parametrize(("size", "dark"), [(DESKTOP, False), (PHONE, True)], ids=["desktop", "phone"])
def test_everything_is_on_the_screen(
    browser: Any, client: Client, tmp_path: Path, size: tuple[int, int], dark: bool
) -> None:
    with open_page(browser, size, dark=dark) as watched:
        page = begin(watched, client)
        for selector in ("#table .lc-below .lc-hand", "#table .lc-above .lc-hand", "#prompt", "#choices"):
            box = page.locator(selector).bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= size[0]
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= size[1]
        assert len(page.screenshot(path=tmp_path / "page.png")) > 10_000
        assert_quiet(watched, client)
