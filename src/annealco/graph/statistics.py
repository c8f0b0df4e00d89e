"""Describe graphs by a few numbers each: size, density, degrees, components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annealco.arrays import segment_max, segment_sum
from annealco.graph.graph import Graph
from annealco.graph.operations import connected_components


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
