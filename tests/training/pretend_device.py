"""A device that is not there: its tensors lie in the CPU's memory, but know where they are said to be.

So a test on any machine finds what would fail or dawdle on a GPU: operations that mix devices raise, and what
is moved between them is noted. It stands on PyTorch's support for backends in Python, which is experimental.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils import backend_registration
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

NAME = "pretend"


# At once, for PyTorch must know of it before the first gradient is computed in this process.
try:
    backend_registration._setup_privateuseone_for_python_backend(NAME)
except (AttributeError, TypeError) as error:
    pytest.skip(f"this PyTorch takes no backends in Python: {error}", allow_module_level=True)


class PretendTensor(Tensor):
    """A tensor on the device; `numbers` are what it holds, on the CPU."""

    numbers: Tensor
    pretence: "PretendDevice"

    @staticmethod
    def __new__(cls, data: Tensor, pretence: "PretendDevice") -> "PretendTensor":
        """Wraps `data`."""
        self: PretendTensor = Tensor._make_wrapper_subclass(
            cls,
            data.shape,
            strides=data.stride(),
            storage_offset=data.storage_offset(),
            dtype=data.dtype,
            device=pretence.device,
        )
        self.numbers, self.pretence = data, pretence
        return self

    def tolist(self) -> Any:
        """As of any tensor; PyTorch has none for subclasses."""
        self.pretence.to_cpu.append(tuple(self.shape))
        return self.numbers.tolist()

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Every operation on such tensors."""
        own = next(leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, PretendTensor))
        return own.pretence.run(function, args, kwargs or {})


class PretendDevice(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """While it is entered, the device is there.

    Attributes:
        to_cpu, from_cpu: shapes of what was moved.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.device = torch.device(NAME, 0)
        self.to_cpu: list[tuple[int, ...]] = []
        self.from_cpu: list[tuple[int, ...]] = []

    def __torch_dispatch__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Every operation."""
        return self.run(function, args, kwargs or {})

    def run(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What `function` gives, on the CPU, said to be where it would be.

        Raises:
            RuntimeError: if the arguments are on different devices.
        """
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        own = [tensor for tensor in tensors if isinstance(tensor, PretendTensor)]
        copies = function is torch.ops.aten.copy_.default
        if (
            own
            and not copies
            and any(tensor.dim() for tensor in tensors if not isinstance(tensor, PretendTensor))
        ):
            raise RuntimeError(f"{function}: arguments on {self.device} and on the CPU")
        here = bool(own)
        if copies:
            here = isinstance(args[0], PretendTensor)
        elif kwargs.get("device") is not None:
            here = torch.device(kwargs["device"]).type == NAME
            kwargs = kwargs | {"device": torch.device("cpu")}
        moves = copies or function is torch.ops.aten._to_copy.default
        if function is torch.ops.aten._local_scalar_dense.default or (moves and own and not here):
            self.to_cpu.append(tuple(tensors[-1].shape))
        elif moves and here and len(own) < len(tensors):
            self.from_cpu.append(tuple(tensors[-1].shape))
        args, kwargs = tree_map(_numbers, (args, kwargs))
        with torch._C._DisableTorchDispatch():
            out = function(*args, **kwargs)
        if not here:
            return out
        wrapped = {id(tensor.numbers): tensor for tensor in own}  # an operation in place gives its argument

        def wrap(value: Any) -> Any:
            if not isinstance(value, Tensor):
                return value
            return wrapped[id(value)] if id(value) in wrapped else PretendTensor(value, self)

        return tree_map(wrap, out)


def _numbers(value: Any) -> Any:
    return value.numbers if isinstance(value, PretendTensor) else value
