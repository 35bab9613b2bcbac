"""The table as JSON types: all that may be drawn for one viewer, and nothing else.

`web/table.js` draws it. What a viewer may not see, the other hand's unknown cards and the order of the deck,
is not in it, so it can be sent to the viewer's own browser.
"""

from collections import Counter
from typing import Any

import numpy as np

from lostcities_env.render.moments import is_round_over, round_on_table
from lostcities_env.rules.actions import DECK, DISCARD, format_action, to_action
from lostcities_env.rules.cards import WAGER, format_card, format_rank
from lostcities_env.rules.game import Game
from lostcities_env.rules.variant import COLOUR_NAMES, Variant


def table_view(game: Game, viewer: int | None) -> dict[str, Any]:
    """What `viewer` may see of a game.

    Args:
        game: what to draw; as a turn leaves it, or as `moments.table_after` does.
        viewer: 0 or 1 to see only that player's hand, and of the other one the cards that are known;
            None to see both.

    Returns:
        a dict of JSON types, cards in notation:

        - ``variant``: its ``name``, its ``colours`` (``letter`` and ``name`` of each), ``ranks`` (in
            notation, from the wager on) and ``cards_per_colour``.
        - ``viewer``: as given.
        - ``turn``: turns taken in the round; ``mover``: who is to move, None after the end of a round.
        - ``deck_count``: cards in the deck.
        - ``piles``: by colour letter, the cards of the discard pile, its top last.
        - ``players``: for each seat its ``score`` in this round, its ``hand``, a list of ``card`` (None if
            the viewer may not see it) and ``known`` (whether the opponent knows it), and its
            ``expeditions``: by colour letter, the ``cards`` and the fields of `ColourScore`, of which the
            number of cards is called ``length``.
        - ``legal``: the turns that the mover may take, each as `action_view` gives it; empty when it is
            not the viewer's turn.
        - ``round`` (from 0) of ``rounds``, ``round_scores`` of the finished ones, ``match_scores``: their
            sums, ``round_over``, ``over`` and ``winner`` (None for nobody).

    Raises:
        ValueError: if `viewer` is something else.
    """
    if viewer not in (None, 0, 1):
        raise ValueError(f"viewer={viewer!r} is neither None, 0 nor 1")
    variant = game.variant
    round_over = is_round_over(game)
    return {
        "variant": _variant(variant),
        "viewer": viewer,
        "turn": game.turn,
        "mover": None if round_over else game.mover,
        "deck_count": game.deck_count,
        "piles": {letter: game.pile(colour) for colour, letter in enumerate(variant.colours)},
        "players": [_player(game, player, viewer in (None, player)) for player in range(2)],
        "legal": [] if round_over or viewer not in (None, game.mover) else _legal(game),
        "round": round_on_table(game),
        "rounds": game.match.rounds,
        "round_scores": [list(scores) for scores in game.round_scores],
        "match_scores": list(game.match_scores),
        "round_over": round_over,
        "over": game.over,
        "winner": game.winner,
    }


def action_view(variant: Variant, action: int) -> dict[str, Any]:
    """An action as JSON types.

    ``code``, ``text`` (notation), ``card``, ``way`` ("play" or "discard") and ``source`` ("deck" or the
    letter of a pile).
    """
    card, way, source = to_action(variant, action)
    return {
        "code": int(action),
        "text": format_action(variant, action),
        "card": format_card(variant, card),
        "way": "discard" if way == DISCARD else "play",
        "source": "deck" if source == DECK else variant.colours[source - 1],
    }


def _variant(variant: Variant) -> dict[str, Any]:
    return {
        "name": variant.name,
        "colours": [
            {"letter": letter, "name": name}
            for letter, name in zip(variant.colours, COLOUR_NAMES, strict=False)
        ],
        "ranks": [
            format_rank(variant, rank)
            for rank in range(variant.n_ranks)
            if rank != WAGER or variant.n_wagers > 0
        ],
        "cards_per_colour": variant.cards_per_colour,
    }


def _player(game: Game, player: int, shown: bool) -> dict[str, Any]:
    scores = game.score_breakdown(player)
    expeditions = {}
    for colour, letter in enumerate(game.variant.colours):
        made = scores[COLOUR_NAMES[colour]]._asdict()
        length = made.pop("cards")
        expeditions[letter] = {"cards": game.expedition(player, colour), "length": length, **made}
    return {"score": game.scores[player], "hand": _hand(game, player, shown), "expeditions": expeditions}


def _hand(game: Game, player: int, shown: bool) -> list[dict[str, Any]]:
    known = game.known(player)
    if not shown:
        hidden = len(game.hand(player)) - len(known)
        cards = [{"card": card, "known": True} for card in known]
        return cards + [{"card": None, "known": False} for _ in range(hidden)]
    left = Counter(known)  # of two wagers that look alike, the opponent may know one
    hand = []
    for card in game.hand(player):
        hand.append({"card": card, "known": left[card] > 0})
        left[card] -= 1
    return hand


def _legal(game: Game) -> list[dict[str, Any]]:
    return [action_view(game.variant, int(action)) for action in np.flatnonzero(game.action_mask())]
