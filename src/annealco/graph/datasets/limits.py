"""Refuse sets that do not fit into memory or on the disk before any of their graphs is drawn."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from annealco.graph.datasets.dataset import Dataset
from annealco.graph.datasets.splits import BLOCK
from annealco.graph.errors import InputError
from annealco.graph.generators.arguments import as_integer

NODE_BYTES, EDGE_BYTES = 64, 32
"""Memory a node and an edge take while parts of a batch are put together."""

STORED_EDGE_BYTES = 1.5
"""Room on the disk an edge takes at most: a small integer for either end, compressed."""


def check_count(count: int) -> int:
    """Return a number of graphs that a split can have."""
    return as_integer("count", count, 0, BLOCK)


def check_memory(dataset: Dataset, count: int) -> None:
    """Raise InputError where so many graphs cannot be held at once."""
    needed = count * (dataset.mean_nodes * NODE_BYTES + dataset.mean_edges * EDGE_BYTES)
    _compare(dataset, count, needed, _memory(), "memory")


def check_disk(dataset: Dataset, count: int, folder: Path) -> None:
    """Raise InputError where so many graphs cannot be stored; the folder may be missing yet."""
    there = next((each for each in (folder, *folder.parents) if each.is_dir()), Path.cwd())
    needed = count * (dataset.mean_nodes + dataset.mean_edges) * STORED_EDGE_BYTES
    _compare(dataset, count, needed, shutil.disk_usage(there).free, f"room in {there}")


def _compare(dataset: Dataset, count: int, needed: float, available: float | None, what: str) -> None:
    if available is not None and needed > available:
        rule = (
            f"{count:,} graphs of {dataset.name} need about {_gib(needed)} GiB of {what}, {_gib(available)} are there"
        )
        raise InputError(f"{rule}; ask for a smaller count")


def _gib(size: float) -> str:
    return f"{size / 2**30:,.1f}"


def _memory() -> float | None:
    """Return the memory of the machine in bytes, or None where the system does not tell."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
