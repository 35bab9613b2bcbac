"""On which terms agents play: whose failures are results, how long a move may take, what may be loaded."""

from dataclasses import dataclass
from pathlib import Path

from lostcities_env.agents.worker import check_move_seconds
from lostcities_env.evaluation.forfeits import MOST_SAVED


@dataclass(frozen=True)
class Terms:
    """How the agents of an evaluation are treated, above all those from outside; see `agents.guests`.

    Attributes:
        trust: whether a file that can run code (a Stable-Baselines3 ``.zip``) may be loaded.
        move_seconds: guests play in a process of their own and must answer each move within so long; None
            lets them play in this process and think as long as they like. No limit holds for other agents.
        strict: whether the first failure of an agent ends the evaluation with an error, rather than its
            game with a forfeit. None: guests forfeit, the failure of any other agent is an error.
        save_failures: a directory for the positions in which games were forfeited; it is made if it is not
            there.
        most_saved: how many positions of the games of two agents go there, besides the first of each reason.

    Raises:
        ValueError: if `move_seconds` is not a positive number.
    """

    trust: bool = False
    move_seconds: float | None = None
    strict: bool | None = None
    save_failures: Path | None = None
    most_saved: int = MOST_SAVED

    def __post_init__(self) -> None:
        if self.move_seconds is not None:
            check_move_seconds(self.move_seconds)


DEFAULT_TERMS = Terms()
