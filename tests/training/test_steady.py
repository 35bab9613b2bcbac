"""Memory for a long loop."""

import gc
import os
import platform
import subprocess
import sys
from collections.abc import Iterator

import pytest

from training.steady import steady_memory


@pytest.fixture(autouse=True)
def nothing_frozen() -> Iterator[None]:
    gc.unfreeze()
    yield
    gc.unfreeze()


def test_what_was_alive_is_not_looked_at_inside() -> None:
    with steady_memory():
        assert gc.get_freeze_count() > 0
    assert gc.get_freeze_count() == 0


def test_it_ends_with_an_error_too() -> None:
    with pytest.raises(KeyError), steady_memory():
        raise KeyError
    assert gc.get_freeze_count() == 0


def test_what_others_froze_stays_frozen() -> None:
    gc.freeze()
    before = gc.get_freeze_count()
    with steady_memory(), steady_memory():
        pass
    assert gc.get_freeze_count() == pytest.approx(before, rel=0.01)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="asks glibc")
@pytest.mark.parametrize(
    "sizes",
    [
        pytest.param([[4], [8], [16], [24]], id="larger and larger"),  # each beyond what it has kept so far
        pytest.param([[12] * 8] * 3, id="many at once"),  # more than it would keep
    ],
)
def test_freed_memory_stays_with_the_process(sizes: list[list[int]]) -> None:
    """In a process of its own, for it stays so."""
    ours = ("MALLOC_", "GLIBC_TUNABLES", "LD_PRELOAD")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    done = subprocess.run(
        [sys.executable, "-c", PAGES_HANDED_OVER, repr(sizes)],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    before, inside = map(int, done.stdout.split())
    if before < 100:
        pytest.skip(f"the kernel counts {before} pages only")
    assert inside < before / 100


PAGES_HANDED_OVER = """
import ast, ctypes, resource, sys
from training.steady import steady_memory

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes, libc.free.argtypes = [ctypes.c_size_t], [ctypes.c_void_p]

def pages(sizes):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for mib in sizes:
        arrays = [(libc.malloc(n << 20), n << 20) for n in mib]
        for array, size in arrays:
            ctypes.memset(array, 1, size)
        for array, _ in arrays:
            libc.free(array)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

sizes = ast.literal_eval(sys.argv[1])
print(pages(sizes))
with steady_memory():
    larger = [[n + 6 for n in mib] for mib in sizes]
    pages(larger)
    print(pages(larger))
"""
