"""The variants of the game: what differs between them is data.

Source: Reiner Knizia, *Lost Cities* (Kosmos, 1999; the later editions add a sixth colour). What the
printed rules leave open, and how it is settled here:

- *Recycling the discard piles for ever.* The printed rules allow it. The one house rule of this
  project, on by default, is ``piles_close_at=200``: once 200 turns of a round have been taken only
  the deck may be drawn, so every round ends by itself. ``None`` gives the bare rules.
- *Who starts the first round.* Seat 0, unless asked otherwise.

The miniatures exist to be solved exactly; `docs/rules.md` says how large each of them is.
"""

from dataclasses import asdict, dataclass
from typing import Any

COLOUR_LETTERS = "RBGYWP"
COLOUR_NAMES = ("red", "blue", "green", "yellow", "white", "purple")

MAX_COLOURS = len(COLOUR_LETTERS)
MAX_NUMBERS = 9
MAX_WAGERS = 3
MAX_NUMBER = 99
MAX_POINTS = 1000
MAX_TURNS = 10_000


class InvalidVariantError(ValueError):
    """A variant that cannot be played; the message says which field is wrong and what would be right."""


@dataclass(frozen=True)
class Variant:
    """The rules of one round, as numbers. The defaults are the standard game.

    Attributes:
        name: what the variant is called.
        n_colours: colours in the game, 1 to 6, in the order R B G Y W P.
        lowest, highest: the numbers of each colour, each once; at most nine of them.
        n_wagers: wager cards of each colour, 0 to 3.
        hand_size: cards in a hand.
        expedition_cost: what opening an expedition costs, in points.
        bonus_length: an expedition with at least this many cards (wagers included) earns `bonus`;
            0 for no bonus.
        bonus: the bonus in points; no wager multiplies it.
        piles_close_at: once this many turns of the round have been taken only the deck may be drawn;
            None leaves the piles open for ever.

    Raises:
        InvalidVariantError: if the fields do not describe a playable game.
    """

    name: str = "standard"
    n_colours: int = 5
    lowest: int = 2
    highest: int = 10
    n_wagers: int = 3
    hand_size: int = 8
    expedition_cost: int = 20
    bonus_length: int = 8
    bonus: int = 20
    piles_close_at: int | None = 200

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise InvalidVariantError(f"the name of a variant is text, got {self.name!r}")
        self._check_range("n_colours", 1, MAX_COLOURS)
        self._check_range("lowest", 1, MAX_NUMBER)
        self._check_range("highest", self.lowest, min(self.lowest + MAX_NUMBERS - 1, MAX_NUMBER))
        self._check_range("n_wagers", 0, MAX_WAGERS)
        self._check_range("hand_size", 1, (self.n_cards - 1) // 2)
        self._check_range("expedition_cost", 0, MAX_POINTS)
        self._check_range("bonus_length", 0, self.cards_per_colour)
        self._check_range("bonus", 0, MAX_POINTS)
        if self.piles_close_at is not None:
            self._check_range("piles_close_at", 0, MAX_TURNS)

    def _check_range(self, field: str, low: int, high: int) -> None:
        value = getattr(self, field)
        where = f"variant {self.name!r}: {field}={value!r}"
        if not isinstance(value, int) or isinstance(value, bool):
            raise InvalidVariantError(f"{where} is not an integer")
        if high < low:
            raise InvalidVariantError(f"{where}: no value fits, {self.n_cards} cards are too few")
        if not low <= value <= high:
            raise InvalidVariantError(f"{where} is outside {low}..{high}")

    @property
    def n_numbers(self) -> int:
        """Number cards of a colour."""
        return self.highest - self.lowest + 1

    @property
    def n_ranks(self) -> int:
        """Ranks of a colour: the wager (index 0), then the numbers from the lowest."""
        return 1 + self.n_numbers

    @property
    def cards_per_colour(self) -> int:
        """Physical cards of a colour."""
        return self.n_wagers + self.n_numbers

    @property
    def n_cards(self) -> int:
        """Physical cards in the game."""
        return self.n_colours * self.cards_per_colour

    @property
    def n_card_types(self) -> int:
        """Card codes; the wagers of a colour share one."""
        return self.n_colours * self.n_ranks

    @property
    def deck_size(self) -> int:
        """Cards in the deck right after the deal."""
        return self.n_cards - 2 * self.hand_size

    @property
    def n_actions(self) -> int:
        """Size of the action space: (card, play or discard, source of the draw)."""
        return self.n_card_types * 2 * (self.n_colours + 1)

    @property
    def colours(self) -> str:
        """The letters of the colours in the game."""
        return COLOUR_LETTERS[: self.n_colours]

    @property
    def expedition_score_range(self) -> tuple[int, int]:
        """The lowest and the highest score that one colour can have, in points."""
        numbers = range(self.lowest, self.highest + 1)
        scores = [0]
        for wagers in range(self.n_wagers + 1):
            for count in range(self.n_numbers + 1):
                length = wagers + count
                if length == 0:
                    continue
                bonus = self.bonus if 0 < self.bonus_length <= length else 0
                for total in (sum(numbers[:count]), sum(numbers[self.n_numbers - count :])):
                    scores.append((total - self.expedition_cost) * (1 + wagers) + bonus)
        return min(scores), max(scores)

    @property
    def round_score_range(self) -> tuple[int, int]:
        """Bounds of what a round brings a player, in points."""
        low, high = self.expedition_score_range
        return self.n_colours * low, self.n_colours * high

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON types; `from_dict` is the way back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Variant":
        """Builds a variant from what `to_dict` gave.

        Raises:
            InvalidVariantError: if a field is unknown, or the game cannot be played.
        """
        if not isinstance(data, dict):
            raise InvalidVariantError(f"a variant is a dict of its fields, got {data!r}")
        fields = cls.__dataclass_fields__
        unknown = sorted(map(str, set(data) - set(fields)))
        if unknown:
            raise InvalidVariantError(
                f"unknown variant field(s) {', '.join(unknown)}; there are {', '.join(fields)}"
            )
        return cls(**data)


STANDARD = Variant()
SIX_COLOURS = Variant(name="six", n_colours=6)
MINI_1 = Variant(
    name="mini1",
    n_colours=1,
    lowest=1,
    highest=4,
    n_wagers=1,
    hand_size=1,
    expedition_cost=2,
    bonus_length=2,
    bonus=2,
    piles_close_at=2,
)
"""One colour, a wager and four numbers: 465 information states."""
MINI_2 = Variant(
    name="mini2",
    n_colours=2,
    lowest=1,
    highest=3,
    n_wagers=0,
    hand_size=1,
    expedition_cost=2,
    bonus_length=0,
    bonus=0,
    piles_close_at=3,
)
"""Two colours of three numbers, neither wagers nor a bonus: 13,362 information states."""
MINI_3 = Variant(
    name="mini3",
    n_colours=2,
    lowest=1,
    highest=3,
    n_wagers=1,
    hand_size=3,
    expedition_cost=3,
    bonus_length=3,
    bonus=3,
    piles_close_at=8,
)
"""Every rule of the game in eight cards, in rounds of up to nine turns: 75,592 information states."""
MINIATURES = (MINI_1, MINI_2, MINI_3)

VARIANTS = {variant.name: variant for variant in (STANDARD, SIX_COLOURS, *MINIATURES)}
"""The named variants."""


def get_variant(variant: str | Variant) -> Variant:
    """The variant of that name; a `Variant` is returned as it is.

    Raises:
        InvalidVariantError: if there is no variant of that name.
    """
    if isinstance(variant, Variant):
        return variant
    if not isinstance(variant, str) or variant not in VARIANTS:
        raise InvalidVariantError(f"no variant {variant!r}; there are {', '.join(VARIANTS)}")
    return VARIANTS[variant]
