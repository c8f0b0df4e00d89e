"""The set that a flow method improves: a ball around the seed, as large as it may be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.graph.graph import Graph


def ball(graph: Graph, seed: int, radius: int) -> NDArray[np.bool_]:
    """Return the nodes within so many steps of a seed, [num_nodes].

    Example:
        >>> ball(Graph.from_edges([[0, 1, 2], [1, 2, 3]]), 0, 2).tolist()
        [True, True, True, False]
    """
    inside = np.zeros(graph.num_nodes, np.bool_)
    inside[seed] = True
    low, high = graph.edges
    for _ in range(radius):
        grown = inside.copy()
        grown[high[inside[low]]] = True
        grown[low[inside[high]]] = True
        inside = grown
    return inside


def reference_set(graph: Graph, seed: int, radius: int) -> NDArray[np.bool_]:
    """Return the largest ball up to a radius with at most half of the volume, or else the seed; [num_nodes]."""
    balls = [ball(graph, seed, steps) for steps in range(radius, -1, -1)]
    return next((each for each in balls if 2 * graph.degree[each].sum() <= 2 * graph.num_edges), balls[-1])


def cut_and_volume(graph: Graph, chosen: NDArray[np.bool_]) -> tuple[float, int]:
    """Return the edge weight between a set and the rest, and the sum of its degrees."""
    low, high = graph.edges
    return float(graph.edge_weight[chosen[low] != chosen[high]].sum()), int(graph.degree[chosen].sum())
