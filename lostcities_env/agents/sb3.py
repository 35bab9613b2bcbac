"""Policies that Stable-Baselines3 saved (``model.zip``), by any of its algorithms with discrete actions.

Only the policy is loaded, not the algorithm around it. It takes the legal action that it likes best: the
likeliest one of an actor (MaskablePPO, PPO, A2C), the one of the highest value of a DQN. What it was trained
on is told by the size of its observations: *visible* or *recall*, or the features that `SelfPlayVecEnv`
gives. If observations were normalised in training (``VecNormalize``), the file does not know: such a policy
plays badly here.

Needs the ``train`` extra. Loading such a file can run any code: see `guests.check_trust`.
"""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from lostcities_env.agents.attempts import describe_error
from lostcities_env.agents.features import Features
from lostcities_env.agents.guest_code import GuestError
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import OBSERVATION_MODES, observation_size

_NEEDED = ("policy_class", "policy_kwargs", "observation_space", "action_space")


class SB3Policy:
    """Plays what an SB3 policy likes best among the legal actions.

    Args:
        policy: an SB3 policy with discrete actions.
        seen: gives what it sees, float32 (batch, n), for *recall* observations.
    """

    def __init__(self, policy: Any, seen: Callable[[np.ndarray], np.ndarray]) -> None:
        self._policy = policy
        self._seen = seen

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """See `Agent.act`."""
        import torch

        with torch.no_grad():
            tensor, _ = self._policy.obs_to_tensor(self._seen(observations))
            liking = _preferences(self._policy, tensor).cpu().numpy()
        return np.where(action_masks, liking, -np.inf).argmax(axis=1)

    def try_out(self, match: Match) -> None:
        """Acts once on nothing: what does not fit fails now, and what is slow once does not count later."""
        blank = np.zeros((1, observation_size(match, "recall")), dtype=np.float32)
        self.act(blank, np.ones((1, match.variant.n_actions), dtype=np.int8))


def load(name: str, match: Match, seed: int) -> SB3Policy:
    """The policy of a file; `seed` is of no use to what takes the likeliest action.

    Raises:
        GuestError: if the file is none of SB3's, or its policy cannot play the match.
    """
    try:
        from stable_baselines3.common.save_util import load_from_zip_file
    except ImportError as error:
        raise GuestError(
            f"agent {name!r} needs Stable-Baselines3: pip install 'lostcities-env[train]' ({error})"
        ) from error
    try:
        with zipfile.ZipFile(Path(name)) as archive:
            keys = list(json.loads(archive.read("data")))
        unneeded = dict.fromkeys((key for key in keys if key not in _NEEDED), None)
        data, tensors, _ = load_from_zip_file(name, device="cpu", custom_objects=unneeded)
        assert data is not None
        seen = _observer(name, data["observation_space"], data["action_space"], match)
        policy = data["policy_class"](
            data["observation_space"], data["action_space"], lambda _: 0.0, **data["policy_kwargs"]
        )
        policy.load_state_dict(tensors["policy"])
        policy.set_training_mode(False)
        player = SB3Policy(policy, seen)
        player.try_out(match)
    except GuestError:
        raise
    except Exception as error:  # whatever a damaged or foreign file leads to
        raise GuestError(
            f"agent {name!r} is no policy of Stable-Baselines3 that can be loaded: "
            f"{describe_error(error, None)}"
        ) from error
    return player


def _preferences(policy: Any, observations: Any) -> Any:
    """What a policy thinks of every action, a tensor (batch, n_actions)."""
    if hasattr(policy, "q_net"):
        return policy.q_net(observations)
    if hasattr(policy, "get_distribution"):
        return policy.get_distribution(observations).distribution.logits
    raise TypeError(f"a {type(policy).__name__} does not rank single actions")


def _observer(
    name: str, observation_space: Any, action_space: Any, match: Match
) -> Callable[[np.ndarray], np.ndarray]:
    """What turns *recall* observations into those of a policy's space."""
    n_actions = match.variant.n_actions
    if getattr(action_space, "n", None) != n_actions:
        raise GuestError(
            f"agent {name!r} was trained for {action_space}; variant {match.variant.name!r} has {n_actions} "
            "actions"
        )
    sizes = {mode: observation_size(match, mode) for mode in OBSERVATION_MODES}
    for size in sizes.values():  # each mode is a prefix of *recall*
        if observation_space.shape == (size,):
            return lambda observations: np.ascontiguousarray(observations[:, :size])
    features = Features(match)
    if observation_space.shape == (features.size,):
        return features.flat
    known = ", ".join(f"{size} values ({mode})" for mode, size in sizes.items())
    raise GuestError(
        f"agent {name!r} sees observations of shape {observation_space.shape}; variant "
        f"{match.variant.name!r} gives {known} or {features.size} (features)"
    )
