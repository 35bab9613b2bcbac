"""`SelfPlayVecEnv`: many games per call as a Stable-Baselines3 `VecEnv`, the opponent inside."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

from lostcities_env.agents.features import Features
from lostcities_env.envs.vector import LostCitiesVectorEnv


class SelfPlayVecEnv(VecEnv):
    """A native `VecEnv`: one call steps all games; masks come through ``env_method("action_masks")``.

    Args:
        envs: the games; theirs are the spaces, the rewards and the opponent.
        features: gives the learner these features of the *recall* observations, flattened and the globals
            last, instead of the observations.
        reward_scale: rewards are multiplied by this; ``infos[i]["episode"]["r"]`` is not.
    """

    def __init__(
        self, envs: LostCitiesVectorEnv, *, features: Features | None = None, reward_scale: float = 1.0
    ) -> None:
        self.envs = envs
        self.render_mode = None
        self._features = features
        self._reward_scale = reward_scale
        self._seed: int | None = None
        self._actions = np.zeros(envs.num_envs, dtype=np.int64)
        self._returns = np.zeros(envs.num_envs)
        self._lengths = np.zeros(envs.num_envs, dtype=np.int64)
        space: spaces.Space[Any] = envs.single_observation_space
        if features is not None:
            space = spaces.Box(-np.inf, np.inf, (features.size,), np.float32)
        super().__init__(envs.num_envs, space, spaces.Discrete(envs.action_masks().shape[1]))

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seeds the next `reset`: game i gets ``seed + i``."""
        self._seed = seed
        return [None if seed is None else seed + i for i in range(self.num_envs)]

    def reset(self) -> VecEnvObs:
        """See `VecEnv.reset`."""
        observations, _ = self.envs.reset(seed=self._seed)
        self._seed = None
        self._returns[:] = 0
        self._lengths[:] = 0
        return self._seen(observations)

    def step_async(self, actions: np.ndarray) -> None:
        """See `VecEnv.step_async`."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """See `VecEnv.step_wait`."""
        observations, rewards, terminated, truncated, info = self.envs.step(self._actions)
        ended = terminated | truncated
        self._returns += rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        games = np.flatnonzero(ended)
        if games.size:
            last = self._seen(np.stack([info["final_obs"][i] for i in games]))
            for i, observation in zip(games, last, strict=True):
                infos[i] = {
                    "terminal_observation": observation,
                    "TimeLimit.truncated": bool(truncated[i]),
                    "episode": {"r": float(self._returns[i]), "l": int(self._lengths[i]), "t": 0.0},
                }
            self._returns[games] = 0
            self._lengths[games] = 0
        scaled = (rewards * self._reward_scale).astype(np.float32)
        return self._seen(observations), scaled, ended, infos

    def _seen(self, observations: np.ndarray) -> np.ndarray:
        return observations if self._features is None else self._features.flat(observations)

    def action_masks(self) -> np.ndarray:
        """The learner's legal actions in every game: int8 (num_envs, n_actions)."""
        return self.envs.action_masks()

    def get_state(self) -> dict[str, Any]:
        """A snapshot for `set_state`."""
        return {
            "envs": self.envs.get_state(),
            "returns": self._returns.copy(),
            "lengths": self._lengths.copy(),
        }

    def set_state(self, snapshot: dict[str, Any]) -> np.ndarray:
        """Goes back to a snapshot; returns the observations."""
        observations, _ = self.envs.set_state(snapshot["envs"])
        self._returns[:] = snapshot["returns"]
        self._lengths[:] = snapshot["lengths"]
        return self._seen(observations)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """``action_masks`` is the one method that games have; its rows, one for each of the `indices`."""
        if method_name != "action_masks":
            raise AttributeError(f"the games have no method {method_name!r}; there is 'action_masks'")
        masks = self.action_masks()
        return [masks[i] for i in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of the games, the same for each of the `indices`."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Games have no attributes of their own to set."""
        raise AttributeError(f"the games have no attribute {attr_name!r} to set")

    def env_is_wrapped(self, wrapper_class: type, indices: VecEnvIndices = None) -> list[bool]:
        """No game is wrapped. (Their episodes are counted here, which SB3 asks of a Monitor.)"""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """See `VecEnv.close`."""
        self.envs.close()
