"""Decks that put given cards where a test wants them."""

from lostcities_env.rules.cards import all_cards, format_card
from lostcities_env.rules.game import Game
from lostcities_env.rules.variant import STANDARD, Variant


def stack(hand_0: str = "", hand_1: str = "", draws: str = "", variant: Variant = STANDARD) -> list[str]:
    """A deck that deals these cards (in notation, with spaces) and then gives those to draw.

    Hands are filled up, and the deck goes on, with the other cards from the last to the first.
    """
    wanted = [hand_0.split(), hand_1.split(), draws.split()]
    rest = [format_card(variant, card) for card in all_cards(variant)]
    for card in wanted[0] + wanted[1] + wanted[2]:
        rest.remove(card)
    for hand in wanted[:2]:
        while len(hand) < variant.hand_size:
            hand.append(rest.pop())
    dealt = [card for pair in zip(*wanted[:2], strict=True) for card in pair]
    return dealt + wanted[2] + rest[::-1]


def play_out(game: Game) -> list[str]:
    """Ends the round: everybody discards the first card they may and draws from the deck."""
    turns, this_round = [], game.round
    while not game.over and game.round == this_round:
        turns.append(discard(game))
        game.play(turns[-1])
    return turns


def discard(game: Game) -> str:
    """The first turn that discards and draws from the deck."""
    return next(turn for turn in game.legal() if turn.startswith("-") and turn.endswith("deck"))
