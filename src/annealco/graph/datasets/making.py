"""Make the chunks of a drawn set that the cache lacks, in parallel processes.

The processes are programs of their own: they neither inherit threads nor need the caller's script to be importable.
They end with the caller, for then nobody reads what they report.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from annealco.graph.datasets.chunks import CHUNK, make_chunk, present_chunks, split_folder
from annealco.graph.datasets.dataset import Dataset
from annealco.graph.datasets.limits import check_count, check_disk
from annealco.graph.errors import InputError

WORTH_A_PROCESS = 400_000
"""Edges that take about as long to draw as a process takes to start."""

STALE_SECONDS = 3600
"""Age at which an unfinished file is nobody's any longer."""


def make_chunks(dataset: Dataset, split: str, *, seed: int, count: int, processes: int | None = None) -> Iterator[int]:
    """Put the first ``count`` graphs of a split into the cache, and yield the number of each chunk as it is done.

    Args:
        dataset: a drawn set.
        split: one of its three.
        seed: of the set.
        count: rounded up to whole chunks.
        processes: how many draw; by default one for each processor, and none but this where there is little to do.

    Raises:
        InputError: where the graphs do not fit on the disk, or a process failed.
    """
    folder = split_folder(dataset, split, seed)
    there = present_chunks(folder)
    check_disk(dataset, max(0, check_count(count) - len(there) * CHUNK), folder)
    missing = [start for start in range(0, count, CHUNK) if start not in there]
    if processes is None:
        work = len(missing) * CHUNK * (dataset.mean_nodes + dataset.mean_edges)
        processes = min(_num_processors(), 1 + int(work // WORTH_A_PROCESS))
    if min(processes, len(missing)) > 1:
        yield from _in_parallel(dataset, split, seed, count, min(processes, len(missing)))
    else:
        for start in missing:
            make_chunk(dataset, split, seed=seed, start=start)
            yield start
    if missing:
        _remove_stale(folder)


def _in_parallel(dataset: Dataset, split: str, seed: int, count: int, processes: int) -> Iterator[int]:
    """Run processes that take turns, each with every so-manieth chunk, and report on one pipe."""
    reading, writing = os.pipe()
    source = str(Path(__file__).parents[3])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([source, *filter(None, [os.environ.get("PYTHONPATH")])])}
    command = [sys.executable, "-m", "annealco.graph.datasets.worker", dataset.name, split, str(seed), str(count)]
    running: list[subprocess.Popen[bytes]] = []
    try:
        with os.fdopen(reading, encoding="utf-8") as reports:
            try:
                for turn in range(processes):
                    own = [*command, str(turn), str(processes)]
                    running.append(subprocess.Popen(own, stdout=writing, env=environment))  # noqa: S603 (our program)
            finally:
                os.close(writing)
            for line in reports:
                word, _, rest = line.strip().partition(" ")
                if word != "done":
                    raise InputError(rest)
                yield int(rest)
        if any(process.wait() for process in running):
            raise InputError(f"{dataset.name}: a process that drew graphs was ended; start again to go on")
    finally:
        for process in running:
            process.terminate()
            process.wait()


def _num_processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _remove_stale(folder: Path) -> None:
    """Remove what processes left that were killed while they wrote."""
    for path in folder.glob(".*.tmp"):
        try:
            if time.time() - path.stat().st_mtime > STALE_SECONDS:
                path.unlink()
        except FileNotFoundError:
            pass  # Another process was faster.
