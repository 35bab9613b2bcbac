"""A PPO run as a checkpoint: everything that the rest of the run depends on, and nothing pickled."""

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from training.run_directory import CheckpointError, RunDirectory

if TYPE_CHECKING:
    from training.ppo import Learner


def save_checkpoint(directory: RunDirectory, learner: "Learner") -> None:
    """Writes the checkpoint; all processes take part, the first one writes. To be called between updates."""
    shards = {k: shard.get_state() for k, shard in learner.shards.items()}
    gathered = {k: state for part in learner.processes.gather(shards) for k, state in part.items()}
    if not learner.processes.first:
        return
    arrays: dict[str, np.ndarray] = {}
    for k, (shard_arrays, _) in gathered.items():
        arrays |= {f"shard.{k}.{name}": array for name, array in shard_arrays.items()}
    for label, net in _networks(learner).items():
        arrays |= {f"{label}.{name}": value.cpu().numpy() for name, value in net.state_dict().items()}
    for index, values in learner.optimiser.state_dict()["state"].items():
        arrays |= {f"adam.{index}.{name}": torch.as_tensor(v).cpu().numpy() for name, v in values.items()}
    for k, past in enumerate(learner.past_selves):
        arrays |= {f"past.{k}.{name}": array for name, array in past.items()}
    state = {
        "imitated": learner.imitated,
        "turns": learner.turns,
        "updates": learner.updates,
        "past_selves": len(learner.past_selves),
        "generator": learner.generator.bit_generator.state,
        "shards": {str(k): json_part for k, (_, json_part) in gathered.items()},
    }
    directory.write_checkpoint(arrays, state)


def load_checkpoint(directory: RunDirectory, learner: "Learner") -> None:
    """Puts everything back as `save_checkpoint` found it; on as many processes as one likes.

    Raises:
        CheckpointError: if the file is damaged, or not of a run like this one.
    """
    arrays, state = directory.read_checkpoint()
    try:
        for label, net in _networks(learner).items():
            tensors = {name: torch.from_numpy(array) for name, array in _under(f"{label}.", arrays).items()}
            net.load_state_dict(tensors)
        optimiser: dict[str, Any] = learner.optimiser.state_dict()
        for name, array in _under("adam.", arrays).items():
            index, key = name.split(".")
            optimiser["state"].setdefault(int(index), {})[key] = torch.from_numpy(array)
        learner.optimiser.load_state_dict(optimiser)
        learner.past_selves = _past_selves(arrays, state)
        for k, shard in learner.shards.items():
            shard.set_state(_under(f"shard.{k}.", arrays), state["shards"][str(k)])
        learner.generator.bit_generator.state = state["generator"]
        learner.imitated = state["imitated"]
        learner.turns = state["turns"]
        learner.updates = state["updates"]
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise CheckpointError(
            f"checkpoint {str(directory.checkpoint_file)!r} does not fit: {error}"
        ) from None


def read_averages(directory: RunDirectory, past_every: int) -> list[tuple[int, dict[str, np.ndarray]]]:
    """The averaged weights of the past selves and, last, of the present; each with the updates before it.

    Args:
        directory: of the run.
        past_every: of its configuration.

    Raises:
        CheckpointError: if the file is damaged.
    """
    arrays, state = directory.read_checkpoint()
    try:
        past = _past_selves(arrays, state)
        first = -(-state["updates"] // past_every) - len(past)
        averages = [((first + k) * past_every, weights) for k, weights in enumerate(past)]
        return [*averages, (state["updates"], _under("average.", arrays))]
    except (KeyError, TypeError) as error:
        raise CheckpointError(
            f"checkpoint {str(directory.checkpoint_file)!r} does not fit: {error}"
        ) from None


def _past_selves(arrays: dict[str, np.ndarray], state: dict[str, Any]) -> list[dict[str, np.ndarray]]:
    return [_under(f"past.{k}.", arrays) for k in range(state["past_selves"])]


def _under(prefix: str, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name[len(prefix) :]: array for name, array in arrays.items() if name.startswith(prefix)}


def _networks(learner: "Learner") -> dict[str, torch.nn.Module]:
    networks = {
        "net": learner.net,
        "average": learner.average,
        "critic": learner.critic,
        "magnet": None if learner.magnet is None else learner.magnet.net,
    }
    return {label: net for label, net in networks.items() if net is not None}
