import pytest

from lostcities_env.rules.actions import (
    DECK,
    DISCARD,
    PLAY,
    decode_action,
    encode_action,
    format_action,
    parse_action,
    to_action,
)
from lostcities_env.rules.cards import NotationError, parse_card
from lostcities_env.rules.variant import STANDARD, VARIANTS, Variant

every_variant = pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.name)


@every_variant
def test_codes_and_their_parts_are_a_bijection(variant: Variant) -> None:
    parts = [
        (card, way, source)
        for card in range(variant.n_card_types)
        for way in (PLAY, DISCARD)
        for source in range(variant.n_colours + 1)
    ]
    assert [encode_action(*part, variant.n_colours) for part in parts] == list(range(variant.n_actions))
    assert [decode_action(action, variant.n_colours) for action in range(variant.n_actions)] == parts


@every_variant
def test_codes_and_notation_are_a_bijection(variant: Variant) -> None:
    actions = [
        action
        for action in range(variant.n_actions)
        if variant.n_wagers or to_action(variant, action).card % variant.n_ranks
    ]
    texts = [format_action(variant, action) for action in actions]
    assert len(set(texts)) == len(texts)
    assert [parse_action(variant, text) for text in texts] == actions


def test_the_notation() -> None:
    red_7 = parse_card(STANDARD, "R7")
    assert format_action(STANDARD, encode_action(red_7, PLAY, DECK, 5)) == "R7 deck"
    assert format_action(STANDARD, encode_action(red_7, PLAY, 1 + 2, 5)) == "R7 G"
    assert format_action(STANDARD, encode_action(red_7, DISCARD, DECK, 5)) == "-R7 deck"


@pytest.mark.parametrize("action", [-1, 600])
def test_a_code_out_of_range(action: int) -> None:
    with pytest.raises(ValueError, match=rf"action {action} is outside 0\.\.599 of variant 'standard'"):
        to_action(STANDARD, action)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("R7", "is not a card and a source such as 'R7 deck'"),
        ("R7 deck G", "is not a card and a source"),
        (None, "is not a card and a source"),
        ("R7 P", "draws from 'P'; a source is 'deck' or one of R B G Y W"),
        ("R7 RB", "draws from 'RB'"),
        ("R7 Deck", "draws from 'Deck'"),
        ("--R7 deck", "does not begin with a colour"),
        ("R11 deck", "has no rank"),
    ],
)
def test_what_is_no_turn(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        parse_action(STANDARD, text)
