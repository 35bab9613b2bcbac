"""The board as text, to be read at a glance.

One line a colour: player 0's expedition on the left, player 1's on the right, what each is worth beside
it, and between them the colour's discard pile: its top card and how many lie there.
"""

import os
from typing import IO

from lostcities_env.render.moments import is_round_over, round_text
from lostcities_env.rules.cards import format_rank
from lostcities_env.rules.game import Game
from lostcities_env.rules.variant import COLOUR_NAMES, Variant

_ANSI = {"R": 31, "B": 34, "G": 32, "Y": 33, "W": 37, "P": 35}
_LABEL = 8  # width of the colour's name
_POINTS = 6
_PILE = 10


def supports_colour(stream: IO[str]) -> bool:
    """Whether to write ANSI colours to a stream: a terminal, and the user has not set ``NO_COLOR``."""
    return stream.isatty() and not os.environ.get("NO_COLOR")


def render_text(game: Game, *, viewer: int | None = None, colour: bool = False) -> str:
    """Draws a game, about 80 columns wide.

    Args:
        game: what to draw.
        viewer: 0 or 1 to see only that player's hand, and of the other one the cards that are known;
            None to see both.
        colour: whether to use ANSI colours (see `supports_colour`).

    Returns:
        lines without a newline at the end.

    Raises:
        ValueError: if `viewer` is something else.
    """
    if viewer not in (None, 0, 1):
        raise ValueError(f"viewer={viewer!r} is neither None, 0 nor 1")
    lines = [*_heading(game), "", *_table(game, colour), ""]
    lines += [_hand(game, player, viewer, colour) for player in range(2)]
    return "\n".join(line.rstrip() for line in lines)


def _heading(game: Game) -> list[str]:
    rounds = game.match.rounds
    where = f"{round_text(game)}, " if rounds > 1 else ""
    lines = [f"Lost Cities ({game.variant.name}): {where}turn {game.turn}, deck {game.deck_count}"]
    if rounds > 1:
        past = ", ".join(f"{first} : {second}" for first, second in game.round_scores) or "none yet"
        first, second = game.match_scores
        lines.append(f"Match {first} : {second} (finished rounds: {past})")
    if game.over:
        lines.append("Over: a draw" if game.winner is None else f"Over: player {game.winner} wins")
    return lines


def _table(game: Game, colour: bool) -> list[str]:
    variant = game.variant
    width = _expedition_width(variant)

    def row(label: str, left: str, own: str, pile: str, other: str, right: str) -> str:
        middle = f"{own:>{_POINTS}}{pile:^{_PILE}}{other:>{_POINTS}}"
        return f"{label:<{_LABEL}}{left:<{width}}{middle}  {right}"

    lines = [row("", "player 0", "points", "pile", "points", "player 1")]
    for k, letter in enumerate(variant.colours):
        pile = game.pile(k)
        text = row(
            COLOUR_NAMES[k],
            _expedition(game, 0, k),
            _points(game, 0, k),
            f"{pile[-1]} ({len(pile)})" if pile else "-",
            _points(game, 1, k),
            _expedition(game, 1, k),
        )
        lines.append(_paint(text, letter, colour))
    first, second = game.scores
    lines.append(row("total", "", str(first), "", str(second), ""))
    return lines


def _expedition_width(variant: Variant) -> int:
    """Wide enough for all the cards of a colour."""
    ranks = [format_rank(variant, rank) for rank in range(1, variant.n_ranks)]
    return max(len(" ".join(["x"] * variant.n_wagers + ranks)), len("player 0") + 2)


def _expedition(game: Game, player: int, colour: int) -> str:
    cards = game.expedition(player, colour)
    return " ".join(card[1:] for card in cards) or "-"


def _points(game: Game, player: int, colour: int) -> str:
    score = game.score_breakdown(player)[COLOUR_NAMES[colour]]
    return str(score.points) if score.cards else "-"


def _hand(game: Game, player: int, viewer: int | None, colour: bool) -> str:
    marker = ">" if game.mover == player and not is_round_over(game) else " "
    cards = game.hand(player)
    hidden = ""
    if viewer is not None and player != viewer:
        known = game.known(player)
        hidden = f"{len(cards) - len(known)} hidden"
        cards = known
    shown = [_paint(card, card[0], colour) for card in cards]
    return f"{marker} player {player}: {' '.join([*shown, hidden])}"


def _paint(text: str, letter: str, colour: bool) -> str:
    return f"\x1b[{_ANSI[letter]}m{text.rstrip()}\x1b[0m" if colour else text
