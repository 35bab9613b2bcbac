"""`LostCitiesEnv`: the game as a PettingZoo AEC environment."""

import copy
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from lostcities_env.envs.episode import Episode
from lostcities_env.envs.rendering import RENDER_FPS, RENDER_MODES, Renderer
from lostcities_env.envs.spaces import observation_box
from lostcities_env.rules.game import Game
from lostcities_env.rules.observation import FULL
from lostcities_env.rules.snapshot import check_snapshot
from lostcities_env.rules.variant import Variant

PLAYERS = ("player_0", "player_1")
_SEATS = {player: seat for seat, player in enumerate(PLAYERS)}

_API_TEST_OPTION = "options"
"""PettingZoo's `api_test` resets with ``{"options": 1}`` and expects that nothing happens."""

_BOOKKEEPING = (
    "agents",
    "agent_selection",
    "rewards",
    "_cumulative_rewards",
    "terminations",
    "truncations",
    "infos",
    "_skip_agent_selection",
)
"""What PettingZoo keeps besides the game."""


class LostCitiesEnv(AECEnv[str, dict[str, np.ndarray], int | None]):  # type: ignore[misc]
    """Lost Cities for two agents, ``player_0`` and ``player_1``.

    ## Observations
    ``{"observation": float32 (n,), "action_mask": int8 (n_actions,)}``. The blocks of the observation
    are those of `observation_blocks`. The mask is 1 for the legal actions of the agent to move and all 0
    for the other, and after the end. `observe` works for either agent at any time.

    ## Actions
    ``Discrete(n_actions)``: a card, play or discard, and where to draw; see `rules/actions.py`.

    ## Rewards
    See `lostcities_env.envs.rewards`. The agents' rewards add up to 0.

    ## End
    ``infos`` of both agents then hold ``scores``, ``match_scores``, ``winner`` and ``score_breakdown``;
    see `Episode.outcome`.

    Args:
        variant: what is played, with `rounds` and `tie`; see `Match`.
        rounds: see `Match`.
        tie: see `Match`.
        observation: ``"visible"`` (what lies on the table) or ``"recall"`` (what a player with perfect
            memory knows as well).
        reward: ``"margin"``, ``"win"`` or ``"dense"``.
        render_mode: None, ``"ansi"``, ``"rgb_array"`` or ``"human"``; see `render`.
        max_turns: truncates a round after so many turns; needed if the piles never close.

    Raises:
        InvalidVariantError, TypeError, ValueError: naming the argument that was wrong.
        DependencyNotInstalled: if the render mode needs pygame-ce and it is missing.

    >>> env = LostCitiesEnv()
    >>> env.reset(seed=7)
    >>> observation, reward, terminated, truncated, info = env.last()
    >>> env.step(int(observation["action_mask"].argmax()))
    >>> env.agent_selection
    'player_1'
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
        "name": "lost_cities_v0",
        "is_parallelizable": False,
    }

    def __init__(
        self,
        variant: str | Variant = "standard",
        observation: str = "visible",
        reward: str = "margin",
        rounds: int = 1,
        tie: str = "draw",
        render_mode: str | None = None,
        max_turns: int | None = None,
    ) -> None:
        super().__init__()
        self._episode = Episode(
            variant, rounds=rounds, tie=tie, observation=observation, reward=reward, max_turns=max_turns
        )
        self._level = self._episode.level
        self.render_mode = render_mode
        self._renderer = Renderer(render_mode)
        match = self.game.match
        self.possible_agents = list(PLAYERS)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": observation_box(match, observation),
                    "action_mask": spaces.Box(0, 1, (match.variant.n_actions,), np.int8),
                }
            )
            for agent in PLAYERS
        }
        self.action_spaces = {agent: spaces.Discrete(match.variant.n_actions) for agent in PLAYERS}
        self.state_space = observation_box(match, "full")
        self._begin([])

    def _begin(self, agents: list[str]) -> None:
        self.agents = agents
        self.agent_selection = PLAYERS[self._episode.mover]
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        self._skip_agent_selection: str | None = None

    @property
    def game(self) -> Game:
        """The game being played. To play, use `step`: a turn taken behind its back is not noticed."""
        return self._episode.game

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of `observe(agent)`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of the agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a match.

        Args:
            seed: the same seed gives the same deals in every face of the project; None goes on with
                the generator as it stands.
            options: ``{"deck": [...], "first_player": 0}``, with several rounds ``"decks"``; see
                `Episode.begin`.

        Raises:
            NotationError, TypeError, ValueError: naming the seed or option that was wrong.
        """
        if isinstance(options, dict) and _API_TEST_OPTION in options:
            options = {name: value for name, value in options.items() if name != _API_TEST_OPTION}
        self._episode.begin(seed, options)
        self._begin(list(PLAYERS))
        if self.render_mode == "human":
            self._render(wait=True)

    def step(self, action: int | None) -> None:
        """Takes the turn of `agent_selection`; after the end, None removes it.

        Raises:
            TypeError: if `action` is not an integer.
            IllegalActionError: if the rules do not allow it; the message names the card, where it
                would go, where the draw would come from, and why not. Nothing has changed then.
            RuntimeError: if no game is being played.
            ValueError: if the game is over and `action` is not None.
        """
        agent = self.agent_selection
        if not self.agents:
            raise RuntimeError("no game is being played: call reset() first")
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        paid, terminated, truncated = self._episode.turn(action)  # type: ignore[arg-type]
        rewards, totals = self.rewards, self._cumulative_rewards
        rewards["player_0"] = paid
        rewards["player_1"] = 0.0 - paid  # no negative zeros
        totals[agent] = 0.0
        totals["player_0"] += paid
        totals["player_1"] -= paid
        if terminated or truncated:
            self.terminations = dict.fromkeys(PLAYERS, terminated)
            self.truncations = dict.fromkeys(PLAYERS, truncated)
            outcome = self._episode.outcome(truncated)
            for info in self.infos.values():
                info.update(outcome)
        self.agent_selection = PLAYERS[self._episode.mover]
        if self.render_mode == "human":
            self._render(wait=True)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent sees now, in new arrays; the mask is all 0 unless it is to move."""
        to_move = agent == self.agent_selection and not (
            self.terminations.get(agent, True) or self.truncations[agent]
        )
        observation, mask = self._episode.view(_SEATS[agent], self._level, to_move)
        return {"observation": observation, "action_mask": mask}

    def state(self) -> np.ndarray:
        """All of the game, hidden cards included, as player 0 sees it: float32, in `state_space`.

        It is the *full* observation, of which *recall* is the first part. Not for acting.
        """
        return self._episode.view(0, FULL, False)[0]

    def render(self) -> str | np.ndarray | None:
        """The table, all cards face up.

        Returns:
            ``"ansi"``: text. ``"rgb_array"``: uint8 (height, width, 3). ``"human"``: None; a window shows the
            table after `reset` and each `step`, at most ``metadata["render_fps"]`` times a second.
        """
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without a render_mode, such as 'ansi'")
            return None
        return self._render(wait=False)

    def _render(self, *, wait: bool) -> str | np.ndarray | None:
        return self._renderer.render(self.game, viewer=None, last=self._episode.last_action, wait=wait)

    def close(self) -> None:
        """Closes the window, if there is one."""
        self._renderer.close()

    def clone(self) -> "LostCitiesEnv":
        """An independent copy, random generator included."""
        return copy.deepcopy(self)

    def get_state(self) -> dict[str, Any]:
        """A snapshot for `set_state`, random generator included; much faster than `clone`."""
        bookkeeping = {name: getattr(self, name) for name in _BOOKKEEPING}
        return {"game": self._episode.get_state(), "bookkeeping": copy.deepcopy(bookkeeping)}

    def set_state(self, snapshot: dict[str, Any]) -> None:
        """Goes back to a snapshot.

        Raises:
            ValueError: if it is no snapshot, or one of another match.
        """
        check_snapshot(snapshot, ("game", "bookkeeping"))
        self._episode.set_state(snapshot["game"])
        for name, value in copy.deepcopy(snapshot["bookkeeping"]).items():
            setattr(self, name, value)
