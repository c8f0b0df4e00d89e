"""Graphs to learn from: named data sets and files, split into train, validation and test.

Named sets have their own splits, of which the parts of real ones lose the graphs that stand in a later part too; files
are shuffled and split 60/20/20. In both cases a part depends on the name (or
the files), the part and the seed alone. Names joined by + are a mixture, in equal shares or in those that are given:
``rb-small:3+twitter`` has three graphs of the one to a graph of the other.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from itertools import accumulate, pairwise
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from annealco.graph.datasets import DATASETS, load_dataset
from annealco.graph.errors import GraphFileError, InputError
from annealco.graph.formats import FORMATS, read_graph
from annealco.graph.graph import Graph
from annealco.terminal import watched

SPLITS = {"train": 0.6, "validation": 0.2, "test": 0.2}
"""The parts, and their shares of the graphs in files."""

Source = str | PathLike[str] | Sequence[str | PathLike[str]] | Graph
"""A name of a data set, files or folders of them, or graphs."""


def load_graphs(source: Source, split: str, count: int | None = None, seed: int = 0) -> Graph:
    """Return the graphs of one part of a data set.

    Args:
        source: a name in `DATASETS` or several joined by + (each with its share behind a colon where they are not
            equal), a graph file, a folder of graph files, a list of files and folders, or graphs.
        split: ``train``, ``validation`` or ``test``.
        count: how many graphs of a set that is drawn on demand, and the most of others; all by default.
        seed: of the draws, and of the shuffle of files.

    Raises:
        InputError: for an unknown name or split, unreadable files, and too few graphs to split.

    Example:
        >>> load_graphs("ba-small", "train", 2).num_graphs  # doctest: +SKIP
        2
    """
    if split not in SPLITS:
        raise InputError(f"unknown split {split!r}; choose one of {', '.join(SPLITS)}")
    if count is not None and count < 1:
        raise InputError(f"a data set needs at least 1 graph for {split}, {count} are asked for")
    if isinstance(source, str) and "+" in source and not _exists(source):
        return _mixture(source.split("+"), split, count, seed)
    if isinstance(source, str) and source in DATASETS:
        if DATASETS[source].kind == "synthetic":
            return load_dataset(source, split, count=count, seed=seed)
        return _without_twins(source, split, seed)[:count]
    graphs = source if isinstance(source, Graph) else _read(source)
    return graphs[_part(graphs.num_graphs, split, seed)[:count]]


def _without_twins(name: str, split: str, seed: int) -> Graph:
    """Return a part of a real set without the graphs that stand, node by node the same, in a later part too.

    Real sets hold many graphs several times: what is learned from must not be what is tested on.
    """
    graphs = load_dataset(name, split, seed=seed)
    later = list(SPLITS)[list(SPLITS).index(split) + 1 :]
    taken = {fingerprint(each) for other in later for each in load_dataset(name, other, seed=seed)}
    return graphs[np.flatnonzero([fingerprint(each) not in taken for each in graphs])]


def _mixture(parts: list[str], split: str, count: int | None, seed: int) -> Graph:
    """Return shares of some sets, one after the other; a set that has fewer graphs gives all it has."""
    names, shares = zip(*[_share(part) for part in parts], strict=True)
    if count is None:
        return Graph.batch([load_graphs(name, split, None, seed) for name in names])
    ends = [count * end // sum(shares) for end in accumulate(shares, initial=0)]
    counts = [last - first for first, last in pairwise(ends)]
    if min(counts) < 1:
        raise InputError(f"{count} graphs for {split} are too few for the shares of {'+'.join(parts)}")
    return Graph.batch([load_graphs(name, split, own, seed) for name, own in zip(names, counts, strict=True)])


def _share(part: str) -> tuple[str, int]:
    """Return the name and the share of a part of a mixture, 1 where none is given."""
    name, colon, share = part.partition(":")
    if name not in DATASETS:
        raise InputError(f"no set {name!r} to mix; choose of {', '.join(DATASETS)}")
    if colon and not re.fullmatch("[1-9][0-9]{0,5}", share):
        raise InputError(f"the share of {name} in a mixture must be a whole number from 1 to 999999, it is {share!r}")
    return name, int(share or 1)


def _part(total: int, split: str, seed: int) -> Any:
    """Return the positions of the graphs of a part, in ascending order."""
    if total < len(SPLITS):
        raise InputError(f"at least {len(SPLITS)} graphs are needed to split them, there are {total}")
    names = list(SPLITS)
    # Every part gets a graph, however few there are.
    inner = np.round(np.cumsum([SPLITS[name] for name in names])[:-1] * total).astype(int)
    inner = np.clip(inner, [1, 2], [total - 2, total - 1])
    order = np.random.default_rng(seed).permutation(total)
    return np.sort(np.split(order, inner)[names.index(split)])


def _read(source: str | PathLike[str] | Sequence[str | PathLike[str]]) -> Graph:
    paths = [source] if isinstance(source, str | PathLike) else list(source)
    if not paths:
        raise InputError("no data is given")
    files = [file for path in paths for file in _files(Path(path), str(path))]
    graphs = Graph.batch([read_graph(file) for file in watched(files, "reading")])
    # Names and labels of nodes are of no use here, and slow to slice.
    kept = {"planted": graphs.node_data["planted"]} if "planted" in graphs.node_data else {}
    return Graph(graphs.node_ptr, graphs.edges, graphs.node_weight, graphs.edge_weight, node_data=kept)


def _files(path: Path, given: str) -> list[Path]:
    """Return a file, or the graph files of a folder by name."""
    if not _exists(path):
        choices = ", ".join(DATASETS)
        raise InputError(f"no data {given!r}: it is neither a file or folder nor one of {choices}")
    if not path.is_dir():
        return [path]
    endings = tuple(ending + more for each in FORMATS.values() for ending in each.extensions for more in ("", ".gz"))
    files = sorted(each for each in path.iterdir() if each.is_file() and each.name.lower().endswith(endings))
    if not files:
        raise GraphFileError(path, "this folder has no graph files")
    return files


def _exists(path: str | Path) -> bool:
    """Tell whether there is such a file or folder; of a name that none can have there is not."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def fingerprint(graphs: Graph) -> str:
    """Return a digest of nodes, edges and weights, by which graphs are known again."""
    digest = hashlib.sha256()
    for array in (graphs.node_ptr, graphs.edges, graphs.node_weight, graphs.edge_weight):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()[:16]
