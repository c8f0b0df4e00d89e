"""Convert from and to SciPy sparse adjacency matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from annealco.graph.adjacency import from_adjacency
from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.interop.containers import expect, import_package, single


def from_scipy(matrix: Any, *, node_weight: ArrayLike | None = None) -> Graph:
    """Read a symmetric SciPy sparse adjacency matrix, whose entries are the edge weights.

    Stored zeros are edges of weight 0, and True weighs 1. Entries that a COO matrix stores twice are duplicates; where
    they are meant to be added, call ``matrix.sum_duplicates()`` first.

    Args:
        matrix: [num_nodes, num_nodes] in any sparse format, array or matrix kind.
        node_weight: [num_nodes], 1 where absent.

    Raises:
        InputError: if the matrix is not square, not real, or not equal to its transpose.

    Example:
        >>> import scipy.sparse
        >>> from_scipy(scipy.sparse.csr_array([[0, 3], [3, 0]])).edge_weight.tolist()
        [3.0]
    """
    origin = "SciPy matrix"
    expect(matrix, "scipy", "sparray", "spmatrix")
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"an adjacency matrix must be square, this one has shape {list(matrix.shape)}", origin=origin)
    entries = matrix.tocoo()
    ends, weight = np.stack([entries.row, entries.col]), entries.data
    if matrix.format == "bsr":
        # Blocks are filled up with zeros, which nobody meant as edges.
        ends, weight = ends[:, weight != 0], weight[weight != 0]
    nodes, remedy = [0, matrix.shape[0]], "A + A.T, if each edge is stored once"
    return from_adjacency(ends, nodes, entry_weight=weight, node_weight=node_weight, origin=origin, remedy=remedy)


def to_scipy(graph: Graph) -> Any:
    """Make a ``scipy.sparse.csr_array`` [num_nodes, num_nodes] of a single graph's edge weights, float64.

    Labels and node weights have no place in a matrix and stay behind.
    """
    sparse = import_package("scipy.sparse", "scipy")
    shape = (single(graph, "SciPy").num_nodes, graph.num_nodes)
    return sparse.csr_array((graph.edge_weight[graph.edge_of_index], graph.indices, graph.indptr), shape, copy=True)
