"""Reduce graphs to a checksum of what they hold, whatever file or machine they come from."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annealco.graph.formats.storage import check_regular
from annealco.graph.graph import Graph

MOST_BYTES = 2**32
"""No file of a set comes near it."""

_TYPES = {"b": "<i8", "i": "<i8", "u": "<i8", "f": "<f8"}


def fingerprint(graph: Graph) -> str:
    """Return the SHA-256 of all arrays with their names and shapes; the type that holds them makes no difference.

    Example:
        >>> pair = Graph.from_edges([[0], [1]])
        >>> fingerprint(pair) == fingerprint(Graph.from_edges([[1], [0]])), len(fingerprint(pair))
        (True, 64)
    """
    arrays: dict[str, NDArray[Any]] = {
        "node_ptr": graph.node_ptr,
        "edges": graph.edges,
        "node_weight": graph.node_weight,
        "edge_weight": graph.edge_weight,
    }
    arrays |= {f"node.{key}": array for key, array in graph.node_data.items()}
    arrays |= {f"graph.{key}": array for key, array in graph.graph_data.items()}
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {list(array.shape)} ".encode())
        if array.dtype.kind in _TYPES:
            digest.update(np.ascontiguousarray(array, dtype=_TYPES[array.dtype.kind]).data)
        else:
            digest.update("\0".join(map(str, array.ravel().tolist())).encode())
    return digest.hexdigest()


def file_digest(path: Path, *, place: str = "") -> str:
    """Return the SHA-256 of a file's bytes, after those of the place that it belongs to.

    Raises:
        GraphFileError: for what is no regular file, whose end may never come, and for one that is too large.
    """
    check_regular(path, MOST_BYTES)
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.sha256(place.encode())).hexdigest()
