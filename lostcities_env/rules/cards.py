"""Card codes and their notation.

``card = colour * n_ranks + rank``. Rank 0 is the wager (the wagers of a colour are one card type,
because choosing among them is no choice); rank 1 is the lowest number. In notation a card is its
colour's letter and its rank: ``R7``, ``W10``, and ``Bx`` for a wager.
"""

from collections.abc import Sequence

import numpy as np

from lostcities_env.rules.variant import Variant

WAGER = 0
WAGER_LETTER = "x"


class NotationError(ValueError):
    """Text that does not name a card or a turn; the message says what would."""


def format_card(variant: Variant, card: int) -> str:
    """The notation of a card code.

    >>> from lostcities_env.rules.variant import STANDARD
    >>> format_card(STANDARD, 0), format_card(STANDARD, 19)
    ('Rx', 'B10')
    """
    if not 0 <= card < variant.n_card_types:
        raise ValueError(f"card code {card} is outside 0..{variant.n_card_types - 1}")
    colour, rank = divmod(int(card), variant.n_ranks)
    return variant.colours[colour] + format_rank(variant, rank)


def format_rank(variant: Variant, rank: int) -> str:
    """The notation of a rank index: ``x`` for the wager, else the number."""
    return WAGER_LETTER if rank == WAGER else str(variant.lowest + rank - 1)


def parse_card(variant: Variant, text: str) -> int:
    """The card code of a card in notation.

    Raises:
        NotationError: if `text` is not a card of the variant.

    >>> from lostcities_env.rules.variant import STANDARD
    >>> parse_card(STANDARD, "B10")
    19
    """
    if not isinstance(text, str):
        raise NotationError(f"a card is text such as 'R7' or 'Rx', got {text!r}")
    colour = variant.colours.find(text[:1]) if text else -1
    if colour < 0:
        raise NotationError(
            f"card {text!r} does not begin with a colour of variant {variant.name!r}, "
            f"one of {' '.join(variant.colours)}"
        )
    rank_text = text[1:]
    if rank_text == WAGER_LETTER and variant.n_wagers > 0:
        return colour * variant.n_ranks + WAGER
    for rank in range(1, variant.n_ranks):
        if rank_text == format_rank(variant, rank):
            return colour * variant.n_ranks + rank
    wagers = f" or {WAGER_LETTER!r} for a wager" if variant.n_wagers else ""
    raise NotationError(
        f"card {text!r} has no rank of variant {variant.name!r}: after the colour comes "
        f"a number from {variant.lowest} to {variant.highest}{wagers}"
    )


def all_cards(variant: Variant) -> list[int]:
    """Every physical card of the game in order, as card codes (a wager's code repeats)."""
    cards: list[int] = []
    for colour in range(variant.n_colours):
        base = colour * variant.n_ranks
        cards += [base + WAGER] * variant.n_wagers
        cards += range(base + 1, base + variant.n_ranks)
    return cards


def check_deck(variant: Variant, cards: Sequence[int]) -> None:
    """Checks that card codes are exactly the cards of the game, in whatever order.

    Raises:
        ValueError: if there are too many or too few cards, or of the wrong kinds.
    """
    if len(cards) != variant.n_cards:
        raise ValueError(f"a deck of variant {variant.name!r} has {variant.n_cards} cards, got {len(cards)}")
    want = np.bincount(all_cards(variant), minlength=variant.n_card_types)
    have = np.bincount(np.asarray(cards, dtype=np.int64), minlength=variant.n_card_types)
    wrong = [
        f"{format_card(variant, int(card))} {have[card]} time(s) instead of {want[card]}"
        for card in np.flatnonzero(want != have)
    ]
    if wrong:
        shown = ", ".join(wrong[:6]) + (", ..." if len(wrong) > 6 else "")
        raise ValueError(f"wrong cards in the deck of variant {variant.name!r}: {shown}")


def parse_deck(variant: Variant, deck: Sequence[str]) -> list[int]:
    """The card codes of a deck in notation, first dealt card first.

    Raises:
        NotationError: if something is not a card.
        ValueError: if the cards are not exactly those of the game.
    """
    if isinstance(deck, str) or not isinstance(deck, (Sequence, np.ndarray)):
        raise NotationError(f"a deck is a list of cards such as ['R7', 'Bx', ...], got {deck!r}")
    cards = [parse_card(variant, text) for text in deck]
    check_deck(variant, cards)
    return cards
