"""Games that an agent lost by failing: what happened, where, and how often."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from lostcities_env.agents.attempts import REASONS
from lostcities_env.files import in_file_name, replace_file
from lostcities_env.rules.game import Game

POSITION_SCHEMA = "lostcities.forfeit/1"
MOST_SAVED = 20
"""Positions saved of the games of two agents, besides the first of each reason."""


@dataclass(frozen=True)
class Forfeit:
    """One game lost by a failure.

    Attributes:
        contestant: who failed: 0 for A, 1 for B.
        pair, seat: the game: the pair's number, and where the contestant that failed sits in it.
        round, turn: of the move that failed, from 1.
        reason: one of `lostcities_env.agents.attempts.REASONS`.
        message: one line.
        saved: the name of the file with the position before that move; None if it was not saved.
    """

    contestant: int
    pair: int
    seat: int
    round: int
    turn: int
    reason: str
    message: str
    saved: str | None = None

    @property
    def where(self) -> str:
        """The game and the move, in words."""
        return f"pair {self.pair}, seat {self.seat}, round {self.round}, turn {self.turn}"

    def to_dict(self) -> dict[str, Any]:
        """As JSON types."""
        return asdict(self)


@dataclass(frozen=True)
class Forfeits:
    """The games that one contestant lost by failing.

    Attributes:
        games: how many.
        reasons: how many for each reason that there was.
        examples: the first game of each reason.
    """

    games: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    examples: tuple[Forfeit, ...] = ()

    @classmethod
    def of(cls, forfeits: Sequence[Forfeit], contestant: int) -> "Forfeits":
        """Those of a contestant."""
        own = [forfeit for forfeit in forfeits if forfeit.contestant == contestant]
        counts = Counter(forfeit.reason for forfeit in own)
        reasons = [reason for reason in REASONS if counts[reason]]
        return cls(
            games=len(own),
            reasons={reason: counts[reason] for reason in reasons},
            examples=tuple(next(f for f in own if f.reason == reason) for reason in reasons),
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON types."""
        return {
            "games": self.games,
            "reasons": self.reasons,
            "examples": [example.to_dict() for example in self.examples],
        }


def forfeits_report(agents: Sequence[str], forfeits: Sequence[Forfeits], games: int) -> str:
    """What there is to say about the forfeits of two agents in `games` games; nothing without any.

    >>> print(forfeits_report(["owl", "magpie"], [Forfeits(), Forfeits(3, {"time": 3})], 400))
    Forfeits: magpie lost 3 of 400 games by failing (time 3).
    Those 3 games have no margin: margins and figures are over the other 397; win rates count them as lost.
    Leaving games out favours an agent that fails when it is losing.
    """
    lost = sum(one.games for one in forfeits)
    if not lost:
        return ""
    parts = [
        f"{agent} lost {one.games} of {games} games by failing "
        f"({', '.join(f'{reason} {count}' for reason, count in one.reasons.items())})"
        for agent, one in zip(agents, forfeits, strict=True)
        if one.games
    ]
    which, it = ("That game has", "it") if lost == 1 else (f"Those {lost} games have", "them")
    others = f"are over the other {games - lost}" if lost < games else "do not exist"
    lines = [
        f"Forfeits: {'; '.join(parts)}.",
        f"{which} no margin: margins and figures {others}; win rates count {it} as lost.",
    ]
    if lost < games:
        lines.append("Leaving games out favours an agent that fails when it is losing.")
    for agent, one in zip(agents, forfeits, strict=True):
        lines += [line for example in one.examples for line in example_lines(agent, example)]
    return "\n".join(lines)


def example_lines(who: str, example: Forfeit) -> list[str]:
    """A failure, and where its position is."""
    lines = [f"  {who}, {example.where}: {example.reason}: {example.message}"]
    return lines if example.saved is None else [*lines, f"    saved as {example.saved}"]


class FailureFolder:
    """Where the first positions that led to forfeits are saved, a file each.

    Args:
        folder: is made when there is something to save.
        agents: what A and B are called.
        seed: of the evaluation.
        most: how many are saved; besides them, the first of each contestant and reason.
    """

    def __init__(self, folder: Path, agents: tuple[str, str], seed: int, most: int = MOST_SAVED) -> None:
        self._folder = folder
        self._agents = agents
        self._seed = seed
        self._most = most
        self._saved = 0
        self._kinds: set[tuple[int, str]] = set()

    def save(self, forfeit: Forfeit, game: Game) -> Forfeit:
        """Writes the position, unless there are enough; returns the forfeit with the name of the file.

        ``Game.from_dict(json.load(file)["game"])`` is the game as it stood before the move that failed.

        Raises:
            OSError: if it cannot be written.
        """
        kind = (forfeit.contestant, forfeit.reason)
        if self._saved >= self._most and kind in self._kinds:
            return forfeit
        self._saved += 1
        self._kinds.add(kind)
        a, b = (in_file_name(agent) for agent in self._agents)
        name = f"{a}-{b}-seed{self._seed}-pair{forfeit.pair}-seat{forfeit.seat}.json"
        forfeit = replace(forfeit, saved=name)
        content = {
            "schema": POSITION_SCHEMA,
            "agents": list(self._agents),
            "seed": int(self._seed),
            "forfeit": forfeit.to_dict(),
            "game": game.to_dict(),
        }
        self._folder.mkdir(parents=True, exist_ok=True)
        replace_file(self._folder / name, f"{json.dumps(content, indent=2)}\n".encode())
        return forfeit
