"""Action codes and their notation.

A turn is one decision: a card, where it goes (played on the own expedition or discarded), and where
the new card comes from (the deck or a discard pile):
``action = (card * 2 + way) * (n_colours + 1) + source``. In notation ``R7 deck`` plays the red 7 and
draws from the deck, ``R7 G`` plays it and draws the top of the green pile, and ``-R7 deck`` discards it.
"""

from typing import NamedTuple

from lostcities_env.rules.cards import NotationError, format_card, parse_card
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.variant import Variant

PLAY = 0
DISCARD = 1
DECK = 0
"""Source 0 is the deck; source ``1 + k`` is the pile of colour k."""


class Action(NamedTuple):
    """What an action code means: card code, way (`PLAY`, `DISCARD`), source (`DECK`, 1 + colour)."""

    card: int
    way: int
    source: int


@kernel
def encode_action(card: int, way: int, source: int, n_colours: int) -> int:
    """The code of an action; `decode_action` is the way back."""
    return (card * 2 + way) * (n_colours + 1) + source


@kernel
def decode_action(action: int, n_colours: int) -> tuple[int, int, int]:
    """(card, way, source) of an action code."""
    n_sources = n_colours + 1
    placement = action // n_sources
    return placement >> 1, placement & 1, action - placement * n_sources


def to_action(variant: Variant, action: int) -> Action:
    """What an action code means.

    Raises:
        ValueError: if the code is outside the variant's action space.
    """
    if not 0 <= action < variant.n_actions:
        raise ValueError(f"action {action} is outside 0..{variant.n_actions - 1} of variant {variant.name!r}")
    return Action(*decode_action(int(action), variant.n_colours))


def format_action(variant: Variant, action: int) -> str:
    """The notation of an action code.

    >>> from lostcities_env.rules.variant import STANDARD
    >>> format_action(STANDARD, 0), format_action(STANDARD, 117)
    ('Rx deck', '-R10 G')
    """
    card, way, source = to_action(variant, action)
    sign = "-" if way == DISCARD else ""
    where = "deck" if source == DECK else variant.colours[source - 1]
    return f"{sign}{format_card(variant, card)} {where}"


def parse_action(variant: Variant, text: str) -> int:
    """The action code of a turn in notation.

    Raises:
        NotationError: if `text` is not a turn of the variant.

    >>> from lostcities_env.rules.variant import STANDARD
    >>> parse_action(STANDARD, "-R10 G")
    117
    """
    words = text.split() if isinstance(text, str) else []
    if len(words) != 2:
        raise NotationError(
            f"turn {text!r} is not a card and a source such as 'R7 deck', 'R7 G' or '-R7 deck'"
        )
    card_text, where = words
    way = DISCARD if card_text.startswith("-") else PLAY
    card = parse_card(variant, card_text.removeprefix("-"))
    if where == "deck":
        source = DECK
    elif len(where) == 1 and where in variant.colours:
        source = 1 + variant.colours.index(where)
    else:
        raise NotationError(
            f"turn {text!r} draws from {where!r}; a source is 'deck' or one of {' '.join(variant.colours)}"
        )
    return encode_action(card, way, source, variant.n_colours)
