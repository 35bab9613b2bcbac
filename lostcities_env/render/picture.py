"""The table as a picture: an array of pixels, drawn without a display."""

from collections.abc import Sequence

import numpy as np

from lostcities_env.render import card
from lostcities_env.render.canvas import Canvas
from lostcities_env.render.layout import CENTRE, LANE, LINE, MARGIN, PANEL, POINTS, Layout
from lostcities_env.render.look import BOARD, FAINT, FIELD, GLOW, INK, LARGEST_SCALE, PALE, PAPER, RGB, TABLE
from lostcities_env.render.moments import is_round_over, round_text
from lostcities_env.rules.actions import DECK, DISCARD, PLAY, Action, to_action
from lostcities_env.rules.cards import WAGER_LETTER, format_card
from lostcities_env.rules.game import Game
from lostcities_env.rules.variant import COLOUR_NAMES

PLAYERS = ("player 0", "player 1")
_NOTE = 11
"""Size of the arrow before a player's note."""


def draw_picture(
    game: Game,
    *,
    viewer: int | None = None,
    last: int | None = None,
    players: Sequence[str] = PLAYERS,
    scale: int = 1,
) -> np.ndarray:
    """Draws a game. The size depends on the match and the scale alone.

    Args:
        game: what to draw. One whose round is over but whose next one isn't dealt yet is drawn as it lies.
        viewer: 0 or 1 to see only that player's hand, and of the other one the cards that are known; None
            to see both.
        last: the action code of the turn taken last, to be highlighted; what nobody did in this round
            (before its first turn) is not, and None highlights nothing.
        players: what they are called.
        scale: 1 gives a picture that is about 900 pixels wide for the standard game; 2 is for print.

    Returns:
        uint8 (height, width, 3).

    Raises:
        DependencyNotInstalled: if pygame-ce is missing.
        ValueError: if `viewer` or `last` is something else, or there are not two players, or `scale` is
            outside 1..4.
    """
    if viewer not in (None, 0, 1):
        raise ValueError(f"viewer={viewer!r} is neither None, 0 nor 1")
    if len(players) != 2:
        raise ValueError(f"players={players!r} are not two names")
    if not isinstance(scale, int) or not 1 <= scale <= LARGEST_SCALE:
        raise ValueError(f"scale={scale!r} is not a whole number in 1..{LARGEST_SCALE}")
    turn = None if last is None else to_action(game.variant, last)
    return _Picture(game, viewer, turn if game.turn else None, players, scale).draw()


