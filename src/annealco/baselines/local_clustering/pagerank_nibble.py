"""PageRank-Nibble: approximate personalised PageRank by pushes, then a sweep (Andersen, Chung and Lang, 2006).

With the lazy walk W = (I + A D⁻¹) / 2 and pr(s) = α s + (1 − α) W pr(s), every push keeps

    p + pr(r) = pr(e_seed),

and pushing goes on until r_u < ε d_u everywhere: at most 1 / (ε α) units of volume are ever pushed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.baselines.local_clustering.protocol import Box, on_cut
from annealco.baselines.local_clustering.rows import Rows, rows_of
from annealco.baselines.local_clustering.sweep import sweep
from annealco.graph.graph import Graph
from annealco.graph.segments import FloatArray
from annealco.jit import compiled

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
    rank, _ = push(rows_of(graph), seed, alpha, precision / (2.0 * graph.edge_weight.sum()))
    scaled = rank / np.maximum(graph.weighted_degree, 1e-300)
    # The seed comes first whatever its rank: the protocol wants it.
    scaled[seed] = np.inf
    order = np.argsort(-scaled, kind="stable")
    return sweep(graph, order[: int(np.count_nonzero(scaled))], box)


@compiled
def push(rows: Rows, seed: int, alpha: float, epsilon: float) -> tuple[FloatArray, FloatArray]:
    """Return approximate PageRank p and residual r, [num_nodes] each."""
    size = len(rows.indptr) - 1
    rank, residual, degree = np.zeros(size), np.zeros(size), np.zeros(size)
    for node in range(size):
        degree[node] = rows.weight[rows.indptr[node] : rows.indptr[node + 1]].sum()
    waiting, queued, first, count = np.empty(size, np.int64), np.zeros(size, np.bool_), 0, 1
    residual[seed], waiting[0], queued[seed] = 1.0, seed, True
    while count > 0:
        node = waiting[first]
        first, count, queued[node] = (first + 1) % size, count - 1, False
        mass = residual[node]
        rank[node] += alpha * mass
        residual[node] = (1 - alpha) * mass / 2
        for k in range(rows.indptr[node], rows.indptr[node + 1] + 1):
            other = node
            if k < rows.indptr[node + 1]:
                other = rows.indices[k]
                residual[other] += (1 - alpha) * mass / 2 * rows.weight[k] / degree[node]
            if not queued[other] and residual[other] >= epsilon * degree[other]:
                waiting[(first + count) % size], queued[other] = other, True
                count += 1
    return rank, residual


run = on_cut(nibble)
"""A `Run` of PageRank-Nibble."""
