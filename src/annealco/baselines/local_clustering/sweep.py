"""The sweep cut: of all first nodes of an order, the set of least conductance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco._core import Clock, sweep_sums
from annealco.baselines.local_clustering.protocol import Box
from annealco.graph.graph import Graph
from annealco.graph.segments import FloatArray, IntArray


def sweep(graph: Graph, order: IntArray, box: Box, *, least: int = 1) -> NDArray[np.bool_]:
    """Return the first nodes of an order with the least cut / volume, those in the box before all others.

    Args:
        graph: one graph.
        order: [num_swept] different nodes.
        box: volumes that are wanted; where no set has one, all sets are compared by cut / volume of the smaller side.
        least: fewest nodes of a set.

    Example:
        >>> path = Graph.from_edges([[0, 1, 2], [1, 2, 3]])
        >>> sweep(path, np.array([1, 0, 2]), Box(0, 9)).tolist()
        [True, True, True, False]
        >>> sweep(path, np.array([1, 0, 2]), Box(3, 3)).tolist()
        [True, True, False, False]
    """
    cut, volume = sweep_sums(*weighted_rows(graph), order, Clock())
    allowed = np.arange(1, len(order) + 1) >= min(least, len(order))
    inside = allowed & (box.lower <= volume) & (volume <= box.upper)
    # Outside the box the larger of two sides would always win: there the smaller one counts.
    side = volume if inside.any() else np.minimum(volume, 2 * graph.num_edges - volume)
    looked_at = (inside if inside.any() else allowed) & (side > 0)
    conductance = np.where(looked_at, cut / np.maximum(side, 1), np.inf)
    chosen = np.zeros(graph.num_nodes, np.bool_)
    chosen[order[: int(np.argmin(conductance)) + 1]] = True
    return chosen


def weighted_rows(graph: Graph) -> tuple[IntArray, NDArray[np.int32], FloatArray]:
    """Return offsets [num_nodes + 1], neighbours and edge weights [2 · num_edges] of both directions, row by row."""
    return graph.indptr, graph.indices, graph.edge_weight[graph.edge_of_index]
