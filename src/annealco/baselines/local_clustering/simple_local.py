r"""Simple-Local: improve a set by flows that stay near it (Veldt, Gleich and Mahoney, 2016).

For a reference set R and ε = vol(R) / vol(rest) + δ the quotient

    cut(S) / (vol(S ∩ R) − ε vol(S \\ R))

is made as small as possible, by a minimum cut for each guess of it. A larger δ keeps S closer to R. Nodes enter the
network only when all of what they may send to the sink is used up, so the flow sees little more than R.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.baselines.local_clustering.flow_cut import source_side
from annealco.baselines.local_clustering.protocol import Box, on_cut
from annealco.baselines.local_clustering.reference_set import cut_and_volume, reference_set
from annealco.graph.graph import Graph

RADIUS, DELTA = 2, 0.01
"""Defaults: the ball of this radius is improved, or the largest below half of the volume; and δ. Chosen on validation
graphs among δ > 0 (docs/baselines.md): at 0 the flow is no longer local."""

Bits = NDArray[np.bool_]


def improve_near(graph: Graph, seed: int, box: Box, *, radius: int = RADIUS, delta: float = DELTA) -> Bits:  # noqa: ARG001
    """Return the set of least quotient near a ball around the seed, [num_nodes]; it knows no box."""
    return improve(graph, reference_set(graph, seed, radius), delta=delta)


def improve(graph: Graph, reference: Bits, *, delta: float) -> Bits:
    """Return the set of least quotient, [num_nodes]; its conductance is at most that of the reference."""
    found, best = reference, quotient(graph, reference, reference, delta)
    while 0 < best < np.inf:
        candidate = least_set(graph, reference, best, delta)
        value = quotient(graph, reference, candidate, delta)
        # Flows are rounded to whole numbers: only a smaller quotient counts.
        if not value < best * (1 - 1e-9):
            break
        found, best = candidate, value
    return found


def quotient(graph: Graph, reference: Bits, chosen: Bits, delta: float) -> float:
    r"""Return cut(S) / (vol(S ∩ R) − ε vol(S \\ R)), infinite where that is not positive."""
    cut, _ = cut_and_volume(graph, chosen)
    outside = _epsilon(graph, reference, delta) * graph.degree[chosen & ~reference].sum()
    weight = float(graph.degree[chosen & reference].sum() - outside)
    return cut / weight if weight > 0 else np.inf


def _epsilon(graph: Graph, reference: Bits, delta: float) -> float:
    inside, whole = int(graph.degree[reference].sum()), 2 * graph.num_edges
    return inside / max(whole - inside, 1) + delta


def least_set(graph: Graph, reference: Bits, guess: float, delta: float) -> Bits:
    r"""Return the set that minimises cut(S) − guess · (vol(S ∩ R) − ε vol(S \\ R)), [num_nodes].

    The network holds the explored nodes, at first R, with all their edges. Another node that sends all it can to the
    sink might send more along edges of its own: it is explored too. Where there is none, the cut is that of the graph.
    """
    explored = reference.copy()
    price = guess * np.where(reference, 1.0, _epsilon(graph, reference, delta)) * graph.degree
    low, high = graph.edges
    while True:
        seen = explored[low] | explored[high]
        local = explored.copy()
        local[low[seen]] = local[high[seen]] = True
        place, nodes = np.cumsum(local) - 1, np.flatnonzero(local)
        side, full = source_side(
            np.where(reference, price, 0.0)[nodes],
            np.where(reference, 0.0, price)[nodes],
            place[graph.edges[:, seen]],
            graph.edge_weight[seen],
        )
        new = nodes[full & ~explored[nodes]]
        if not len(new):
            break
        explored[new] = True
    found = np.zeros(graph.num_nodes, np.bool_)
    found[nodes[side]] = True
    return found


run = on_cut(improve_near)
"""A `Run` of Simple-Local."""
