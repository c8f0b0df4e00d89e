"""Load a named set of graphs, or a split of it."""

from __future__ import annotations

from os import PathLike

from annealco.arguments import as_integer
from annealco.datasets.cache import (
    CHUNK,
    check_count,
    check_memory,
    download,
    find_file,
    make_chunks,
    present_chunks,
    read_chunk,
    read_file,
    split_folder,
)
from annealco.datasets.registry import Dataset, find_dataset
from annealco.datasets.splits import DEFAULT_COUNTS, check_split, members
from annealco.errors import InputError
from annealco.graph.generators.presets import MAX_SEED
from annealco.graph.graph import Graph


def load_dataset(
    name: str,
    split: str = "train",
    *,
    count: int | None = None,
    seed: int = 0,
    data_root: str | PathLike[str] | None = None,
) -> Graph:
    """Load a split of a named set.

    Synthetic graphs are drawn the first time and kept in the cache (``ANNEALCO_CACHE``). Real ones are read from the
    data folder; where they are missing there, their public archive is downloaded, converted and kept in the cache.

    Args:
        name: a key of `DATASETS`.
        split: ``train``, ``validation``, ``test``, or ``all``.
        count: the first so many graphs; of a synthetic split any number, by default 2,000, 500 or 500.
        seed: of the streams of a synthetic set, or of the shuffle before a real one is split; 0 is the set that tables
            speak of.
        data_root: the data folder, by default ``ANNEALCO_DATA``.

    Raises:
        InputError: for unknown names, numbers out of range, damaged files, and sets that are not available.

    Example:
        >>> load_dataset("ba-small", "test", count=3)  # doctest: +SKIP
        Graph(3 graphs, 792 nodes, 3120 edges)
    """
    dataset = find_dataset(name)
    check_split(split)
    as_integer("seed", seed, 0, MAX_SEED)
    if count is not None:
        check_count(count)
    if dataset.kind == "synthetic":
        wanted = split_counts(split, count)
        check_memory(dataset, sum(wanted.values()))
        return Graph.batch([_load_drawn(dataset, each, number, seed) for each, number in wanted.items()])
    return _load_stored(dataset, split, count, seed, data_root)


def split_counts(split: str, count: int | None) -> dict[str, int]:
    """Return how many graphs are wanted of each split of a synthetic set.

    Example:
        >>> split_counts("test", None), split_counts("all", 2100)
        ({'test': 500}, {'train': 2000, 'validation': 100, 'test': 0})
    """
    if split != "all":
        return {split: DEFAULT_COUNTS[split] if count is None else count}
    left = sum(DEFAULT_COUNTS.values()) if count is None else count
    counts = {}
    for each, most in DEFAULT_COUNTS.items():
        counts[each] = min(left, most)
        left -= counts[each]
    if left:
        raise InputError(f"all splits have {sum(DEFAULT_COUNTS.values()):,} graphs; of more, load one split")
    return counts


def _load_drawn(dataset: Dataset, split: str, count: int, seed: int) -> Graph:
    for _ in make_chunks(dataset, split, seed=seed, count=count):
        pass
    chunks = present_chunks(split_folder(dataset, split, seed))
    parts = [read_chunk(chunks[start]) for start in range(0, count, CHUNK)]
    if parts:
        parts[-1] = parts[-1][: (count - 1) % CHUNK + 1]
    return Graph.batch(parts)


def _load_stored(
    dataset: Dataset, split: str, count: int | None, seed: int, data_root: str | PathLike[str] | None
) -> Graph:
    graph = read_file(dataset, find_file(dataset, data_root) or download(dataset))
    picked = members(dataset.name, split, graph.num_graphs, seed)
    if count is not None and count > len(picked):
        raise InputError(f"{dataset.name} has {len(picked):,} graphs in {split!r}, {count:,} are wanted")
    if split == "all" and count is None:
        return graph
    return graph[picked[:count]]
