"""A rollout: the turns of many games as arrays, while they are played and when they are learned from."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import torch
from torch import Tensor

from training.advantages import History, advantages
from training.legal import MAX_LEGAL


@dataclass(kw_only=True)
class Samples:
    """Turns of self-play, flattened to (samples, ...), where the networks are.

    Attributes:
        colours, globals_: in the type to compute in, as the network's encoder gives them.
        privileged: likewise, see `training.privileged`; without features if no critic asks for them.
        legal: int16 (samples, places), see `pack_legal`.
        places: int64 (samples,), the place in `legal` of the action taken; of another one, legal too, where
            it was an opponent's turn.
        log_probabilities: float32 (samples,), of that action when it was taken; of no meaning where it was an
            opponent's turn.
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


@dataclass(kw_only=True)
class Rollout(Samples):
    """All samples of a rollout.

    Attributes:
        counts: int64 (samples,), how many legal actions each has; on the CPU, so that to know how many places
            some samples take, nobody need wait for a device.
    """

    counts: np.ndarray

    def select(self, index: Tensor, width: int) -> Samples:
        """Some of the samples.

        Args:
            index: int64 (samples,).
            width: places for legal actions, as many as any of the samples takes.
        """
        # PyTorch's `index_select` takes a fraction of the time of indexing.
        arrays = {field.name: getattr(self, field.name) for field in fields(Samples)}
        parts = {name: array.index_select(0, index) for name, array in arrays.items() if array is not None}
        for name in parts.keys() & {"legal", "magnet"}:
            parts[name] = parts[name][:, :width]
        return Samples(**parts)


class Memory:
    """A rollout while it is played: arrays (turns, games, ...), used again for each rollout.

    What the networks see and what they say of it are tensors on their device from the moment that they are
    written; the positions have a row more, for that after the last turn. What the games tell is for compiled
    code on the CPU.

    Args:
        turns, games: of the rollout.
        colours, globals_, privileged: the shapes of a position's inputs.
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
        device: torch.device,
        dtype: torch.dtype,
    ) -> None:
        shape = (turns, games)
        positions = (turns + 1, games)
        self.colours, self.globals_, self.privileged = (
            torch.empty((*positions, *rest), dtype=dtype, device=device)
            for rest in (colours, globals_, privileged)
        )
        self.legal = torch.empty((*positions, MAX_LEGAL), dtype=torch.int16, device=device)
        self.places = torch.empty(shape, dtype=torch.int64, device=device)
        self.log_probabilities = torch.empty(shape, device=device)
        self.values = torch.empty(shape, device=device)
        self.counts = np.empty(positions, np.int64)
        self.rewards = np.empty(shape, np.float32)
        self.ended = np.empty(shape, np.bool_)
        self.movers = np.empty(shape, np.int8)
        self.weights = np.empty(shape, np.float32)
        self.decks = np.zeros(shape, np.int64)

    def __len__(self) -> int:
        return len(self.places)

    def to_device(self, array: np.ndarray) -> Tensor:
        """A tensor on the device of the inputs; on the CPU it shares memory with the array."""
        return torch.from_numpy(array).to(self.colours.device)

    def rollout(self, last_values: Tensor, last_movers: np.ndarray, gae_lambda: float) -> Rollout:
        """What there is to learn from; shares the memory of the inputs.

        Args:
            last_values, last_movers: (games,), of the positions after the last turn.
            gae_lambda: see `advantages`.
        """
        turns, _ = self.places.shape
        history = History(
            self.to_device(self.rewards),
            self.values,
            self.to_device(self.movers),
            self.to_device(self.ended),
            last_values,
            self.to_device(last_movers),
        )
        estimates = advantages(history, gae_lambda)

        def flat(tensor: Tensor) -> Tensor:
            return tensor[:turns].flatten(0, 1)

        return Rollout(
            colours=flat(self.colours),
            globals_=flat(self.globals_),
            privileged=flat(self.privileged),
            legal=flat(self.legal),
            counts=self.counts[:turns].reshape(-1),
            places=flat(self.places),
            log_probabilities=flat(self.log_probabilities),
            advantages=flat(estimates),
            returns=flat(estimates + self.values),
            decks=flat(self.to_device(self.decks)),
            weights=flat(self.to_device(self.weights)),
        )


def minibatches(
    generators: Sequence[np.random.Generator], rollouts: Sequence[Rollout], size: int
) -> list[list[tuple[Rollout, Tensor, int]]]:
    """One pass over the rollouts, each in the order of its generator: lists of arguments of `Rollout.select`.

    Each of the lists is a step of the optimiser: `size` samples of each rollout.
    """
    passes = []
    for generator, rollout in zip(generators, rollouts, strict=True):
        steps = len(rollout.counts) // size
        order = generator.permutation(len(rollout.counts))
        widths = rollout.counts[order[: steps * size]].reshape(steps, size).max(axis=1).tolist()
        index = torch.from_numpy(order).to(rollout.places.device)
        passes.append([(rollout, index[k * size : (k + 1) * size], widths[k]) for k in range(steps)])
    return [list(step) for step in zip(*passes, strict=True)]
