"""A rollout: the turns of many games as arrays, while they are played and when they are learned from."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import torch
from torch import Tensor

from training.kernels import NO_ACTION


@dataclass
class Rollout:
    """Turns of self-play, flattened to (samples, ...).

    Attributes:
        colours, globals_: in the type to compute in, as the network's encoder gives them.
        privileged: likewise, see `training.privileged`; without features if no critic asks for them.
        legal: int16 (samples, places), see `pack_legal`.
        places: int64 (samples,), the place in `legal` of the action taken.
        log_probabilities: float32 (samples,), of that action when it was taken; of no meaning where it was an
            opponent's.
        advantages, returns: float32 (samples,), the mover's.
        decks: int64 (samples,), cards left in the deck.
        magnet: float32 (samples, places), log-probabilities of `legal` under the policy that pulls the
            learner towards itself; None without one.
        weights: float32 (samples,), 1 for the learner's turns, 0 for those of a past self or an opponent.
    """

    colours: Tensor
    globals_: Tensor
    privileged: Tensor
    legal: Tensor
    places: Tensor
    log_probabilities: Tensor
    advantages: Tensor
    returns: Tensor
    decks: Tensor
    weights: Tensor
    magnet: Tensor | None = None

    def select(self, index: Tensor) -> "Rollout":
        """Some of the samples, with no more places for legal actions than they take.

        Args:
            index: int64 (samples,).
        """
        # PyTorch's `index_select` takes a fraction of the time of indexing.
        arrays = {field.name: getattr(self, field.name) for field in fields(self)}
        parts = {name: array.index_select(0, index) for name, array in arrays.items() if array is not None}
        most = int((parts["legal"].amax(dim=0) != NO_ACTION).sum())
        for name in parts.keys() & {"legal", "magnet"}:
            parts[name] = parts[name][:, :most]
        return replace(self, **parts)


class Memory:
    """A rollout while it is played: arrays (turns, games, ...), used again for each rollout.

    What the networks see lies on their device, in the type that they compute in, from the moment that it is
    written; it has a row more, for the position after the last turn. The rest is for compiled code on the
    CPU.

    Args:
        turns, games: of the rollout.
        colours, globals_, privileged: the shapes of a position's inputs.
        places: for legal actions.
        device, dtype: of the inputs.
    """

    def __init__(
        self,
        turns: int,
        games: int,
        *,
        colours: tuple[int, ...],
        globals_: tuple[int, ...],
        privileged: tuple[int, ...],
        places: int,
        device: torch.device,
        dtype: torch.dtype,
    ) -> None:
        shape = (turns, games)
        positions = (turns + 1, games)
        self.colours, self.globals_, self.privileged = (
            torch.empty((*positions, *rest), dtype=dtype, device=device)
            for rest in (colours, globals_, privileged)
        )
        self.legal_inputs = torch.empty((*positions, places), dtype=torch.int16, device=device)
        self.legal = np.empty((*positions, places), np.int16)
        self.places = np.empty(shape, np.int64)
        self.log_probabilities = np.empty(shape, np.float32)
        self.values = np.empty(shape, np.float32)
        self.rewards = np.empty(shape, np.float32)
        self.ended = np.empty(shape, np.bool_)
        self.movers = np.empty(shape, np.int8)
        self.weights = np.empty(shape, np.float32)
        self.decks = np.zeros(shape, np.int64)
        self.advantages = np.empty(shape, np.float32)

    def __len__(self) -> int:
        return len(self.places)

    def rollout(self) -> Rollout:
        """What there is to learn from; shares the memory of the inputs."""
        turns, games = self.places.shape
        device = self.colours.device

        def inputs(tensor: Tensor) -> Tensor:
            return tensor[:turns].flatten(0, 1)

        def flat(array: np.ndarray) -> Tensor:
            return torch.from_numpy(array.reshape(turns * games)).to(device)

        return Rollout(
            colours=inputs(self.colours),
            globals_=inputs(self.globals_),
            privileged=inputs(self.privileged),
            legal=inputs(self.legal_inputs),
            places=flat(self.places),
            log_probabilities=flat(self.log_probabilities),
            advantages=flat(self.advantages),
            returns=flat(self.advantages + self.values),
            decks=flat(self.decks),
            weights=flat(self.weights),
        )


def minibatches(
    generators: Sequence[np.random.Generator], rollouts: Sequence[Rollout], size: int
) -> list[list[tuple[Rollout, Tensor]]]:
    """One pass over the rollouts, each in the order of its generator: lists of (rollout, indices).

    Each of the lists is a step of the optimiser: `size` samples of each rollout.
    """
    orders = []
    for generator, rollout in zip(generators, rollouts, strict=True):
        order = generator.permutation(len(rollout.places))
        orders.append(torch.from_numpy(order).to(rollout.places.device))
    steps = len(orders[0]) // size
    return [
        [(rollout, order[k * size : (k + 1) * size]) for rollout, order in zip(rollouts, orders, strict=True)]
        for k in range(steps)
    ]
