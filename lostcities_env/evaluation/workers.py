"""Work spread over processes: results as they come, and nothing left behind by an interruption."""

import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from typing import TypeVar

from lostcities_env.agents.guests import TrustWarning

_THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
Task = TypeVar("Task", bound=Hashable)
Result = TypeVar("Result")


def usable_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_all(
    function: Callable[[Task], Result], tasks: Sequence[Task], workers: int
) -> Generator[tuple[Task, Result], None, None]:
    """Tasks and what the function makes of them, as they are finished.

    Args:
        function: can be pickled, as the tasks can, if there is more than one worker.
        tasks: each once.
        workers: one works in this process; more are new processes.
    """
    workers = min(workers, len(tasks))
    if workers <= 1:
        yield from ((task, function(task)) for task in tasks)
        return
    others = set(multiprocessing.active_children())
    with one_thread_each():
        executor = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _prepare_worker)
        futures = {executor.submit(function, task): task for task in tasks}
    try:
        for future in as_completed(futures):
            yield futures[future], future.result()
    except BaseException:
        # Whoever interrupts does not want to wait for the tasks in hand.
        executor.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    executor.shutdown()


def _prepare_worker() -> None:
    """An interrupt reaches the first process too, which ends its workers; they also end when it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore", TrustWarning)  # for the first process to say
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Processes started within have one thread for matrix products: a core each is taken already."""
    before = {name: os.environ.get(name) for name in _THREAD_LIMITS}
    os.environ.update(dict.fromkeys(_THREAD_LIMITS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
