r"""Local clustering by flows: MQI and Simple-Local, each a sequence of minimum cuts (`source_side`).

**MQI**, max-flow quotient-cut improvement, finds the best subset of a given set (Lang and Rao, 2004). Of a set R with
cut a and volume c, a subset A is better exactly where c·cut(A) − a·vol(A) < 0. The least of these is a minimum cut, and
its set becomes the next R until nothing is better: the subset of least conductance.

**Simple-Local** improves a set by flows that stay near it (Veldt, Gleich and Mahoney, 2016). For a reference set R and
ε = vol(R) / vol(rest) + δ it minimises

    cut(S) / (vol(S ∩ R) − ε vol(S \ R))

by a minimum cut for each guess of it. A larger δ keeps S closer to R. Nodes enter the network only when all of what
they may send to the sink is used up, so the flow sees little more than R.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from annealco.arrays import FloatArray, IntArray
from annealco.baselines.clustering import Box, cut_and_volume, on_cut, reference_set
from annealco.baselines.method import Assignment
from annealco.graph.graph import Graph

LARGEST = 2**30
"""SciPy's flows are 32-bit integers: all that can flow is scaled to this."""


def source_side(
    from_source: FloatArray, to_sink: FloatArray, pairs: IntArray, capacity: FloatArray
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the smallest source side of a minimum cut, and which arcs to the sink are full, [num_nodes] each.

    Args:
        from_source: [num_nodes] capacities of the arcs from the source.
        to_sink: [num_nodes] capacities of the arcs to the sink.
        pairs: [2, num_pairs] nodes that are joined, each pair once.
        capacity: [num_pairs] of both directions.

    Capacities that are whole numbers with a sum up to 2^30 from the source stay exact, others are rounded. Whoever
    needs a proof compares the sets, not the flows.

    Example:
        >>> side, full = source_side(np.array([5.0, 0]), np.array([0, 2.0]), np.array([[0], [1]]), np.array([3.0]))
        >>> side.tolist(), full.tolist()
        ([True, True], [True, True])
    """
    size, total = len(from_source), float(from_source.sum())
    scale = 1.0 if total <= LARGEST and _whole(from_source, to_sink, capacity) else LARGEST / max(total, 1e-300)
    nodes = np.arange(size)
    rows = np.concatenate([np.full(size, size), nodes, pairs[0], pairs[1]])
    columns = np.concatenate([nodes, np.full(size, size + 1), pairs[1], pairs[0]])
    given = np.concatenate([from_source, to_sink, capacity, capacity]) * scale
    # More than all that leaves the source never flows.
    whole = np.minimum(np.floor(given + 0.5), LARGEST + size).astype(np.int32)
    network = csr_array((whole, (rows, columns)), shape=(size + 2, size + 2))
    flow = maximum_flow(network, size, size + 1).flow
    left = csr_array(network - flow)
    left.eliminate_zeros()
    reached = breadth_first_order(left, size, return_predecessors=False)
    side = np.zeros(size + 2, np.bool_)
    side[reached] = True
    sent = np.asarray(flow[:, [size + 1]].todense()).ravel()[:size]
    return side[:size], sent >= whole[size : 2 * size]


def _whole(*arrays: FloatArray) -> bool:
    return all(bool(np.all(array == np.floor(array))) for array in arrays)


MQI_RADIUS = 3
"""Default: the ball of this radius is improved, or the largest below half of the volume. Chosen on validation graphs
(docs/baselines.md)."""


def improve_ball(graph: Graph, seed: int, box: Box, *, radius: int = MQI_RADIUS) -> NDArray[np.bool_]:  # noqa: ARG001
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


run_mqi = on_cut(improve_ball)
"""A `SolveGraph` of MQI."""


SIMPLE_LOCAL_RADIUS, DELTA = 2, 0.01
"""Defaults: the ball of this radius is improved, or the largest below half of the volume; and δ. Chosen on validation
graphs among δ > 0 (docs/baselines.md): at 0 the flow is no longer local."""


def improve_near(
    graph: Graph,
    seed: int,
    box: Box,  # noqa: ARG001 (it knows none)
    *,
    radius: int = SIMPLE_LOCAL_RADIUS,
    delta: float = DELTA,
) -> Assignment:
    """Return the set of least quotient near a ball around the seed, [num_nodes]; it knows no box."""
    return improve(graph, reference_set(graph, seed, radius), delta=delta)


def improve(graph: Graph, reference: Assignment, *, delta: float) -> Assignment:
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


def quotient(graph: Graph, reference: Assignment, chosen: Assignment, delta: float) -> float:
    r"""Return cut(S) / (vol(S ∩ R) − ε vol(S \\ R)), infinite where that is not positive."""
    cut, _ = cut_and_volume(graph, chosen)
    outside = _epsilon(graph, reference, delta) * graph.degree[chosen & ~reference].sum()
    weight = float(graph.degree[chosen & reference].sum() - outside)
    return cut / weight if weight > 0 else np.inf


def _epsilon(graph: Graph, reference: Assignment, delta: float) -> float:
    inside, whole = int(graph.degree[reference].sum()), 2 * graph.num_edges
    return inside / max(whole - inside, 1) + delta


def least_set(graph: Graph, reference: Assignment, guess: float, delta: float) -> Assignment:
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


run_simple_local = on_cut(improve_near)
"""A `SolveGraph` of Simple-Local."""
