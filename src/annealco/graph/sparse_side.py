"""Find the sparser side of a graph: its edges, or the pairs that are not joined.

Whatever is summed over a node's neighbours is the sum over its whole graph less itself less what is summed over the
complement: on a dense graph the complement is the shorter list.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.graph.graph import Graph
from annealco.graph.operations import MAX_COMPLEMENT_PAIRS, complement
from annealco.graph.remembered import remembered
from annealco.graph.segments import IntArray


class SparseSide(NamedTuple):
    """The shorter list of pairs of every graph.

    Attributes:
        pairs: [2, num_pairs] edges of the sparse graphs and pairs that are not joined of the dense ones.
        complemented: [num_graphs] which graphs are given by the pairs that are not joined.
    """

    pairs: NDArray[np.int32]
    complemented: NDArray[np.bool_]


def sparse_side(graph: Graph) -> SparseSide:
    """Return the edges of graphs with at most half of all pairs, and the other pairs of those with more.

    Example:
        >>> dense = Graph.from_edges([[0, 0, 1, 1, 2], [1, 2, 2, 3, 3]])
        >>> sparse_side(dense).pairs.tolist(), sparse_side(dense).complemented.tolist()
        ([[0], [3]], [True])
    """
    pairs = num_pairs(graph.node_ptr)
    dense = (2 * np.diff(graph.edge_ptr) > pairs) & (pairs <= MAX_COMPLEMENT_PAIRS)
    if not dense.any():
        return SparseSide(graph.edges, dense)
    if np.array_equal(dense, pairs > 0) and worth_complementing(graph.node_ptr, graph.num_edges):
        return SparseSide(unjoined_pairs(graph.edges, graph.node_ptr), dense)
    some = graph[np.flatnonzero(dense)]
    shift = (graph.node_ptr[:-1][dense] - some.node_ptr[:-1]).astype(np.int32)
    other = complement(some)
    moved = other.edges + shift[other.graph_of_edge]
    return SparseSide(np.concatenate([graph.edges[:, ~dense[graph.graph_of_edge]], moved], axis=1), dense)


def num_pairs(node_ptr: IntArray) -> IntArray:
    """Return how many pairs of nodes each graph has, [num_graphs]."""
    counts = np.diff(node_ptr)
    return np.asarray(counts * (counts - 1) // 2)


def worth_complementing(node_ptr: IntArray, num_listed: int) -> bool:
    """Tell whether the pairs of all graphs that are not listed are fewer than the listed, and few enough to find."""
    every = int(num_pairs(node_ptr).sum())
    return 2 * num_listed > every and every <= MAX_COMPLEMENT_PAIRS


def unjoined_pairs(pairs: NDArray[np.integer[Any]], node_ptr: IntArray) -> NDArray[np.int32]:
    """Return the pairs of nodes in each graph that are not listed, [2, num_unlisted]; once a list."""
    return _unjoined(pairs, tuple(node_ptr.tolist()))


@remembered
def _unjoined(pairs: NDArray[Any], offsets: Hashable) -> NDArray[np.int32]:
    node_ptr = np.array(offsets, dtype=np.int64)
    size, count = int(node_ptr[-1]), pairs.shape[1]
    rising = bool(np.all(pairs[0] < pairs[1]))
    ordered = pairs if rising else np.stack([pairs.min(axis=0), pairs.max(axis=0)])
    return complement(Graph(node_ptr, ordered.astype(np.int32, copy=False), np.ones(size), np.ones(count))).edges
