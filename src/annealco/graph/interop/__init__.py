"""Convert graphs from and to the containers of other libraries.

Only the files here know networkx, igraph, SciPy sparse matrices and PyG data, one file each. None of these is imported
before something is converted *to* it, and what is given is recognised by the names of its classes.

Nodes and edges without a weight weigh 1; on the way out weights are written only where not all of them are 1.
Self-loops and duplicate edges follow the rule of :mod:`annealco.graph.validation`; directed graphs are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.interop.containers import as_numpy, is_a, type_name
from annealco.graph.interop.igraph_graphs import from_igraph, to_igraph
from annealco.graph.interop.networkx_graphs import from_networkx, to_networkx
from annealco.graph.interop.pyg_data import from_pyg, to_pyg
from annealco.graph.interop.scipy_matrices import from_scipy, to_scipy

__all__ = [
    "as_graph",
    "from_igraph",
    "from_networkx",
    "from_pyg",
    "from_scipy",
    "holds_graphs",
    "to_igraph",
    "to_networkx",
    "to_pyg",
    "to_scipy",
]

ACCEPTED = "Graph, networkx, igraph, SciPy sparse, PyG Data or Batch, edge array [2, num_edges], or a list of these"


def as_graph(source: Any) -> Graph:
    """Make a graph of any container the library accepts; a list or tuple of containers becomes a batch.

    An edge array [2, num_edges] lists every edge once, in either direction; its nodes reach to the largest id. A list
    of flat rows is an edge array, any other list holds containers, and an empty list is a batch of no graphs.

    Raises:
        InputError: for a type it does not know, and for what the ``from_...`` functions refuse.

    Example:
        >>> import scipy.sparse
        >>> as_graph([[0, 1], [1, 2]])
        Graph(3 nodes, 2 edges)
        >>> as_graph([scipy.sparse.csr_array([[0, 1], [1, 0]]), [[0, 1], [1, 2]]])
        Graph(2 graphs, 5 nodes, 3 edges)
    """
    if isinstance(source, Graph):
        return source
    if isinstance(source, (list, tuple)):
        return Graph.batch([as_graph(item) for item in source]) if holds_graphs(source) else _from_array(source)
    for kind, reader in _READERS.items():
        if is_a(source, *kind):
            return reader(source)
    raise InputError(f"cannot read a graph from {type_name(source)}; accepted: {ACCEPTED}")


def holds_graphs(source: list[Any] | tuple[Any, ...]) -> bool:
    """Tell a list of containers from the rows of an edge array."""
    return len(source) == 0 or not all(map(_is_row, source))


def _from_array(source: Any) -> Graph:
    rows = [as_numpy(row) for row in source] if isinstance(source, (list, tuple)) else as_numpy(source)
    try:
        edges = np.asarray(rows)
    except ValueError:
        raise InputError("its two rows must be of one length", origin="edge array") from None
    if edges.ndim != 2 or edges.shape[0] != 2:
        hint = "transpose an array of pairs, and give an adjacency matrix as scipy.sparse.csr_array"
        raise InputError(f"its shape must be [2, num_edges], not {list(edges.shape)}; {hint}", origin="edge array")
    return Graph.from_edges(edges, origin="edge array")


_READERS: dict[tuple[str, str], Callable[[Any], Graph]] = {
    ("networkx", "Graph"): from_networkx,
    ("igraph", "Graph"): from_igraph,
    ("scipy", "sparray"): from_scipy,
    ("scipy", "spmatrix"): from_scipy,
    ("torch_geometric", "Data"): from_pyg,
    ("torch_geometric", "HeteroData"): from_pyg,
    ("torch", "Tensor"): _from_array,
    ("numpy", "ndarray"): _from_array,
}


def _is_row(item: Any) -> bool:
    if isinstance(item, (list, tuple, range)):
        return len(item) == 0 or isinstance(item[0], Real)
    return (is_a(item, "numpy", "ndarray") or is_a(item, "torch", "Tensor")) and item.ndim == 1
