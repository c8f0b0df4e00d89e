"""The adjacency of a graph as rows with weights, for compiled diffusions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.graph.graph import Graph
from annealco.graph.segments import FloatArray, IntArray


class Rows(NamedTuple):
    """Both directions of every edge, row by row.

    Attributes:
        indptr: [num_nodes + 1] row offsets.
        indices: [2 · num_edges] neighbours.
        weight: [2 · num_edges] edge weights.
        reverse: [2 · num_edges] where the other direction of each entry stands.
    """

    indptr: IntArray
    indices: NDArray[np.int32]
    weight: FloatArray
    reverse: IntArray


def rows_of(graph: Graph) -> Rows:
    """Return the rows of a graph.

    Example:
        >>> rows_of(Graph.from_edges([[0, 1], [1, 2]])).reverse.tolist()
        [1, 0, 3, 2]
    """
    by_edge = np.argsort(graph.edge_of_index, kind="stable")
    reverse = np.empty(len(by_edge), np.int64)
    reverse[by_edge[0::2]], reverse[by_edge[1::2]] = by_edge[1::2], by_edge[0::2]
    return Rows(graph.indptr, graph.indices, graph.edge_weight[graph.edge_of_index], reverse)
