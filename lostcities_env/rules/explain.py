"""Why an action is illegal, in words."""

from typing import TYPE_CHECKING

from lostcities_env.rules import state as kernels
from lostcities_env.rules.actions import DECK, DISCARD, to_action
from lostcities_env.rules.cards import WAGER, format_card
from lostcities_env.rules.variant import COLOUR_NAMES

if TYPE_CHECKING:
    from lostcities_env.rules.game import Game


def explain_illegal(game: "Game", action: int, reason: int) -> str:
    """Names the card, the way, the source and what stands against them.

    Args:
        game: where the action was tried.
        action: a code in range.
        reason: what `legality` said of it; not `LEGAL`.
    """
    variant = game.variant
    card_code, way, source = to_action(variant, action)
    card = format_card(variant, card_code)
    colour, rank = divmod(card_code, variant.n_ranks)
    placing = "discarding" if way == DISCARD else "playing"
    drawing = "the deck" if source == DECK else f"the {COLOUR_NAMES[source - 1]} pile"
    if reason == kernels.MATCH_OVER:
        why = "the game is over; reset it first"
    elif reason == kernels.NOT_IN_HAND:
        why = f"{card} is not in hand ({' '.join(game.hand(game.mover))})"
    elif reason == kernels.TOO_LOW:
        top = game.expedition(game.mover, colour)[-1]
        rule = "a wager goes before any number" if rank == WAGER else "numbers must rise"
        why = (
            f"{card} does not go on the {COLOUR_NAMES[colour]} expedition, whose last card is {top} ({rule})"
        )
    elif reason == kernels.PILES_CLOSED:
        why = (
            f"from turn {variant.piles_close_at} of a round on (this is turn {game.turn}) "
            "only the deck may be drawn"
        )
    elif reason == kernels.OWN_DISCARD:
        why = "a card may not be drawn back in the turn that discards it"
    else:
        why = "that pile is empty"
    return f"{placing} {card} and drawing from {drawing} is illegal for player {game.mover}: {why}"
