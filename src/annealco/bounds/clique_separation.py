"""Find cliques that a fractional solution overfills."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from annealco.bounds.neighbours import Int32Array, Neighbours, joined
from annealco.graph.segments import FloatArray, IntArray
from annealco.jit import compiled

POSITIVE = 1e-9
EXCESS = 1e-3
"""A clique is worth adding if its nodes sum to more than one by this much."""

MAX_SHARED = 2
"""A node that so many of the found cliques hold starts no further one."""


class FractionalPoint(NamedTuple):
    """A solution and the order in which its nodes are tried.

    Attributes:
        value: [num_nodes], not negative.
        order: [num_nodes] the nodes by descending value.
        rank: [num_nodes] the place of each node in the order.
    """

    value: FloatArray
    order: IntArray
    rank: IntArray


def fractional_point(value: FloatArray, rng: np.random.Generator) -> FractionalPoint:
    """Return a solution [num_nodes] with its nodes in descending order, equal ones shuffled to vary what is found."""
    order = np.lexsort((rng.random(len(value)), -value))
    rank = np.empty(len(value), np.int64)
    rank[order] = np.arange(len(value))
    return FractionalPoint(value, order, rank)


@compiled
def overfilled_cliques(
    rows: Neighbours, point: FractionalPoint, seeds: IntArray, shared: IntArray
) -> tuple[IntArray, Int32Array]:
    """Return maximal cliques whose nodes sum to more than one, grown greedily from some nodes.

    Args:
        rows: the graph.
        point: what they sum up.
        seeds: [num_seeds] the nodes to grow from.
        shared: [num_nodes] how many of the cliques found so far hold each node, of those above 0; changed in place.

    Returns:
        Offsets [num_cliques + 1], and the members of one clique after the other.
    """
    num_nodes = len(point.value)
    start, member = np.zeros(len(seeds) + 1, np.int64), np.empty(16 * num_nodes, np.int32)
    found, filled = 0, 0
    for seed in seeds:
        if filled + num_nodes > len(member):
            break
        if point.value[seed] <= POSITIVE or shared[seed] >= MAX_SHARED:
            continue
        size = _grow(rows, point, seed, member[filled:])
        if size > 0:
            for place in range(filled, filled + size):
                shared[member[place]] += point.value[member[place]] > POSITIVE
            found, filled = found + 1, filled + size
            start[found] = filled
    return start[: found + 1].copy(), member[:filled].copy()


@compiled
def _grow(rows: Neighbours, point: FractionalPoint, seed: int, clique: Int32Array) -> int:
    """Write a maximal clique that holds the seed; return its size, or 0 where it is not overfilled."""
    candidate = rows.node[rows.start[seed] : rows.start[seed + 1]]
    places = np.sort(point.rank[candidate])
    clique[0] = seed
    size, total = 1, point.value[seed]
    for place in places:
        node = point.order[place]
        # Nodes at 0 only make a clique that is already worth having larger.
        if point.value[node] <= POSITIVE and total <= 1 + EXCESS:
            return 0
        fits = True
        for member in range(1, size):
            if not joined(rows, node, clique[member]):
                fits = False
                break
        if fits:
            clique[size] = node
            size += 1
            total += point.value[node]
    return size if total > 1 + EXCESS else 0
