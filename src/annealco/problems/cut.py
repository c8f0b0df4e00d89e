"""Minimum cut within volume bounds: the least edge weight between a set of bounded volume and the rest.

The volume of a set is the sum of its nodes' degrees, counted in edges and not in edge weight: only integer volumes keep
the penalty of the paper exact. Options, each one value for all graphs or one a graph:

* ``volume``: the bounds (D0, D1); by default a quarter and a half of the graph's volume, where some set always lies;
* ``seed_node``: a node that must be in the set; none by default;
* ``price``: what a unit of volume earns, so that cut − price · volume is minimised; 0 by default.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from annealco.arrays import FloatArray, IntArray, has_sum_within, segment_max, segment_sum
from annealco.energy import Constraint, Cover, Instance, Linear, Pairs, Range
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems.options import Option
from annealco.problems.problem import Problem, as_node_mask


def declare(
    graph: Graph,
    *,
    volume: ArrayLike | None = None,
    seed_node: ArrayLike | None = None,
    price: ArrayLike = 0.0,
) -> Instance:
    """f(x) = Σ_(u,v)∈E w_uv [x_u ≠ x_v] − p vol + β (vol − D1)_+ + β (D0 − vol)_+, β = max_i (Σ_j |w_ij| + |p| d_i).

    Exact where D1 − D0 ≥ d_max − 1: moving nodes out of (into) the set one by one until the volume fits cannot jump
    over the box, each move changes cut − p vol by at most β and lowers the penalty by at least β. A seed node s is a
    set {s} to be hit, at the penalty β_s = Σ_j |w_sj| + |p| d_s + β d_s that pays for any change it makes.
    """
    degree = graph.degree.astype(np.float64)
    earned = _prices(graph, price) * degree
    size = np.abs(graph.edge_weight)
    unsigned = graph if np.array_equal(size, graph.edge_weight) else graph.with_weights(edge_weight=size)
    reach = unsigned.weighted_degree + np.abs(earned)
    penalty = segment_max(reach, graph.node_ptr)
    lower, upper = box(graph, volume)
    fits = Range(graph.node_ptr, degree, lower, upper, np.ones(graph.num_graphs))
    constraints = [Constraint(fits, penalty)]
    seeds = None if seed_node is None else _seeds(graph, seed_node, upper)
    _check_reachable(graph, lower, upper, seeds)
    if seeds is not None:
        hit = Cover(graph.node_ptr, np.arange(graph.num_graphs + 1), seeds, np.ones(graph.num_graphs))
        constraints.append(Constraint(hit, reach[seeds] + penalty * degree[seeds]))
    crossing = (
        Linear(graph.node_ptr, graph.weighted_degree),
        Pairs(graph.node_ptr, graph.edges, -2 * graph.edge_weight),
    )
    earning = (Linear(graph.node_ptr, -earned),) if earned.any() else ()
    return Instance(
        node_ptr=graph.node_ptr,
        objective=(*crossing, *earning),
        constraints=tuple(constraints),
        sense="min",
        exact=upper - lower >= segment_max(degree, graph.node_ptr) - 1,
    )


def box(graph: Graph, volume: ArrayLike | None) -> tuple[FloatArray, FloatArray]:
    """Return D0 and D1, [num_graphs] each, rounded inward: volumes are integers, so no set is lost.

    Raises:
        InputError: where they are no bounds, or no volume lies between them.
    """
    whole = segment_sum(graph.degree.astype(np.float64), graph.node_ptr)
    bounds = np.broadcast_to(
        [0.25, 0.5] * whole[:, None] if volume is None else _as_bounds(graph, volume), (len(whole), 2)
    )
    lower, upper = np.maximum(np.ceil(bounds[:, 0]), 0), np.minimum(np.floor(bounds[:, 1]), whole)
    impossible = ~(lower <= upper)
    if impossible.any():
        first = int(np.argmax(impossible))
        rule = f"no set has a volume in {bounds[first, 0]:g}:{bounds[first, 1]:g}, all nodes have {whole[first]:g}"
        raise InputError(rule, origin=origin_of(graph, first))
    return lower, upper


def _prices(graph: Graph, price: ArrayLike) -> FloatArray:
    """Return the price of volume at every node, [num_nodes]."""
    given = np.asarray(price)
    if given.shape not in {(), (graph.num_graphs,)} or given.dtype.kind not in "iuf" or not np.all(np.isfinite(given)):
        raise InputError(f"price must be a finite number or [num_graphs] of them, it is {price!r}")
    return np.repeat(np.broadcast_to(given, graph.num_graphs).astype(np.float64), np.diff(graph.node_ptr))


def _check_reachable(graph: Graph, lower: FloatArray, upper: FloatArray, seeds: IntArray | None) -> None:
    """Refuse a box that all sets jump over; a box as wide as the largest degree is jumped over by none."""
    widest = segment_max(graph.degree.astype(np.float64), graph.node_ptr)
    for number in np.flatnonzero(upper - lower < widest - 1).tolist():
        degree = graph.degree[graph.node_ptr[number] : graph.node_ptr[number + 1]]
        start = 0 if seeds is None else int(graph.degree[seeds[number]])
        others = degree if seeds is None else np.delete(degree, seeds[number] - graph.node_ptr[number])
        low, high = int(lower[number]), int(upper[number])
        if not has_sum_within(others, start, low, high):
            seeded = "" if seeds is None else f" with seed node {graph.labels[seeds[number]]}"
            rule = f"no set{seeded} has a volume in {low}:{high}, degrees add up to none of these"
            raise InputError(rule, origin=origin_of(graph, number))


def origin_of(graph: Graph, number: int) -> str | None:
    """Return what errors call a graph among several."""
    return f"graph {number}" if graph.num_graphs > 1 else None


def _as_bounds(graph: Graph, volume: ArrayLike) -> FloatArray:
    """Return bounds as [2] or [num_graphs, 2]."""
    try:
        bounds = np.asarray(volume, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        bounds = np.zeros(0)
    if bounds.shape not in {(2,), (graph.num_graphs, 2)}:
        each = " or [num_graphs, 2] of them" if graph.num_graphs > 1 else ""
        raise InputError(f"volume must be D0, D1{each}, it is {volume!r}")
    return bounds


def _seeds(graph: Graph, seed_node: ArrayLike, upper: FloatArray) -> IntArray:
    """Return the seed nodes numbered through the batch, [num_graphs]."""
    given = np.asarray(seed_node)
    if given.shape not in {(), (graph.num_graphs,)} or not np.issubdtype(given.dtype, np.integer):
        raise InputError(f"seed_node must be a node number or [num_graphs] of them, it is {seed_node!r}")
    local = np.broadcast_to(given, graph.num_graphs).astype(np.int64)
    counts = np.diff(graph.node_ptr)
    missing = (local < 0) | (local >= counts)
    if missing.any():
        first = int(np.argmax(missing))
        rule = f"seed node {local[first]} does not exist, there are {counts[first]} nodes"
        raise InputError(rule, origin=origin_of(graph, first))
    nodes = local + graph.node_ptr[:-1]
    heavy = graph.degree[nodes] > upper
    if heavy.any():
        first = int(np.argmax(heavy))
        label, degree = graph.labels[nodes[first]], graph.degree[nodes[first]]
        rule = f"seed node {label} has degree {degree}, above the largest volume {upper[first]:g}"
        raise InputError(rule, origin=origin_of(graph, first))
    return np.asarray(nodes)


def score(
    graph: Graph,
    nodes: Collection[int],
    *,
    volume: ArrayLike | None = None,
    seed_node: ArrayLike | None = None,
    price: ArrayLike = 0.0,
) -> float | None:
    """Return cut − price · volume, or None where the volume is out of bounds or the seed is missing.

    Options are of this graph.
    """
    found = cut_and_volume(graph, nodes, volume=volume, seed_node=seed_node)
    if found is None:
        return None
    cut, inside = found
    [rate] = np.ravel(price).tolist()
    return cut - rate * inside if rate else cut


def cut_and_volume(
    graph: Graph, nodes: Collection[int], *, volume: ArrayLike | None = None, seed_node: ArrayLike | None = None
) -> tuple[float, int] | None:
    """Return both, or None where the volume is out of bounds or the seed is missing."""
    chosen = as_node_mask(graph, nodes)
    first, second = chosen[graph.edges]
    inside, whole = int(np.count_nonzero(first) + np.count_nonzero(second)), 2 * graph.num_edges
    lower, upper = (whole / 4, whole / 2) if volume is None else _as_bounds(graph, volume).ravel().tolist()
    if not lower <= inside <= upper:
        return None
    if seed_node is not None and np.any(as_node_mask(graph, np.ravel(seed_node).tolist()) & ~chosen):
        return None
    return float(graph.edge_weight[first != second].sum()), inside


def draw(graph: Graph, seed: int) -> dict[str, Any]:
    """Draw a seed node and a box around a target volume for each graph, as the cut protocol does.

    Nothing is drawn where a graph has no edges, and so no volume.
    """
    # Named sets come with downloads and archives, whose modules a search does without.
    from annealco.datasets.cut_instances import draw_instances

    drawn = draw_instances(graph, 1, name="draw", seed=seed)
    return {"volume": drawn.volume, "seed_node": drawn.seed_node} if len(drawn) == graph.num_graphs else {}


VOLUME = Option(
    "volume", kind="range", help="Bounds on the volume of the set; by default a quarter and a half of the graph's."
)
SEED_NODE = Option("seed_node", kind="node", help="A node that must be in the set.")

CUT = Problem(
    name="cut",
    title="minimum cut within volume bounds",
    sense="min",
    declare=declare,
    score=score,
    draw=draw,
    options=(
        VOLUME,
        SEED_NODE,
        Option(
            "price",
            kind="number",
            help="What a unit of volume earns: cut - price * volume is minimised.",
            default=0.0,
        ),
    ),
)
