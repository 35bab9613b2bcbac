"""One process or several: who plays which shards, and what they agree on.

``torchrun`` starts several; they talk by gloo on CPUs and by NCCL on GPUs.
"""

import math
import os
from collections.abc import Sequence
from typing import Any

import torch
import torch.distributed as dist

# Its functions take the process group of the moment as a default argument. Imported later (optimisers do it),
# they keep the connection's threads to the very end, where one that wants the interpreter aborts the process.
import torch.distributed.nn.functional
from torch import Tensor, nn

from training.config import ConfigError


class Processes:
    """This process among those of the run; a context that ends their connection.

    Args:
        device: ``"cpu"`` or ``"cuda"`` (each process then takes the GPU of its local rank).

    Raises:
        ConfigError: if the device is unknown or not there.
    """

    def __init__(self, device: str) -> None:
        if device not in ("cpu", "cuda"):
            raise ConfigError(f"no device {device!r}; there are cpu, cuda")
        if device == "cuda" and not torch.cuda.is_available():
            raise ConfigError("device 'cuda' is not available here; use cpu")
        self.count = int(os.environ.get("WORLD_SIZE", "1"))
        self.rank = int(os.environ.get("RANK", "0"))
        local = int(os.environ.get("LOCAL_RANK", "0"))
        self.device = torch.device(device, local) if device == "cuda" else torch.device(device)
        if device == "cuda":
            torch.cuda.set_device(self.device)
        if self.count > 1:
            dist.init_process_group("nccl" if device == "cuda" else "gloo")

    def __enter__(self) -> "Processes":
        return self

    def __exit__(self, *_: object) -> None:
        if self.count > 1:
            dist.destroy_process_group()

    @property
    def first(self) -> bool:
        """Whether this process writes files and shows progress."""
        return self.rank == 0

    def share(self, shards: int) -> range:
        """The shards of this process.

        Raises:
            ConfigError: if they can't be shared out evenly.
        """
        if shards % self.count:
            raise ConfigError(f"{shards} shard(s) can't be shared out among {self.count} processes")
        each = shards // self.count
        return range(self.rank * each, (self.rank + 1) * each)

    def average_gradients(self, net: nn.Module) -> None:
        """Replaces each gradient by its mean over the processes."""
        if self.count == 1:
            return
        gradients = [parameter.grad for parameter in net.parameters() if parameter.grad is not None]
        flat = torch.cat([gradient.reshape(-1) for gradient in gradients])
        dist.all_reduce(flat)
        flat /= self.count
        start = 0
        for gradient in gradients:
            gradient.copy_(flat[start : start + gradient.numel()].view_as(gradient))
            start += gradient.numel()

    def total(self, sums: Tensor) -> Tensor:
        """The sum of a tensor over the processes, on their device."""
        sums = sums.to(self.device)
        if self.count > 1:
            dist.all_reduce(sums)
        return sums

    def mean(self, values: Sequence[float]) -> float:
        """The mean of the values of all processes; NaN if there are none."""
        sums = torch.tensor([len(values), sum(values)], dtype=torch.float64)
        count, total = self.total(sums).tolist()
        return total / count if count else math.nan

    def variance(self, values: Tensor) -> float:
        """The variance of the values (n,) of all processes."""
        doubles = values.double()
        moments = torch.stack([torch.ones_like(doubles), doubles, doubles**2]).sum(dim=1)
        count, total, squares = self.total(moments).tolist()
        return squares / count - (total / count) ** 2

    def agree(self, *wishes: bool) -> tuple[bool, ...]:
        """For each wish, whether any process has it."""
        if self.count == 1:
            return wishes
        votes = torch.tensor([float(wish) for wish in wishes], device=self.device)
        dist.all_reduce(votes)
        return tuple(vote > 0 for vote in votes.tolist())

    def gather(self, item: Any) -> list[Any]:
        """The items of all processes, in order."""
        if self.count == 1:
            return [item]
        items: list[Any] = [None] * self.count
        dist.all_gather_object(items, item)
        return items
