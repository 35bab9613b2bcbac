"""Where things lie in a picture: the same for every game of a match.

Player 0 has the left half and player 1 the right one. Between them lie the discard piles, one a row, and
below them the deck. Expeditions grow away from the piles.
"""

from dataclasses import dataclass

from lostcities_env.render import card
from lostcities_env.rules.match import Match

MARGIN = 20
GAP = 12
PANEL = 56
"""Height of the players' panels at the top."""
LANE = card.HEIGHT + 8
POINTS = 54
"""Width of an expedition's points, between it and the pile."""
CENTRE = 92
LINE = 22
"""Height of a line of text at the bottom."""
_HAND_STEP = card.WIDTH + 4
_NARROWEST = 300


@dataclass(frozen=True)
class Layout:
    """The places of a match, in pixels at scale 1.

    Args:
        match: what is played.
    """

    match: Match

    @property
    def half(self) -> int:
        """Width of a player's half."""
        longest = card.WIDTH + (self.match.variant.cards_per_colour - 1) * card.STRIP
        return max(longest + POINTS + 4, _NARROWEST)

    @property
    def width(self) -> int:
        """Of the picture; even, as films want it."""
        return 2 * (MARGIN + self.half) + CENTRE

    @property
    def height(self) -> int:
        """Of the picture; even, as films want it."""
        bottom = self.bottom + LINE * (1 + (self.match.rounds > 1)) + GAP
        return bottom + bottom % 2

    @property
    def middle(self) -> float:
        """The line between the halves."""
        return self.width / 2

    @property
    def table(self) -> int:
        """Where the lanes begin."""
        return MARGIN + PANEL + GAP

    def lane(self, colour: int) -> int:
        """The top of the cards of a colour."""
        return self.table + 4 + LANE * colour

    @property
    def hands(self) -> int:
        """The top of the hands, and of the deck."""
        return self.table + LANE * self.match.variant.n_colours + GAP

    @property
    def bottom(self) -> int:
        """The end of the hands, where lines of text begin."""
        rows = -(-self.match.variant.hand_size // self._hand_row)
        return self.hands + 8 + card.HEIGHT + (rows - 1) * (card.HEIGHT // 2) + GAP

    def edge(self, player: int) -> float:
        """The outer end of a player's half."""
        return MARGIN if player == 0 else self.width - MARGIN

    def inner(self, player: int) -> float:
        """The inner end of a player's half."""
        return self.middle + (CENTRE / 2 if player else -CENTRE / 2)

    def expedition(self, player: int, place: int) -> float:
        """The left end of an expedition's card, `place` counted from the pile."""
        if player == 0:
            return self.inner(0) - POINTS - card.WIDTH - place * card.STRIP
        return self.inner(1) + POINTS + place * card.STRIP

    def hand(self, player: int, place: int) -> tuple[float, float]:
        """The left top corner of a card of a hand."""
        row, place = divmod(place, self._hand_row)
        in_row = min(self.match.variant.hand_size, self._hand_row)
        step = min(_HAND_STEP, (self.half - card.WIDTH) / max(in_row - 1, 1))
        width = card.WIDTH + (in_row - 1) * step
        left = MARGIN if player == 0 else self.width - MARGIN - width
        return left + place * step, self.hands + 4 + row * (card.HEIGHT // 2)

    @property
    def _hand_row(self) -> int:
        """How many cards of a hand fit side by side."""
        return 1 + (self.half - card.WIDTH) // card.STRIP
