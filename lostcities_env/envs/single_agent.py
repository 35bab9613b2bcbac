"""`LostCitiesSingleAgentEnv`: the game as a Gymnasium environment, with the opponent inside."""

from typing import Any

import gymnasium
import numpy as np

from lostcities_env.agents.base import Agent
from lostcities_env.agents.registry import resolve
from lostcities_env.envs.episode import Episode
from lostcities_env.envs.learner import MAX_AGENT_SEED, check_learner_moves, check_seat
from lostcities_env.envs.rendering import RENDER_FPS, RENDER_MODES, Renderer
from lostcities_env.envs.rewards import illegal_reward
from lostcities_env.envs.spaces import LegalDiscrete, observation_box
from lostcities_env.rules.game import Game, IllegalActionError
from lostcities_env.rules.generator import check_seed
from lostcities_env.rules.observation import RECALL
from lostcities_env.rules.variant import Variant


class LostCitiesSingleAgentEnv(gymnasium.Env[np.ndarray, np.int64]):
    """Lost Cities for one learner; a step ends at its next decision.

    ## Observation space
    ``Box`` float32 (n,): the blocks of `observation_blocks`, as the learner sees the game.

    ## Action space
    ``Discrete(n_actions)``; see `rules/actions.py`. Only some actions are legal: `action_masks` (the
    method that MaskablePPO looks for) and ``info["action_mask"]``, int8 (n_actions,), say which.
    ``action_space.sample()`` draws a legal one.

    ## Rewards
    The learner's, see `lostcities_env.envs.rewards`; the opponent's turn counts with the step before
    it. If the opponent opens the episode, what its turn pays is added to the first step.

    ## Info
    ``action_mask`` and ``seat`` (the learner's, 0 or 1); at the end also ``scores``, ``match_scores``,
    ``winner`` and ``score_breakdown``, see `Episode.outcome`.

    Args:
        opponent: an agent's name (`lostcities_env.agents.registry.names`), the path of weights, or an
            `Agent`. It sees *recall* observations, whatever the learner sees.
        variant: what is played, with `rounds` and `tie`; see `Match`.
        rounds: see `Match`.
        tie: see `Match`.
        observation: ``"visible"`` or ``"recall"``.
        reward: ``"margin"``, ``"win"`` or ``"dense"``.
        seat: the learner's, 0 or 1; None draws it anew each episode. Player 0 starts.
        max_turns: truncates a round after so many turns; needed if the piles never close.
        illegal: what an illegal action does: ``"raise"`` an `IllegalActionError`, or ``"terminate"`` the
            episode with `illegal_reward` and the error's text in ``info["illegal_action"]`` (for learners
            without masks and for Gymnasium's `check_env`, which takes actions without looking).
        render_mode: None, ``"ansi"``, ``"rgb_array"`` or ``"human"``; see `render`.

    Raises:
        InvalidVariantError, UnknownAgentError, TypeError, ValueError: naming the argument that was wrong.
        DependencyNotInstalled: if the render mode needs pygame-ce and it is missing.

    >>> env = gymnasium.make("LostCities-v0", opponent="random", seat=0)
    >>> observation, info = env.reset(seed=7)
    >>> observation, reward, terminated, truncated, info = env.step(info["action_mask"].argmax())
    >>> reward, terminated
    (0.0, False)
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012
    action_space: LegalDiscrete

    def __init__(
        self,
        opponent: str | Agent = "random",
        variant: str | Variant = "standard",
        observation: str = "visible",
        reward: str = "margin",
        rounds: int = 1,
        tie: str = "draw",
        seat: int | None = None,
        max_turns: int | None = None,
        illegal: str = "raise",
        render_mode: str | None = None,
    ) -> None:
        self._episode = Episode(
            variant, rounds=rounds, tie=tie, observation=observation, reward=reward, max_turns=max_turns
        )
        match = self.game.match
        check_learner_moves(match, max_turns)
        self.opponent = resolve(opponent, match)
        self._fixed_seat = check_seat(seat)
        self.seat = self._fixed_seat or 0
        if illegal not in ("raise", "terminate"):
            raise ValueError(f"illegal={illegal!r} is neither 'raise' nor 'terminate'")
        self._illegal_reward = illegal_reward(reward, match.variant) if illegal == "terminate" else None
        self.render_mode = render_mode
        self._renderer = Renderer(render_mode)
        self.observation_space = observation_box(match, observation)
        self.action_space = LegalDiscrete(match.variant.n_actions)
        self.action_space.masks = self.action_masks
        self._playing = False
        self._carried = 0.0

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.action_space.masks = self.action_masks

    @property
    def game(self) -> Game:
        """The game being played. To play, use `step`: a turn taken behind its back is not noticed."""
        return self._episode.game

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins an episode, up to the learner's first decision.

        Args:
            seed: the same seed gives the same deals in every face of the project, and here also the
                same seats and the same opponent; None goes on with the generators as they stand.
            options: see `Episode.begin`.

        Raises:
            NotationError, TypeError, ValueError: naming the seed or option that was wrong.
        """
        super().reset(seed=None if seed is None else check_seed(seed))
        self._episode.begin(seed, options)
        self.seat = int(self.np_random.integers(2)) if self._fixed_seat is None else self._fixed_seat
        self.opponent.reset(int(self.np_random.integers(MAX_AGENT_SEED)))
        self._playing = True
        self._show()
        self._carried, _, _ = self._play_on(0.0, False, False)
        return self._observe()

    def step(self, action: int | np.integer[Any]) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Takes the learner's turn, and the opponent's turns up to the learner's next decision.

        Raises:
            gymnasium.error.ResetNeeded: if no episode is going on.
            TypeError: if `action` is not an integer.
            IllegalActionError: if the rules do not allow it and `illegal` is ``"raise"``; the message says
                why. Nothing has changed then.
        """
        if not self._playing:
            raise gymnasium.error.ResetNeeded("no episode is going on: call reset() first")
        try:
            reward, terminated, truncated = self._turn(action)
        except IllegalActionError as error:
            if self._illegal_reward is None:
                raise
            return self._lose(str(error), self._illegal_reward)
        reward, terminated, truncated = self._play_on(reward, terminated, truncated)
        reward += self._carried
        self._carried = 0.0
        self._playing = not (terminated or truncated)
        observation, info = self._observe()
        if not self._playing:
            info.update(self._episode.outcome(truncated))
        return observation, reward, terminated, truncated, info

    def _turn(self, action: int | np.integer[Any]) -> tuple[float, bool, bool]:
        """Takes one turn: (what it pays the learner, terminated, truncated)."""
        paid, terminated, truncated = self._episode.turn(action)  # type: ignore[arg-type]
        self._show()
        return (paid if self.seat == 0 else 0.0 - paid), terminated, truncated

    def _play_on(self, reward: float, terminated: bool, truncated: bool) -> tuple[float, bool, bool]:
        """Lets the opponent move until the learner is to move or the episode ends; adds up the rewards."""
        while not (terminated or truncated) and self._episode.mover != self.seat:
            observation, mask = self._episode.view(1 - self.seat, RECALL, True)
            action = self.opponent.act(observation[None], mask[None])[0]
            paid, terminated, truncated = self._turn(action)
            reward += paid
        return reward, terminated, truncated

    def _lose(self, reason: str, reward: float) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        self._playing = False
        observation, info = self._observe()
        info |= self._episode.outcome(truncated=True) | {"winner": 1 - self.seat, "illegal_action": reason}
        return observation, reward, True, False, info

    def _observe(self) -> tuple[np.ndarray, dict[str, Any]]:
        observation, mask = self._episode.view(self.seat, self._episode.level, self._playing)
        return observation, {"action_mask": mask, "seat": self.seat}

    def action_masks(self) -> np.ndarray:
        """The learner's legal actions: int8 (n_actions,), none when no episode is going on."""
        return self._episode.view(self.seat, self._episode.level, self._playing)[1]

    def render(self) -> str | np.ndarray | None:
        """The table as the learner sees it: of the opponent's hand only the cards that are known.

        Returns:
            ``"ansi"``: text. ``"rgb_array"``: uint8 (height, width, 3). ``"human"``: None; a window shows the
            table after `reset` and each turn, the opponent's too, at most ``metadata["render_fps"]`` times a
            second.
        """
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without a render_mode, such as 'ansi'")
            return None
        return self._render(wait=False)

    def _show(self) -> None:
        if self.render_mode == "human":
            self._render(wait=True)

    def _render(self, *, wait: bool) -> str | np.ndarray | None:
        return self._renderer.render(self.game, viewer=self.seat, last=self._episode.last_action, wait=wait)

    def close(self) -> None:
        """Closes the window, if there is one."""
        self._renderer.close()
