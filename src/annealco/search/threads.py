"""How many threads work on graphs and restarts in parallel; no result depends on it."""

from __future__ import annotations

import os
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYetError
from typing import TypeVar

from annealco.graph.errors import InputError

Result = TypeVar("Result")

LOOK_SECONDS = 0.02
"""How often a thread that waits for another one wakes, so that the main thread answers signals."""


def count_threads(num_threads: int | None) -> int:
    """Return the number of threads asked for, by default the processors this program may use."""
    if num_threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if num_threads < 1:
        raise InputError(f"num_threads must be at least 1, it is {num_threads}")
    return num_threads


def result_of(task: Future[Result]) -> Result:
    """Return the result of a task in another thread, and answer Ctrl-C meanwhile.

    Python handles signals in its main thread. Where the system delivers a signal to another thread, a main thread that
    waits without a timeout goes on waiting.

    Example:
        >>> from concurrent.futures import ThreadPoolExecutor
        >>> with ThreadPoolExecutor(1) as pool:
        ...     result_of(pool.submit(sum, [1, 2]))
        3
    """
    while True:
        try:
            return task.result(timeout=LOOK_SECONDS)
        except NotYetError:
            # The task itself may have raised this.
            if task.done():
                return task.result()
