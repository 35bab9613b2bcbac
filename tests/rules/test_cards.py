import pytest

from lostcities_env.rules.cards import (
    NotationError,
    all_cards,
    check_deck,
    format_card,
    parse_card,
    parse_deck,
)
from lostcities_env.rules.variant import SIX_COLOURS, STANDARD, VARIANTS, Variant


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.name)
def test_codes_and_notation_are_a_bijection(variant: Variant) -> None:
    cards = sorted(set(all_cards(variant)))
    texts = [format_card(variant, card) for card in cards]
    assert len(set(texts)) == len(texts)
    assert [parse_card(variant, text) for text in texts] == cards


def test_the_notation() -> None:
    texts = [format_card(STANDARD, card) for card in all_cards(STANDARD)]
    assert " ".join(texts[:14]) == "Rx Rx Rx R2 R3 R4 R5 R6 R7 R8 R9 R10 Bx Bx"
    assert format_card(SIX_COLOURS, 59) == "P10"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "does not begin with a colour of variant 'standard', one of R B G Y W"),
        ("P3", "does not begin with a colour"),
        ("r3", "does not begin with a colour"),
        ("R", "has no rank of variant 'standard': after the colour comes a number from 2 to 10 or 'x'"),
        ("R1", "has no rank"),
        ("R02", "has no rank"),
        ("R2 ", "has no rank"),
        (7, "a card is text such as 'R7' or 'Rx', got 7"),
    ],
)
def test_what_is_no_card(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        parse_card(STANDARD, text)


def test_no_wager_where_the_variant_has_none() -> None:
    with pytest.raises(NotationError, match=r"a number from 1 to 3$"):
        parse_card(VARIANTS["mini2"], "Rx")


@pytest.mark.parametrize("card", [-1, 50])
def test_a_code_out_of_range(card: int) -> None:
    with pytest.raises(ValueError, match=rf"card code {card} is outside 0\.\.49"):
        format_card(STANDARD, card)


def test_a_deck_of_the_wrong_size() -> None:
    with pytest.raises(ValueError, match="a deck of variant 'standard' has 60 cards, got 59"):
        check_deck(STANDARD, all_cards(STANDARD)[1:])


def test_a_deck_with_wrong_cards_names_them() -> None:
    texts = [format_card(STANDARD, card) for card in all_cards(STANDARD)]
    texts[texts.index("R2")] = "W10"
    with pytest.raises(ValueError, match=r"R2 0 time\(s\) instead of 1, W10 2 time\(s\) instead of 1$"):
        parse_deck(STANDARD, texts)


@pytest.mark.parametrize("deck", ["R7", 5, {"R7": 1}])
def test_what_is_no_deck(deck: object) -> None:
    with pytest.raises(NotationError, match="a deck is a list of cards"):
        parse_deck(STANDARD, deck)  # type: ignore[arg-type]
