"""How many threads work on graphs and restarts in parallel; no result depends on it."""

from __future__ import annotations

import os

from annealco.graph.errors import InputError


def count_threads(num_threads: int | None) -> int:
    """Return the number of threads asked for, by default the processors this program may use."""
    if num_threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if num_threads < 1:
        raise InputError(f"num_threads must be at least 1, it is {num_threads}")
    return num_threads
