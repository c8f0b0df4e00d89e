"""Capacity releasing diffusion: mass spreads as a flow by push and relabel, and doubles (Wang et al., 2017).

Every node holds up to its degree; what is above is excess and flows downhill, from higher to lower labels, over an edge
at most min(label, capacity). Where a set has few edges outward, mass piles up inside and labels rise. All numbers are
whole ones, so conservation of mass holds exactly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco._core import Clock, capacity_releasing_diffusion
from annealco.baselines.local_clustering.protocol import Box, on_cut
from annealco.baselines.local_clustering.sweep import sweep
from annealco.graph.graph import Graph

CAPACITY, HEIGHT, ROUNDS = 1, 10, 20
"""Defaults: most flow over an edge, largest label, and how often mass is doubled at most. Chosen on validation graphs
(docs/baselines.md)."""


def diffuse_and_sweep(
    graph: Graph, seed: int, box: Box, *, capacity: int = CAPACITY, height: int = HEIGHT, rounds: int = ROUNDS
) -> NDArray[np.bool_]:
    """Return the sweep cut by label, then by mass for the degree, of the last round; [num_nodes].

    Args:
        graph: one graph.
        seed: a node with neighbours.
        box: volumes that the sweep looks for; mass is doubled no further than to its upper end.
        capacity: most flow over an edge.
        height: labels are at most this.
        rounds: how often mass is doubled.
    """
    mass, label = capacity_releasing_diffusion(
        graph.indptr, graph.indices, seed, capacity, height, rounds, box.upper, Clock()
    )
    share = mass / np.maximum(graph.degree, 1)
    reached = np.flatnonzero((mass > 0) | (label > 0))
    keys = (reached, -share[reached], -label[reached], reached != seed)
    return sweep(graph, reached[np.lexsort(keys)], box)


run = on_cut(diffuse_and_sweep)
"""A `Run` of capacity releasing diffusion."""
