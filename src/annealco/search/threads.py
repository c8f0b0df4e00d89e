"""Run a compiled kernel over many graphs and restarts in parallel threads.

Kernels release the interpreter's lock, and graphs as well as restarts are independent: how the work is cut and how many
threads do it never changes a result. A pool of threads instead of Numba's own parallel loops lets a program call this
from threads of its own, and spares a second compilation of every kernel.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import TypeVar

import numpy as np

from annealco.graph.errors import InputError
from annealco.graph.segments import IntArray

Work = TypeVar("Work")

CHUNKS_PER_THREAD = 4
"""Graphs differ: with several chunks a thread, a slow one does not keep all others waiting."""

LEAST_CHUNK = 2000
"""Nodes below which a chunk is not worth a thread's while."""


def count_threads(num_threads: int | None) -> int:
    """Return the number of threads asked for, by default the processors this program may use."""
    if num_threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if num_threads < 1:
        raise InputError(f"num_threads must be at least 1, it is {num_threads}")
    return num_threads


def for_each_graph(
    node_ptr: IntArray,
    num_rows: int,
    prepare: Callable[[int], Work],
    run: Callable[[Work, int, int], None],
    *,
    num_threads: int | None = None,
) -> None:
    """Call ``run(prepare(row), first, last)`` such that all graphs of all rows are run once.

    Args:
        node_ptr: [num_graphs + 1] node offsets.
        num_rows: how many restarts.
        prepare: makes what a row works on; called once a row.
        run: works on the graphs from first to last, without last.
        num_threads: all processors by default.
    """
    threads = count_threads(num_threads)
    if num_rows >= threads:
        # What a row works on lives no longer than its turn: many restarts need no more memory than a few.
        whole = len(node_ptr) - 1
        _run_all([partial(_run_row, prepare, run, row, whole) for row in range(num_rows)], threads)
        return
    works = [prepare(row) for row in range(num_rows)]
    chunks = cut_evenly(node_ptr, -(-CHUNKS_PER_THREAD * threads // max(num_rows, 1)))
    _run_all([partial(run, work, *chunk) for work in works for chunk in chunks], threads)


def _run_row(prepare: Callable[[int], Work], run: Callable[[Work, int, int], None], row: int, num_graphs: int) -> None:
    run(prepare(row), 0, num_graphs)


def cut_evenly(node_ptr: IntArray, num_chunks: int) -> list[tuple[int, int]]:
    """Cut the graphs into at most so many runs of about the same number of nodes.

    Example:
        >>> cut_evenly(np.array([0, 3000, 6000, 6000, 9000]), 3)
        [(0, 1), (1, 2), (2, 4)]
    """
    num_graphs = len(node_ptr) - 1
    num_chunks = max(1, min(num_chunks, int(node_ptr[-1]) // LEAST_CHUNK))
    goals = np.arange(1, num_chunks) * int(node_ptr[-1]) / num_chunks
    inner = np.searchsorted(node_ptr, goals)
    bounds = np.unique(np.concatenate([[0], inner, [num_graphs]])).tolist()
    return list(pairwise(bounds))


def _run_all(tasks: list[Callable[[], None]], threads: int) -> None:
    if threads == 1 or len(tasks) <= 1:
        for task in tasks:
            task()
        return
    with ThreadPoolExecutor(threads) as pool:
        for future in [pool.submit(task) for task in tasks]:
            future.result()
