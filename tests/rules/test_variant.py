from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given

from lostcities_env.rules.variant import (
    MINIATURES,
    SIX_COLOURS,
    STANDARD,
    VARIANTS,
    InvalidVariantError,
    Variant,
    get_variant,
)
from tests.reference import ReferenceVariant, expedition_score
from tests.strategies import custom_variants


def test_the_standard_game() -> None:
    assert STANDARD.n_cards == 60
    assert STANDARD.deck_size == 44
    assert STANDARD.n_card_types == 50
    assert STANDARD.n_actions == 600
    assert STANDARD.colours == "RBGYW"
    assert STANDARD.piles_close_at == 200


def test_six_colours() -> None:
    assert SIX_COLOURS.n_cards == 72
    assert SIX_COLOURS.deck_size == 56
    assert SIX_COLOURS.n_actions == 840
    assert SIX_COLOURS.colours == "RBGYWP"


def test_scores_of_an_expedition_range_from_three_wagers_to_the_full_colour() -> None:
    assert STANDARD.expedition_score_range == (-80, 156)


@given(custom_variants())
def test_expedition_score_range_bounds_every_run_of_numbers(variant: Variant) -> None:
    data = variant.to_dict()
    del data["name"]
    reference = ReferenceVariant(**data)
    low, high = variant.expedition_score_range
    colour = [card for card in reference.all_cards() if card.colour == 0]
    scores = [
        expedition_score(reference, colour[start:stop])
        for start in range(len(colour))
        for stop in range(start + 1, len(colour) + 1)
    ]
    assert low <= min(*scores, 0)
    assert max(*scores, 0) == high


def test_names_are_the_keys() -> None:
    assert all(name == variant.name for name, variant in VARIANTS.items())
    assert [variant.name for variant in MINIATURES] == ["mini1", "mini2", "mini3"]


def test_get_variant_takes_a_name_or_a_variant() -> None:
    assert get_variant("six") is SIX_COLOURS
    assert get_variant(SIX_COLOURS) is SIX_COLOURS


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InvalidVariantError, match="no variant 'sevn'; there are standard, six, mini1"):
        get_variant("sevn")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("n_colours", 0, r"n_colours=0 is outside 1\.\.6"),
        ("n_colours", 7, r"n_colours=7 is outside 1\.\.6"),
        ("n_colours", 2.0, r"n_colours=2\.0 is not an integer"),
        ("n_colours", True, "n_colours=True is not an integer"),
        ("lowest", 0, r"lowest=0 is outside 1\.\.99"),
        ("highest", 1, r"highest=1 is outside 2\.\.10"),
        ("highest", 11, r"highest=11 is outside 2\.\.10"),
        ("n_wagers", 4, r"n_wagers=4 is outside 0\.\.3"),
        ("hand_size", 0, r"hand_size=0 is outside 1\.\.29"),
        ("hand_size", 30, r"hand_size=30 is outside 1\.\.29"),
        ("expedition_cost", -1, r"expedition_cost=-1 is outside 0\.\.1000"),
        ("bonus_length", 13, r"bonus_length=13 is outside 0\.\.12"),
        ("bonus", -1, r"bonus=-1 is outside 0\.\.1000"),
        ("piles_close_at", -1, r"piles_close_at=-1 is outside 0\.\.10000"),
        ("name", 5, "the name of a variant is text, got 5"),
    ],
)
def test_a_wrong_field_is_named(field: str, value: object, message: str) -> None:
    with pytest.raises(InvalidVariantError, match=message):
        Variant(**{field: value})  # type: ignore[arg-type]


def test_too_few_cards_for_any_hand() -> None:
    with pytest.raises(InvalidVariantError, match="no value fits, 2 cards are too few"):
        Variant(n_colours=1, lowest=1, highest=2, n_wagers=0)


@given(custom_variants())
def test_to_dict_and_back(variant: Variant) -> None:
    data = variant.to_dict()
    assert list(data) == [field.name for field in fields(Variant)]
    assert Variant.from_dict(data) == variant


def test_an_unknown_field_is_named() -> None:
    with pytest.raises(InvalidVariantError, match=r"unknown variant field\(s\) colours; there are name, "):
        Variant.from_dict({"colours": 5})


def test_the_table_in_the_docs() -> None:
    text = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
    for v in VARIANTS.values():
        bonus = f"{v.bonus} from {v.bonus_length} cards" if v.bonus_length else "none"
        row = (
            f"| `{v.name}` | {v.n_colours} | {v.lowest}-{v.highest} | {v.n_wagers} | {v.hand_size} "
            f"| {v.n_cards} | {v.deck_size} | {v.expedition_cost} | {bonus} | {v.piles_close_at} "
            f"| {v.n_actions} |\n"
        )
        assert row in text
