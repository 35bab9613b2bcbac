"""How every kernel of this package is compiled, and how their cache stays true.

Numba keeps compiled kernels beside the source file and discards them when *that file* changes; a kernel
also holds code of the kernels that it calls, in other files. Folders call one way (rules <- agents, envs
<- evaluation <- analysis <- training), so a folder's cached kernels are dropped whenever a source in it
or in a folder below it is newer. It costs a few `stat` calls an import.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parents[1]
_FOLDERS_FROM_BELOW = ("rules", "agents", "envs", "evaluation", "analysis", "../training")


def kernel(function: F) -> F:
    """Compiles `function` on its first call (machine code cached on disk; releases the GIL)."""
    return cast(F, njit(cache=True, nogil=True, error_model="numpy")(function))


def _drop_stale_cache(package: Path = _PACKAGE) -> None:
    newest_source = 0
    for name in _FOLDERS_FROM_BELOW:
        for source in (package / name).glob("*.py"):
            newest_source = max(newest_source, source.stat().st_mtime_ns)
        for cached in (package / name / "__pycache__").glob("*.nb[ic]"):
            with suppress(OSError):  # another process may be at it, or the folder be read-only
                if cached.stat().st_mtime_ns < newest_source:
                    cached.unlink()


_drop_stale_cache()
