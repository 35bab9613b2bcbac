"""What is played: a variant, for how many rounds, and how a tied match is settled.

The printed game is a match of three rounds whose points add up; a single round is the default here
because that is what most learning starts from. A tied match is a draw by default; the two customs seen
at tables are options: one extra round, or the best single expedition of the match decides.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lostcities_env.rules.state import MAX_ROUNDS, NEVER, STATE, TIE_RULES
from lostcities_env.rules.variant import Variant, get_variant


@dataclass(frozen=True)
class Match:
    """A variant (or its name), the number of rounds, and the tie rule.

    Attributes:
        variant: the rules of each round.
        rounds: 1 to 9; 3 is the printed game.
        tie: ``"draw"``, ``"extra_round"`` or ``"best_expedition"``; settles a match whose points
            are level after the last round. What is level still is a draw.

    Raises:
        InvalidVariantError: if the variant is unknown.
        ValueError: if `rounds` or `tie` is not one of the above.
    """

    variant: Variant = field(default_factory=Variant)
    rounds: int = 1
    tie: str = "draw"

    def __post_init__(self) -> None:
        object.__setattr__(self, "variant", get_variant(self.variant))
        if isinstance(self.rounds, bool) or not isinstance(self.rounds, (int, np.integer)):
            raise ValueError(f"rounds={self.rounds!r} is not an integer")
        if not 1 <= self.rounds <= MAX_ROUNDS:
            raise ValueError(f"rounds={self.rounds} is outside 1..{MAX_ROUNDS}")
        object.__setattr__(self, "rounds", int(self.rounds))
        if self.tie not in TIE_RULES:
            raise ValueError(f"no tie rule {self.tie!r}; there are {', '.join(TIE_RULES)}")

    def new_states(self, count: int) -> np.ndarray:
        """`count` game records (dtype `STATE`) that play this match, with nothing dealt yet."""
        states = np.zeros(count, dtype=STATE)
        variant = self.variant
        for name in ("n_colours", "n_ranks", "lowest", "n_wagers", "hand_size", "n_cards"):
            states[name] = getattr(variant, name)
        for name in ("expedition_cost", "bonus_length", "bonus"):
            states[name] = getattr(variant, name)
        states["piles_close_at"] = NEVER if variant.piles_close_at is None else variant.piles_close_at
        states["rounds"] = self.rounds
        states["tie_rule"] = TIE_RULES.index(self.tie)
        return states

    def to_dict(self) -> dict[str, Any]:
        """As JSON types; `from_dict` is the way back."""
        return {"variant": self.variant.to_dict(), "rounds": self.rounds, "tie": self.tie}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Match":
        """Builds what `to_dict` described; errors as for the constructor."""
        return cls(Variant.from_dict(data["variant"]), data["rounds"], data["tie"])