class _Picture:
    def __init__(
        self, game: Game, viewer: int | None, last: Action | None, players: Sequence[str], scale: int
    ) -> None:
        self.game, self.viewer, self.last, self.players, self.scale = game, viewer, last, players, scale
        self.layout = Layout(game.match)
        self.canvas = Canvas(self.layout.width, self.layout.height, scale, TABLE)
        self.round_over = is_round_over(game)
        self.last_player = 1 - game.mover

    def draw(self) -> np.ndarray:
        self._ground()
        for player in range(2):
            self._panel(player)
            self._hand(player)
            for colour in range(self.game.variant.n_colours):
                self._expedition(player, colour)
        self._middle()
        for colour in range(self.game.variant.n_colours):
            self._pile(colour)
        self._deck()
        self._lines()
        return self.canvas.pixels()

    def _ground(self) -> None:
        layout, canvas = self.layout, self.canvas
        for colour in range(self.game.variant.n_colours):
            top = layout.lane(colour) - 2
            for player in range(2):
                left = min(layout.edge(player), layout.inner(player))
                canvas.box(left, top, layout.half, LANE - 4, FIELD, radius=8)
        left = layout.inner(0) + 6
        height = layout.hands + card.HEIGHT + 8 - layout.table
        canvas.box(left, layout.table, CENTRE - 12, height, BOARD, radius=10)

    # The players' panels and what is between them

    def _panel(self, player: int) -> None:
        game, layout, canvas = self.game, self.layout, self.canvas
        active = game.mover == player and not self.round_over
        won = game.winner == player
        left = min(layout.edge(player), layout.inner(player))
        ground, ink, faint = (INK, PAPER, PALE) if active or won else (FIELD, INK, FAINT)
        canvas.box(left, MARGIN, layout.half, PANEL, ground, radius=10)
        middle = MARGIN + PANEL / 2
        inward = 1 if player == 0 else -1
        x, y = layout.inner(player) - 14 * inward, middle
        if game.match.rounds > 1:
            y -= 8
            match = f"match {_signed(game.match_scores[player])}"
            canvas.text(x, middle + 17, match, 12, faint, anchor=1 - player)
        canvas.text(x, y, _signed(game.scores[player]), 28, ink, anchor=1 - player)
        x, y = layout.edge(player) + 16 * inward, middle
        note = "wins" if won else "draw" if game.over and game.winner is None else "to move" if active else ""
        if note:
            y -= 10
        canvas.text(x, y, self.players[player], 18, ink, anchor=player, room=layout.half - 130)
        if not note:
            return
        y = middle + 13
        canvas.put(card.arrow(player == 0, _NOTE, self.scale), x - _NOTE * player, y - _NOTE / 2)
        canvas.text(x + 16 * inward, y, note, 13, faint, anchor=player)

    def _middle(self) -> None:
        game, canvas, x = self.game, self.canvas, self.layout.middle
        middle = MARGIN + PANEL / 2
        rounds = game.match.rounds
        if rounds > 1:
            which = round_text(game)
            canvas.text(x, middle - 20, which, 11, FAINT, anchor=0.5)
        canvas.text(x, middle, f"{game.turn}", 22, INK, anchor=0.5)
        canvas.text(x, middle + 19, "turn" if game.turn == 1 else "turns", 11, FAINT, anchor=0.5)

    # Cards

    def _expedition(self, player: int, colour: int) -> None:
        game, layout, canvas = self.game, self.layout, self.canvas
        cards = game.expedition(player, colour)
        top = layout.lane(colour)
        score = game.score_breakdown(player)[COLOUR_NAMES[colour]]
        x = layout.inner(player) + (POINTS / 2 if player else -POINTS / 2)
        middle = top + card.HEIGHT / 2
        if not cards:
            self._slot(layout.expedition(player, 0), top, colour, FIELD)
            return
        for place, name in enumerate(cards):
            self._card(name, layout.expedition(player, place), top, mirrored=player == 0)
        extras = [f"\u00d7{1 + score.wagers}"] * (score.wagers > 0) + [f"+{score.bonus}"] * (score.bonus > 0)
        canvas.text(x, middle - 7 * bool(extras), _signed(score.points), 18, INK, anchor=0.5, room=POINTS)
        canvas.text(x, middle + 13, " ".join(extras), 12, FAINT, anchor=0.5, room=POINTS - 2)
        if self._was_put(player, colour, PLAY):
            self._glow(layout.expedition(player, len(cards) - 1), top)

    def _pile(self, colour: int) -> None:
        layout = self.layout
        pile = self.game.pile(colour)
        left, top = layout.middle - card.WIDTH / 2, layout.lane(colour)
        if pile:
            self._card(pile[-1], left, top)
            if self._was_put(self.last_player, colour, DISCARD):
                self._glow(left, top)
            corner = card.BADGE / 2 + 4
            badge = card.badge(len(pile), self.scale, BOARD)
            self.canvas.put(badge, left + card.WIDTH - corner, top + card.HEIGHT - corner - 2)
        else:
            self._slot(left, top, colour, BOARD)
        if self.last is not None and self.last.source == 1 + colour:
            self._arrow(top)

    def _deck(self) -> None:
        layout, canvas = self.layout, self.canvas
        left, top = layout.middle - card.WIDTH / 2, layout.hands + 4
        count = self.game.deck_count
        if count:
            canvas.put(card.back(self.scale), left, top)
            canvas.box(left + 8, top + 17, card.WIDTH - 16, 38, PAPER, radius=6)
            canvas.text(layout.middle, top + 31, str(count), 20, INK, anchor=0.5)
            canvas.text(layout.middle, top + 47, "deck", 10, FAINT, anchor=0.5)
        else:
            canvas.box(left, top, card.WIDTH, card.HEIGHT, FAINT, radius=card.RADIUS, line=1.5)
            canvas.text(layout.middle, top + 31, "0", 20, FAINT, anchor=0.5)
            canvas.text(layout.middle, top + 47, "deck", 10, FAINT, anchor=0.5)
        if self.last is not None and self.last.source == DECK:
            self._arrow(top)

    def _hand(self, player: int) -> None:
        game, layout, canvas = self.game, self.layout, self.canvas
        known = game.known(player)
        hidden = self.viewer not in (None, player)
        cards = known if hidden else game.hand(player)
        unmarked = list(known)
        for place in range(game.variant.hand_size):
            left, top = layout.hand(player, place)
            if place >= len(cards):
                canvas.put(card.back(self.scale), left, top)
                continue
            self._card(cards[place], left, top)
            if cards[place] in unmarked:
                unmarked.remove(cards[place])
                canvas.put(card.eye(self.scale), left + 3, top + card.HEIGHT - card.EYE - 3)

    def _card(self, name: str, left: float, top: float, *, mirrored: bool = False) -> None:
        self.canvas.put(card.face(name, self.scale, mirrored=mirrored), left, top)

    def _slot(self, left: float, top: float, colour: int, ground: RGB) -> None:
        letter = self.game.variant.colours[colour]
        self.canvas.put(card.slot(letter, self.scale, ground), left, top)

    # The last turn

    def _was_put(self, player: int, colour: int, way: int) -> bool:
        """Whether the last turn put a card there."""
        last = self.last
        return (
            last is not None
            and (self.last_player, last.way) == (player, way)
            and last.card // self.game.variant.n_ranks == colour
        )

    def _glow(self, left: float, top: float) -> None:
        for beyond, colour, line in ((3, INK, 2), (2, GLOW, 3.5)):
            self.canvas.box(
                left - beyond,
                top - beyond,
                card.WIDTH + 2 * beyond,
                card.HEIGHT + 2 * beyond,
                colour,
                radius=card.RADIUS + beyond,
                line=line,
            )

    def _arrow(self, top: float) -> None:
        """Points from a pile or the deck to the player who drew from it."""
        side = card.WIDTH / 2 + 10
        x = self.layout.middle + (side if self.last_player else -side) - card.ARROW / 2
        arrow = card.arrow(self.last_player == 1, card.ARROW, self.scale)
        self.canvas.put(arrow, x, top + (card.HEIGHT - card.ARROW) / 2)

    def _lines(self) -> None:
        layout, canvas = self.layout, self.canvas
        y = layout.bottom + LINE / 2
        canvas.text(MARGIN, y, self._last_turn(), 13, INK, room=layout.width - 2 * MARGIN - 190)
        right = layout.width - MARGIN
        width = canvas.text(right, y, "known to the opponent", 12, FAINT, anchor=1)
        canvas.put(card.eye(self.scale), right - width - card.EYE - 5, y - card.EYE / 2)
        if self.game.match.rounds > 1:
            canvas.text(MARGIN, y + LINE, self._finished_rounds(), 13, INK, room=layout.width - 2 * MARGIN)

    def _last_turn(self) -> str:
        if self.last is None:
            return "" if self.game.turn else "the cards are dealt"
        name = format_card(self.game.variant, self.last.card)
        rank = "wager" if name[1:] == WAGER_LETTER else name[1:]
        colours = COLOUR_NAMES[: self.game.variant.n_colours]
        colour = COLOUR_NAMES[self.game.variant.colours.index(name[0])]
        way = "plays" if self.last.way == PLAY else "discards"
        source = "deck" if self.last.source == DECK else f"{colours[self.last.source - 1]} pile"
        return f"{self.players[self.last_player]} {way} the {colour} {rank} and draws from the {source}"

    def _finished_rounds(self) -> str:
        past = ", ".join(f"{_signed(a)} : {_signed(b)}" for a, b in self.game.round_scores) or "none yet"
        return f"finished rounds: {past}"


def _signed(points: int) -> str:
    """Points with a minus as wide as a plus."""
    return str(points).replace("-", "\u2212")
