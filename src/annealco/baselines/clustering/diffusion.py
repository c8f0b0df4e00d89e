"""Local clustering by diffusion: mass spreads from the seed node, then a sweep cut orders nodes by it.

The sweep cut is the set of least conductance among the first nodes of the order.

**PageRank-Nibble** approximates personalised PageRank by pushes (Andersen, Chung and Lang, 2006). With the lazy walk
W = (I + A D⁻¹) / 2 and pr(s) = α s + (1 − α) W pr(s), every push keeps p + pr(r) = pr(e_seed), and pushing goes on
until r_u < ε d_u everywhere: at most 1 / (ε α) units of volume are ever pushed.

**Capacity releasing diffusion** spreads mass as a flow by push and relabel, and doubles it (Wang et al., 2017). Every
node holds up to its degree; what is above is excess and flows downhill, from higher to lower labels, over an edge at
most min(label, capacity). Where a set has few edges outward, mass piles up inside and labels rise. All numbers are
whole ones, so conservation of mass holds exactly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco._core import Clock, approximate_pagerank, capacity_releasing_diffusion, sweep_sums
from annealco.arrays import FloatArray, IntArray
from annealco.baselines.clustering import Box, on_cut
from annealco.graph.graph import Graph


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


run_pagerank_nibble = on_cut(nibble)
"""A `SolveGraph` of PageRank-Nibble."""


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


run_crd = on_cut(diffuse_and_sweep)
"""A `SolveGraph` of capacity releasing diffusion."""
