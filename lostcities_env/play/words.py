"""Turns in words."""

from lostcities_env.rules.actions import DECK, DISCARD, to_action
from lostcities_env.rules.cards import WAGER, format_rank, parse_card
from lostcities_env.rules.variant import COLOUR_NAMES, Variant


def card_in_words(variant: Variant, card: int) -> str:
    """A card code in words.

    >>> from lostcities_env.rules.variant import STANDARD
    >>> card_in_words(STANDARD, 6), card_in_words(STANDARD, 10)
    ('red 7', 'blue wager')
    """
    colour, rank = divmod(card, variant.n_ranks)
    return f"{COLOUR_NAMES[colour]} {'wager' if rank == WAGER else format_rank(variant, rank)}"


def turn_in_words(variant: Variant, action: int, drawn: str | None = None) -> str:
    """What a turn does.

    Args:
        variant: the rules.
        action: the code of the turn.
        drawn: the card that it brings, in notation, if the reader may know it.

    >>> from lostcities_env.rules.variant import STANDARD
    >>> turn_in_words(STANDARD, 90), turn_in_words(STANDARD, 90, "Bx")
    ('discards red 8, draws from the deck', 'discards red 8, draws from the deck (blue wager)')
    """
    card, way, source = to_action(variant, action)
    verb = "discards" if way == DISCARD else "plays"
    where = "the deck" if source == DECK else f"the {COLOUR_NAMES[source - 1]} pile"
    brought = f" ({card_in_words(variant, parse_card(variant, drawn))})" if drawn else ""
    return f"{verb} {card_in_words(variant, card)}, draws from {where}{brought}"
