"""Memory for a long loop."""

import gc
import platform
import subprocess
import sys

import pytest

from training.steady import steady_memory


def test_what_was_alive_is_not_looked_at_inside() -> None:
    before = gc.get_freeze_count()
    with steady_memory():
        assert gc.get_freeze_count() > before
    assert gc.get_freeze_count() == 0


def test_it_ends_with_an_error_too() -> None:
    with pytest.raises(KeyError), steady_memory():
        raise KeyError
    assert gc.get_freeze_count() == 0


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="asks glibc")
def test_freed_memory_stays_with_the_process() -> None:
    """In a process of its own, for it stays so."""
    before, inside = subprocess.run(
        [sys.executable, "-c", PAGES_HANDED_OVER], capture_output=True, text=True, check=True
    ).stdout.split()
    assert int(before) > 10_000
    assert int(inside) < 100


PAGES_HANDED_OVER = """
import ctypes, resource
from training.steady import steady_memory

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes, libc.free.argtypes = [ctypes.c_size_t], [ctypes.c_void_p]

def pages(sizes):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for mib in sizes:
        array = libc.malloc(mib << 20)
        ctypes.memset(array, 1, mib << 20)
        libc.free(array)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

sizes = (1, 2, 4, 8, 16, 24)
print(pages(sizes))
with steady_memory():
    pages([30])
    print(pages(sizes))
"""
