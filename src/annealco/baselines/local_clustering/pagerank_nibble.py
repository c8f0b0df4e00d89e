"""PageRank-Nibble: approximate personalised PageRank by pushes, then a sweep (Andersen, Chung and Lang, 2006).

With the lazy walk W = (I + A D⁻¹) / 2 and pr(s) = α s + (1 − α) W pr(s), every push keeps

    p + pr(r) = pr(e_seed),

and pushing goes on until r_u < ε d_u everywhere: at most 1 / (ε α) units of volume are ever pushed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco._core import Clock, approximate_pagerank
from annealco.baselines.local_clustering.protocol import Box, on_cut
from annealco.baselines.local_clustering.sweep import sweep, weighted_rows
from annealco.graph.graph import Graph

ALPHA, PRECISION = 0.01, 0.01
"""Defaults: α, and ε as a part of 1 / volume of the graph. Chosen on validation graphs (docs/baselines.md)."""


def nibble(
    graph: Graph, seed: int, box: Box, *, alpha: float = ALPHA, precision: float = PRECISION
) -> NDArray[np.bool_]:
    """Return the sweep cut of approximate PageRank divided by degree, [num_nodes].

    Args:
        graph: one graph.
        seed: a node with neighbours.
        box: volumes that the sweep looks for.
        alpha: chance of going back to the seed at each step.
        precision: ε times the volume of the graph.
    """
    epsilon = precision / (2.0 * graph.edge_weight.sum())
    rank, _ = approximate_pagerank(*weighted_rows(graph), seed, alpha, epsilon, Clock())
    scaled = rank / np.maximum(graph.weighted_degree, 1e-300)
    # The seed comes first whatever its rank: the protocol wants it.
    scaled[seed] = np.inf
    order = np.argsort(-scaled, kind="stable")
    return sweep(graph, order[: int(np.count_nonzero(scaled))], box)


run = on_cut(nibble)
"""A `Run` of PageRank-Nibble."""
