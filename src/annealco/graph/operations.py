"""New graphs from old ones: complement, induced subgraph, relabelling, components; and the sparser side of a graph.

`describe` gives a few numbers of each graph: size, density, degrees, components.

A sum over the neighbours of a node is the sum over all nodes of its graph, less the node itself, less the sum over its
neighbours in the complement. On a dense graph the complement is the shorter list of pairs: `sparse_side` returns it.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco import _core
from annealco.arrays import IntArray, cached_by_array, segment_max, segment_sum
from annealco.errors import InputError
from annealco.graph.graph import Graph

MAX_COMPLEMENT_PAIRS = 2**27
"""Past this many node pairs a complement would not fit into memory; the `clique` energy never builds one."""


def complement(graph: Graph) -> Graph:
    """Join exactly the pairs of nodes in each graph that were not joined; new edges weigh 1.

    Takes O(n²) time for each graph.

    Example:
        >>> complement(Graph.from_edges([[0, 1], [1, 2]])).edges.tolist()
        [[0], [2]]
    """
    edges = _unlisted(graph.edges, graph.node_ptr)
    return replace(graph, edges=edges, edge_weight=np.ones(edges.shape[1]))


def _unlisted(pairs: NDArray[np.integer[Any]], node_ptr: IntArray) -> NDArray[np.int32]:
    """Return the pairs of nodes in each graph that are not listed, [2, num_unlisted]."""
    every = int(num_pairs(node_ptr).sum())
    if every > MAX_COMPLEMENT_PAIRS:
        raise InputError(f"the complement has up to {every:,} edges, more than {MAX_COMPLEMENT_PAIRS:,}")
    low, high = np.ascontiguousarray(pairs, dtype=np.int32)
    found = _core.unlisted_pairs(low, high, np.ascontiguousarray(node_ptr, dtype=np.int64))
    # What is computed from read-only arrays is kept with them.
    found.flags.writeable = False
    return found


def induced_subgraph(graph: Graph, nodes: ArrayLike) -> Graph:
    """Keep the given nodes, in ascending order, and the edges between them; a graph may become empty.

    Args:
        graph: one or many graphs.
        nodes: [num_kept] node numbers in the batch, or a mask of [num_nodes].

    Example:
        >>> induced_subgraph(Graph.from_edges([[0, 1, 2], [1, 2, 3]]), [0, 1, 3]).edges.tolist()
        [[0], [1]]
    """
    chosen = np.asarray(nodes)
    mask = np.zeros(graph.num_nodes, dtype=bool)
    if chosen.dtype == bool:
        if chosen.shape != mask.shape:
            raise InputError(f"a node mask must have shape [{graph.num_nodes}], this one has {list(chosen.shape)}")
        mask |= chosen
    elif chosen.size:
        if not np.issubdtype(chosen.dtype, np.integer):
            raise InputError(f"nodes must be integers or a mask, these are {chosen.dtype}")
        if chosen.min() < 0 or chosen.max() >= graph.num_nodes:
            allowed = f"0..{graph.num_nodes - 1}" if graph.num_nodes else "an empty graph"
            raise InputError(f"nodes must be in {allowed}, these reach from {chosen.min()} to {chosen.max()}")
        mask[chosen] = True
    number = np.concatenate([[0], np.cumsum(mask)])
    kept = mask[graph.edges[0]] & mask[graph.edges[1]]
    return Graph(
        node_ptr=number[graph.node_ptr].astype(np.int64),
        edges=number[graph.edges[:, kept]].astype(np.int32),
        node_weight=graph.node_weight[mask],
        edge_weight=graph.edge_weight[kept],
        # Without labels of its own a subgraph still answers in the numbers of the graph it was cut from.
        node_labels=graph.labels[mask],
        node_data={key: array[mask] for key, array in graph.node_data.items()},
        graph_data=graph.graph_data,
    )


def relabel(graph: Graph, permutation: ArrayLike) -> Graph:
    """Renumber the nodes of each graph: old node ``i`` becomes ``permutation[i]``; labels and weights move along.

    Args:
        graph: one or many graphs.
        permutation: [num_nodes] a permutation of 0..num_nodes-1 that keeps every node in its graph.
    """
    new = np.asarray(permutation)
    new = new if new.size else new.astype(np.int64)
    if new.dtype.kind not in "iu" or new.ndim != 1 or not np.array_equal(np.sort(new), np.arange(graph.num_nodes)):
        raise InputError(f"not a permutation of 0..{graph.num_nodes - 1}")
    before, after = graph.graph_of_node, graph.graph_of_node[new]
    if np.any(before != after):
        node = int(np.argmax(before != after))
        raise InputError(f"node {node} moves from graph {before[node]} to graph {after[node]}", node=node)
    old = np.argsort(new)
    return Graph.from_edges(
        new[graph.edges],
        node_ptr=graph.node_ptr,
        node_weight=graph.node_weight[old],
        edge_weight=graph.edge_weight,
        node_labels=None if graph.node_labels is None else graph.node_labels[old],
        node_data={key: array[old] for key, array in graph.node_data.items()},
        graph_data=graph.graph_data,
    )


def connected_components(graph: Graph) -> NDArray[np.int32]:
    """Number the connected components through the batch, [num_nodes]; in O(n + m).

    Example:
        >>> connected_components(Graph.from_edges([[0, 2], [1, 3]])).tolist()
        [0, 0, 1, 1]
    """
    from scipy.sparse import csgraph, csr_array

    if graph.num_nodes == 0:
        return np.zeros(0, np.int32)
    ones = np.ones(len(graph.indices), dtype=np.int8)
    adjacency = csr_array((ones, graph.indices, graph.indptr), shape=(graph.num_nodes, graph.num_nodes))
    _, component = csgraph.connected_components(adjacency, directed=False)
    return np.asarray(component, dtype=np.int32)


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
    """Return the pairs of nodes in each graph that are not listed, [2, num_unlisted]; cached per list."""
    return _unjoined(pairs, tuple(node_ptr.tolist()))


@cached_by_array
def _unjoined(pairs: NDArray[Any], offsets: Hashable) -> NDArray[np.int32]:
    return _unlisted(pairs, np.array(offsets, dtype=np.int64))


@dataclass(frozen=True)
class Statistics:
    """The numbers of each graph in a batch, all [num_graphs].

    Attributes:
        nodes: number of nodes.
        edges: number of edges.
        density: edges over pairs of nodes; 0 where there is no pair.
        degree_min: smallest degree; 0 without nodes, as the next two.
        degree_mean: mean degree.
        degree_max: largest degree.
        components: number of connected components.
        node_weighted: whether a node weighs other than 1.
        edge_weighted: whether an edge weighs other than 1.
        planted_size: size of the planted solution, or None where the batch has none.
    """

    nodes: NDArray[np.int64]
    edges: NDArray[np.int64]
    density: NDArray[np.float64]
    degree_min: NDArray[np.int64]
    degree_mean: NDArray[np.float64]
    degree_max: NDArray[np.int64]
    components: NDArray[np.int64]
    node_weighted: NDArray[np.bool_]
    edge_weighted: NDArray[np.bool_]
    planted_size: NDArray[np.int64] | None


def describe(graph: Graph) -> Statistics:
    """Describe each graph of a batch, in O(n + m).

    Example:
        >>> found = describe(Graph.from_edges([[0, 1], [1, 2]], num_nodes=4))
        >>> found.density.tolist(), found.degree_max.tolist(), found.components.tolist()
        ([0.3333333333333333], [2], [2])
    """
    nodes, edges = np.diff(graph.node_ptr), np.diff(graph.edge_ptr)
    degree = graph.degree.astype(np.float64)
    return Statistics(
        nodes=nodes,
        edges=edges,
        density=edges / np.maximum(nodes * (nodes - 1) / 2, 1),
        degree_min=(-segment_max(-degree, graph.node_ptr)).astype(np.int64),
        degree_mean=2 * edges / np.maximum(nodes, 1),
        degree_max=segment_max(degree, graph.node_ptr).astype(np.int64),
        components=_count_components(graph),
        node_weighted=segment_max((graph.node_weight != 1).astype(np.float64), graph.node_ptr) > 0,
        edge_weighted=segment_max((graph.edge_weight != 1).astype(np.float64), graph.edge_ptr) > 0,
        planted_size=_planted_size(graph),
    )


def _count_components(graph: Graph) -> NDArray[np.int64]:
    _, member = np.unique(connected_components(graph), return_index=True)
    return np.bincount(graph.graph_of_node[member], minlength=graph.num_graphs)


def _planted_size(graph: Graph) -> NDArray[np.int64] | None:
    planted: NDArray[Any] | None = graph.node_data.get("planted")
    # A file may use the name for something else.
    if planted is None or planted.dtype != bool or planted.ndim != 1:
        return None
    return segment_sum(planted.astype(np.float64), graph.node_ptr).astype(np.int64)
