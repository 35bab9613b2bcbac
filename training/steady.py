"""Memory for a long loop that does the same again and again."""

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# Parameters of mallopt, of glibc's malloc.h.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3


@contextmanager
def steady_memory() -> Iterator[None]:
    """Spares the loop inside what the interpreter and the C library would do over and over.

    What is alive at the start is not looked at by the collection of garbage; what somebody has frozen before
    stays frozen. Where the C library is glibc, freed memory stays with the process, for the rest of its life:
    an update frees its large arrays and takes them again, and the kernel would hand over each page anew.
    """
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is not None:
            mallopt(_M_TRIM_THRESHOLD, 2**31 - 1)
            mallopt(_M_MMAP_THRESHOLD, 32 * 2**20)  # the most that it takes
    if gc.get_freeze_count():
        yield
        return
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
