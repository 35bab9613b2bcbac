"""A MaskablePPO run as a checkpoint: everything that the rest of the run depends on, and nothing pickled."""

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from lostcities_env.agents.policy import Policy
from lostcities_env.rules.match import Match
from training.opponents import OpponentPool
from training.run_directory import CheckpointError, RunDirectory
from training.sb3_policies import to_policy
from training.sb3_vec_env import SelfPlayVecEnv


def save_checkpoint(
    directory: RunDirectory, model: MaskablePPO, env: SelfPlayVecEnv, opponents: OpponentPool
) -> None:
    """Writes all that the rest of the run depends on. To be called between updates."""
    arrays = {f"policy.{name}": tensor.numpy() for name, tensor in model.policy.state_dict().items()}
    for index, values in model.policy.optimizer.state_dict()["state"].items():
        arrays |= {f"adam.{index}.{name}": torch.as_tensor(value).numpy() for name, value in values.items()}
    for k, snapshot in enumerate(opponents.snapshots):
        arrays |= {f"snapshot.{k}.{name}": array for name, array in snapshot.policy.tensors.items()}
    state = env.get_state()
    games = state["envs"].pop("games")
    games["states"] = games["states"].view(np.uint8)  # safetensors knows no records
    arrays |= {f"games.{name}": array for name, array in games.items()}
    arrays |= {f"envs.{name}": state["envs"].pop(name) for name in ("seats", "carried")}
    arrays |= {f"env.{name}": state.pop(name) for name in ("returns", "lengths")}
    arrays["torch"] = torch.get_rng_state().numpy()
    kind, keys, position, has_gauss, gauss = np.random.get_state()  # SB3 draws from NumPy's own
    arrays["numpy"] = np.asarray(keys)
    arrays["episode_starts"] = np.asarray(model._last_episode_starts)
    directory.write_checkpoint(
        arrays,
        {
            "num_timesteps": model.num_timesteps,
            "updates": model._n_updates,
            "numpy": [kind, position, has_gauss, gauss],
            "envs": state["envs"],
            "opponents": opponents.get_state(),
            "snapshots": len(opponents.snapshots),
            "episodes": list(model.ep_info_buffer or ()),
        },
    )


def load_checkpoint(
    directory: RunDirectory, model: MaskablePPO, env: SelfPlayVecEnv, opponents: OpponentPool, match: Match
) -> None:
    """Puts everything back as `save_checkpoint` found it.

    Raises:
        CheckpointError: if the file is damaged, or not of a run like this one.
    """
    arrays, state = directory.read_checkpoint()

    def under(prefix: str) -> dict[str, np.ndarray]:
        return {name[len(prefix) :]: array for name, array in arrays.items() if name.startswith(prefix)}

    try:
        weights = {name: torch.from_numpy(array) for name, array in under("policy.").items()}
        model.policy.load_state_dict(weights)
        optimiser = model.policy.optimizer.state_dict()
        for name, array in under("adam.").items():
            index, key = name.split(".")
            optimiser["state"].setdefault(int(index), {})[key] = torch.from_numpy(array)
        model.policy.optimizer.load_state_dict(optimiser)
        template = to_policy(model.policy, match, {})
        snapshots = [
            Policy(match, template.observation, template.network, template.shape, under(f"snapshot.{k}."))
            for k in range(state["snapshots"])
        ]
        opponents.set_state(state["opponents"], snapshots)
        games = under("games.")
        games["states"] = games["states"].view(env.envs.get_state()["games"]["states"].dtype)
        envs = {"games": games, **under("envs."), **state["envs"]}
        model._last_obs = env.set_state({"envs": envs, **under("env.")})
        model._last_episode_starts = arrays["episode_starts"]
        torch.set_rng_state(torch.from_numpy(arrays["torch"]))
        kind, position, has_gauss, gauss = state["numpy"]
        np.random.set_state((kind, arrays["numpy"], position, has_gauss, gauss))
        model.num_timesteps = state["num_timesteps"]
        model._n_updates = state["updates"]
        if model.ep_info_buffer is not None:
            model.ep_info_buffer.extend(state["episodes"])
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise CheckpointError(
            f"checkpoint {str(directory.checkpoint_file)!r} does not fit: {error}"
        ) from None
