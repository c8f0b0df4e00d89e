"""MQI, max-flow quotient-cut improvement: the best subset of a given set (Lang and Rao, 2004).

Of a set R with cut a and volume c, a subset A is better exactly where c·cut(A) − a·vol(A) < 0. The least of these is a
minimum cut, and its set becomes the next R until nothing is better: the subset of least conductance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.baselines.local_clustering.flow_cut import source_side
from annealco.baselines.local_clustering.protocol import Box, on_cut
from annealco.baselines.local_clustering.reference_set import cut_and_volume, reference_set
from annealco.graph.graph import Graph

RADIUS = 3
"""Default: the ball of this radius is improved, or the largest below half of the volume. Chosen on validation graphs
(docs/baselines.md)."""


def improve_ball(graph: Graph, seed: int, box: Box, *, radius: int = RADIUS) -> NDArray[np.bool_]:  # noqa: ARG001
    """Return the best subset of a ball around the seed, [num_nodes]; it knows no box."""
    return best_subset(graph, reference_set(graph, seed, radius))


def best_subset(graph: Graph, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the subset of least cut / volume, [num_nodes]; the set itself where none is better."""
    while True:
        better = smaller_quotient(graph, chosen)
        if better is None:
            return chosen
        chosen = better


def smaller_quotient(graph: Graph, chosen: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Return a subset with less cut / volume, or None."""
    cut, volume = cut_and_volume(graph, chosen)
    if cut == 0:
        return None
    place = np.cumsum(chosen) - 1
    low, high = graph.edges
    within, leaves = chosen[low] & chosen[high], chosen[low] != chosen[high]
    outward = np.zeros(graph.num_nodes)
    np.add.at(outward, np.where(chosen[low], low, high)[leaves], graph.edge_weight[leaves])
    side, _ = source_side(
        cut * graph.degree[chosen].astype(np.float64),
        volume * outward[chosen],
        place[graph.edges[:, within]],
        volume * graph.edge_weight[within],
    )
    found = np.zeros(graph.num_nodes, np.bool_)
    found[np.flatnonzero(chosen)[side]] = True
    new_cut, new_volume = cut_and_volume(graph, found)
    return found if new_cut * volume < cut * new_volume else None


run = on_cut(improve_ball)
"""A `Run` of MQI."""
