"""table.js in a real browser: choosing a turn, as the page to play on does."""

import json
from importlib.resources import files
from typing import Any

import pytest

from lostcities_env.render.view import table_view
from lostcities_env.rules.cards import all_cards, format_card
from lostcities_env.rules.game import Game
from lostcities_env.rules.variant import STANDARD
from tests.browser import open_page

pytestmark = pytest.mark.browser

DECK = [format_card(STANDARD, card) for card in all_cards(STANDARD)]
WEB = files("lostcities_env.render") / "web"
PAGE = """<!doctype html><style>%s</style><div id="table"></div><script>%s
const view = %s;
let chosen = {};
const draw = () => LostCities.drawTable(document.getElementById("table"), view, {
  chosen,
  selectable: LostCities.turnChoices(view.legal, chosen),
  onCard: (card) => { chosen = {card}; draw(); },
  onTarget: (way) => { chosen = {card: chosen.card, way}; draw(); },
  onSource: (source) => {
    document.title = view.legal.find((turn) => LostCities.isTurn(turn, {...chosen, source})).text;
  },
});
draw();
</script>"""


def load(page: Any, view: dict[str, Any]) -> None:
    css, js = ((WEB / name).read_text(encoding="utf-8") for name in ("table.css", "table.js"))
    page.set_content(PAGE % (css, js, json.dumps(view)))


def game_in_play() -> Game:
    game = Game(deck=DECK)
    for turn in ("Rx deck", "-R2 deck", "R5 deck", "-B2 R"):
        game.play(turn)
    return game


def labels(page: Any) -> list[str]:
    return page.locator("button").evaluate_all("nodes => nodes.map(node => node.ariaLabel)")


def test_a_turn_is_chosen_by_keyboard(browser: Any) -> None:
    game = game_in_play()
    with open_page(browser) as watched:
        page = watched.page
        load(page, table_view(game, 0))
        assert page.locator("button[data-card]").evaluate_all("n => n.map(b => b.dataset.card)") == game.hand(
            0
        )
        page.get_by_role("button", name="red 7", exact=True).press("Enter")
        assert page.get_by_role("button", name="red 7", exact=True).get_attribute("aria-pressed") == "true"
        page.get_by_role("button", name="Play red 7 on the red expedition").press("Enter")
        page.get_by_role("button", name="Draw from the blue pile: 1 card, top 2").press("Enter")
        assert page.title() == "R7 B"
        assert watched.complaints == []


def test_only_what_is_legal_can_be_chosen(browser: Any) -> None:
    game = game_in_play()
    with open_page(browser) as watched:
        page = watched.page
        load(page, table_view(game, 0))
        page.get_by_role("button", name="blue 3", exact=True).click()
        targets = [label for label in labels(page) if label.startswith(("Play", "Discard"))]
        assert targets == ["Discard on the blue pile: 1 card, top 2", "Play blue 3 on the blue expedition"]
        page.get_by_role("button", name="Discard on the blue pile").click()
        # The pile that was discarded on is closed for this turn.
        assert [label for label in labels(page) if label.startswith("Draw")] == [
            "Draw from the deck: 41 cards left"
        ]


def test_the_focus_stays_where_it_was(browser: Any) -> None:
    with open_page(browser) as watched:
        page = watched.page
        load(page, table_view(game_in_play(), 0))
        page.locator("button[data-place='3']").press("Enter")
        assert page.evaluate("document.activeElement.dataset.place") == "3"


def test_nothing_can_be_chosen_when_the_opponent_is_to_move(browser: Any) -> None:
    game = game_in_play()
    game.play("-B5 deck")
    with open_page(browser) as watched:
        page = watched.page
        load(page, table_view(game, 0))
        assert page.locator("button").count() == 0
        assert page.locator(".lc-above .lc-back").count() == 8 - len(game.known(1))


def test_the_piles_lie_in_one_line_however_long_an_expedition_is(browser: Any) -> None:
    view = table_view(game_in_play(), 0)
    view["players"][0]["expeditions"]["R"]["cards"] = [card for card in DECK if card.startswith("R")]
    with open_page(browser) as watched:
        load(watched.page, view)
        tops = watched.page.locator(".lc-pile").evaluate_all("n => n.map(p => p.getBoundingClientRect().top)")
        assert len(tops) == 6
        assert len(set(tops)) == 1
