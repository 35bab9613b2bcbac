"""`LostCitiesVectorEnv`: many games per call for Gymnasium, with the opponent inside."""

from typing import Any

import gymnasium.error
import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from lostcities_env.agents.base import Agent
from lostcities_env.agents.registry import resolve
from lostcities_env.envs.batch import BatchGames, check_count
from lostcities_env.envs.learner import MAX_AGENT_SEED, check_learner_moves, check_seat
from lostcities_env.envs.rendering import RENDER_FPS, Renderer
from lostcities_env.envs.rewards import check_max_turns, check_reward
from lostcities_env.envs.spaces import LegalDiscrete, LegalMultiDiscrete, observation_box
from lostcities_env.envs.stepping import gather_opponents, step_learners, write_observations_of, write_views
from lostcities_env.rules.game import Game
from lostcities_env.rules.observation import RECALL, check_level, observation_size
from lostcities_env.rules.snapshot import check_snapshot
from lostcities_env.rules.variant import Variant

_RENDER_MODES = ("ansi", "rgb_array")
"""There is no window for many games."""


class LostCitiesVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """As many games as wanted of `LostCitiesSingleAgentEnv`, stepped by compiled code.

    Spaces, rewards and arguments are those of the single environment, and a step ends when it is the
    learner's turn in every game. One agent plays the opponent in all games, many of them at once.

    Autoreset is ``SAME_STEP``: a game that ends is dealt anew in the same step. The observation, the
    mask and the seat are then those of the new game; ``info["final_obs"]`` and ``info["final_info"]``
    hold the last ones of the old game, as in Gymnasium's own vector environments. ``final_info`` has
    ``seat``, ``scores``, ``match_scores`` (int64 (num_envs, 2), player 0 first), ``winner`` (int64
    (num_envs,), -1 for none), and ``colour_scores`` (int64 (num_envs, 2, n_colours)).

    >>> import gymnasium
    >>> envs = gymnasium.make_vec("LostCities-v0", num_envs=3, opponent="random")
    >>> observations, infos = envs.reset(seed=7)
    >>> observations, rewards, terminated, truncated, infos = envs.step(envs.action_space.sample())
    >>> rewards.shape, infos["action_mask"].shape
    ((3,), (3, 600))
    """

    metadata = {  # noqa: RUF012
        "render_modes": list(_RENDER_MODES),
        "render_fps": RENDER_FPS,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }
    action_space: LegalMultiDiscrete

    def __init__(
        self,
        num_envs: int = 1,
        opponent: str | Agent = "random",
        variant: str | Variant = "standard",
        observation: str = "visible",
        reward: str = "margin",
        rounds: int = 1,
        tie: str = "draw",
        seat: int | None = None,
        max_turns: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        check_count("num_envs", num_envs)
        self.num_envs = num_envs
        self._games = BatchGames(
            num_envs, variant, rounds=rounds, tie=tie, reward=reward, max_turns=max_turns
        )
        match = self._games.match
        check_learner_moves(match, max_turns)
        self.opponent = resolve(opponent, match)
        self._level = check_level(observation)
        self._reward = check_reward(reward)
        self._max_turns = check_max_turns(max_turns, match.variant)
        self._fixed_seat = check_seat(seat)
        self.render_mode = render_mode
        self._renderer = Renderer(render_mode, _RENDER_MODES)

        n_actions = match.variant.n_actions
        self.single_observation_space = observation_box(match, observation)
        self.single_action_space = LegalDiscrete(n_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = LegalMultiDiscrete(np.full(num_envs, n_actions))
        self.action_space.masks = self.action_masks

        self._observation_size = observation_size(match, observation)
        self._all = np.arange(num_envs)
        self._begun = False
        self._seats = np.zeros(num_envs, dtype=np.int8)
        self._masks = np.zeros((num_envs, n_actions), dtype=np.int8)
        self._rewards = np.zeros(num_envs, dtype=np.float64)
        self._carried = np.zeros(num_envs, dtype=np.float64)
        self._terminated = np.zeros(num_envs, dtype=np.bool_)
        self._truncated = np.zeros(num_envs, dtype=np.bool_)
        self._final_states = self._games.states.copy()
        # The first rows are the games in which the opponent is to move, and what it sees.
        self._waiting = np.zeros(num_envs, dtype=np.int64)
        self._waiting_observations = np.zeros((num_envs, self.opponent.observation_size), dtype=np.float32)
        self._waiting_masks = np.zeros((num_envs, n_actions), dtype=np.int8)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.action_space.masks = self.action_masks

    def game(self, index: int) -> Game:
        """A copy of one of the games as a `Game`, random generator included."""
        return self._games.game(index)

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins an episode in every game, up to the learner's first decision.

        Args:
            seed: of game 0 (game i gets ``seed + i``), or a list of one seed a game; the same seed
                gives the same deals in every face of the project. The first seed also decides the
                seats and the opponent's choices. None goes on with the generators as they stand.
            options: there are none.

        Raises:
            TypeError, ValueError: if a seed is no seed, not one a game, or there are options.
        """
        if options:
            raise ValueError(
                f"the vector environment has no reset options, got {', '.join(map(str, options))}"
            )
        self._games.reset(seed)
        self._begun = True
        if seed is not None:
            first = int(seed if isinstance(seed, (int, np.integer)) else seed[0])
            self._np_random, self._np_random_seed = seeding.np_random(first)
        self.opponent.reset(int(self.np_random.integers(MAX_AGENT_SEED)))
        self._seats[:] = self._draw_seats()
        self._clear_outcome()
        self._answer()
        self._carried[:] = self._rewards
        return self._observe(self._seats)

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Takes the learner's turn in every game, and the opponent's turns up to the learner's next ones.

        Args:
            actions: integers (num_envs,), legal ones.

        Returns:
            observations float32 (num_envs, n), rewards float64 (num_envs,), terminated and truncated
            bool (num_envs,), and infos; all new.

        Raises:
            TypeError, ValueError: if the array's dtype or shape is wrong.
            gymnasium.error.ResetNeeded: before the first `reset`.
            IllegalActionError: naming the first game with an illegal action. No game has changed then.
        """
        if not self._begun:
            raise gymnasium.error.ResetNeeded("reset the environment before its first step")
        actions = self._games.check(actions)
        seats = self._seats.copy()
        self._clear_outcome()
        self._rewards += self._carried
        self._carried[:] = 0
        self._step(self._all, actions)
        self._answer()
        observations, infos = self._observe(seats)
        return observations, self._rewards.copy(), self._terminated.copy(), self._truncated.copy(), infos

    def _draw_seats(self) -> np.ndarray:
        if self._fixed_seat is not None:
            return np.full(self.num_envs, self._fixed_seat, dtype=np.int8)
        return self.np_random.integers(2, size=self.num_envs, dtype=np.int8)

    def _clear_outcome(self) -> None:
        self._rewards[:] = 0
        self._terminated[:] = False
        self._truncated[:] = False

    def _step(self, games: np.ndarray, actions: np.ndarray) -> None:
        step_learners(
            self._games.states,
            games,
            actions,
            self._reward,
            self._max_turns,
            self._seats,
            self._draw_seats(),
            self._rewards,
            self._carried,
            self._terminated,
            self._truncated,
            self._final_states,
        )

    def _answer(self) -> None:
        """Lets the opponent move until the learner is to move in every game."""
        while True:
            count = gather_opponents(
                self._games.states,
                self._seats,
                RECALL,
                self._waiting,
                self._waiting_observations,
                self._waiting_masks,
            )
            if count == 0:
                return
            games = self._waiting[:count]
            actions = self.opponent.act(self._waiting_observations[:count], self._waiting_masks[:count])
            self._step(games, self._games.check(actions, games))

    def _observe(self, past_seats: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
        observations = np.empty((self.num_envs, self._observation_size), np.float32)
        masks = np.empty_like(self._masks)
        write_views(self._games.states, self._level, observations, masks, np.empty_like(self._seats))
        self._masks[:] = masks
        infos: dict[str, Any] = {"action_mask": masks, "seat": self._seats.astype(np.int64)}
        ended = self._terminated | self._truncated
        if ended.any():
            infos |= self._final(ended, past_seats)
        return observations, infos

    def _final(self, ended: np.ndarray, seats: np.ndarray) -> dict[str, Any]:
        """``final_obs`` and ``final_info`` of the games that have `ended`, each with its mask."""
        games = np.flatnonzero(ended)
        rows = np.empty((games.size, self._observation_size), np.float32)
        write_observations_of(self._final_states, games, seats, self._level, rows)
        observations = np.full(self.num_envs, None, dtype=object)
        for game, row in zip(games, rows, strict=True):
            observations[game] = row
        states = self._final_states
        unfinished = np.where(self._truncated[:, None], states["scores"], 0)
        n_colours = self._games.match.variant.n_colours
        info = {
            "seat": seats.astype(np.int64),
            "scores": states["scores"].astype(np.int64),
            "match_scores": (states["match_scores"] + unfinished).astype(np.int64),
            "winner": states["winner"].astype(np.int64),
            "colour_scores": states["colour_scores"][:, :, :n_colours].astype(np.int64),
        }
        final_info: dict[str, Any] = {}
        for name, values in info.items():
            values[~ended] = 0
            final_info |= {name: values, f"_{name}": ended.copy()}
        return {
            "final_obs": observations,
            "_final_obs": ended.copy(),
            "final_info": final_info,
            "_final_info": ended.copy(),
        }

    def get_state(self) -> dict[str, Any]:
        """A snapshot for `set_state`: games, seats, generators, the opponent's seed."""
        return {
            "games": self._games.get_state(),
            "seats": self._seats.copy(),
            "carried": self._carried.copy(),
            "np_random": self.np_random.bit_generator.state,
            "opponent_seed": self.opponent.seed,
        }

    def set_state(self, snapshot: dict[str, Any]) -> tuple[np.ndarray, dict[str, Any]]:
        """Goes back to a snapshot of as many games of the same match; returns what `reset` would.

        Raises:
            ValueError: if it is no snapshot, or one of another match or number of games.
        """
        check_snapshot(snapshot, ("games", "seats", "carried", "np_random", "opponent_seed"))
        self._games.set_state(snapshot["games"])
        self._begun = True
        self._seats[:] = snapshot["seats"]
        self._carried[:] = snapshot["carried"]
        self.np_random.bit_generator.state = snapshot["np_random"]
        self.opponent.reset(snapshot["opponent_seed"])
        self._clear_outcome()
        return self._observe(self._seats)

    def action_masks(self) -> np.ndarray:
        """The learner's legal actions in every game: int8 (num_envs, n_actions)."""
        return self._masks.copy()

    def render(self) -> tuple[str | np.ndarray, ...] | None:
        """The tables as the learner sees them: texts (``"ansi"``) or uint8 (height, width, 3)."""
        if self.render_mode is None:
            return None
        return tuple(
            self._renderer.render(self.game(i), viewer=int(seat))  # type: ignore[misc]
            for i, seat in enumerate(self._seats)
        )
