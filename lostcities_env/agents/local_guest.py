"""`LocalGuest`: an agent from outside in this process; its failures are results."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from lostcities_env.agents.attempts import (
    ANSWER,
    AgentFailedError,
    Attempt,
    Guest,
    failure_of,
    one_line,
    whole_number,
    whole_numbers,
)
from lostcities_env.agents.base import DEFAULT_SAMPLES, Agent, NoValuesError
from lostcities_env.agents.guest_code import running
from lostcities_env.rules.game import IllegalActionError
from lostcities_env.rules.generator import check_seed
from lostcities_env.rules.match import Match

Build = Callable[[Match, int], Any]
"""Called with the match and a seed; gives something with ``act``, or a function of one game."""


class LocalGuest(Guest):
    """Code from outside in this process.

    What it prints goes to stderr. A batch in which it fails is asked for again one game at a time, so that
    only the games that it fails in are lost.

    Args:
        match: what is played.
        seed: see `Agent.reset`.
        build: makes what plays; once for each seed.
        source: its file, whose lines messages name.
        folder: where it imports from.
    """

    def __init__(
        self,
        match: Match,
        seed: int,
        build: Build,
        source: str | None = None,
        folder: Path | None = None,
    ) -> None:
        self._build = build
        self._source = source
        self._folder = folder
        super().__init__(match, seed)

    def reset(self, seed: int) -> None:
        """See `Agent.reset`: builds what plays anew."""
        self.seed = check_seed(seed)
        with running(self._folder):
            self._player = self._build(self.match, self.seed)

    def attempt(self, observations: np.ndarray, action_masks: np.ndarray) -> Attempt:
        """See `Guest.attempt`."""
        self.check_batch(observations, action_masks)
        actions = np.zeros(len(observations), dtype=np.int64)
        failures = {}
        with running(self._folder):
            if len(observations) > 1 and self._in_batches:
                try:
                    return Attempt(self._answer_all(observations, action_masks), {})
                except KeyboardInterrupt:
                    raise
                except BaseException:  # SystemExit too; which games it was about is found out below
                    pass
            for row in range(len(observations)):
                try:
                    actions[row] = self._answer(observations[row], action_masks[row])
                except KeyboardInterrupt:
                    raise
                except BaseException as error:
                    failures[row] = failure_of(error, self._source)
        return Attempt(actions, failures)

    def probabilities(
        self, observations: np.ndarray, action_masks: np.ndarray, *, samples: int = DEFAULT_SAMPLES
    ) -> np.ndarray:
        """See `Agent.probabilities`: what a guest that is an `Agent` says itself.

        Raises:
            AgentFailedError: if it fails.
        """
        if not isinstance(self._player, Agent):
            return super().probabilities(observations, action_masks, samples=samples)
        return self._ask("probabilities", observations, action_masks, samples=samples)

    def values(self, observations: np.ndarray) -> np.ndarray:
        """See `Agent.values`: what a guest that is an `Agent` says itself.

        Raises:
            NoValuesError: if it has none.
            AgentFailedError: if it fails, or does not give a finite number a game.
        """
        if not isinstance(self._player, Agent):
            return super().values(observations)
        values = np.asarray(self._ask("values", observations))
        if (
            values.shape != (len(observations),)
            or values.dtype.kind not in "fiu"
            or not np.isfinite(values).all()
        ):
            raise AgentFailedError(
                f"{ANSWER}: {len(observations)} finite values of shape ({len(observations)},) are wanted, "
                f"got {one_line(repr(values))}"
            )
        return values.astype(np.float64)

    def _ask(self, question: str, *arguments: Any, **named: Any) -> Any:
        with running(self._folder):
            try:
                return getattr(self._player, question)(*arguments, **named)
            except (KeyboardInterrupt, NoValuesError, IllegalActionError):
                raise
            except BaseException as error:
                failure = failure_of(error, self._source)
                raise AgentFailedError(f"{failure.reason}: {failure.message}") from error

    @property
    def _in_batches(self) -> bool:
        return hasattr(self._player, "act")

    def _answer_all(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        # Copies: what it does to its arguments is nobody else's concern.
        return whole_numbers(self._player.act(observations.copy(), action_masks.copy()), len(observations))

    def _answer(self, observation: np.ndarray, action_mask: np.ndarray) -> int:
        if self._in_batches:
            return int(self._answer_all(observation[np.newaxis], action_mask[np.newaxis])[0])
        return whole_number(self._player(observation.copy(), action_mask.copy()))


def guarded(agent: Agent) -> Guest:
    """An agent whose failures are results, like a guest's."""

    def reseeded(match: Match, seed: int) -> Agent:
        agent.reset(seed)
        return agent

    return agent if isinstance(agent, Guest) else LocalGuest(agent.match, agent.seed, reseeded)
