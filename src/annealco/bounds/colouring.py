"""Colour sparse graphs greedily: a clique takes at most one node of a colour.

Everything here goes through the listed neighbours only and takes linear time, so that the cliques of a graph with
hundreds of thousands of nodes are bounded without ever listing the pairs that are not joined.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.bounds.neighbours import Neighbours
from annealco.bounds.rounding import EPSILON
from annealco.graph.segments import FloatArray, IntArray
from annealco.jit import compiled


def greedy_colouring(rows: Neighbours, weight: FloatArray) -> IntArray:
    """Return a colour for each node [num_nodes], heavier nodes first and among equals those of denser parts first.

    For equal weights at most one colour more than the largest core number is used. Where colours are priced by their
    heaviest node, the order by weight makes the first colours dear and the many later ones cheap.

    Example:
        >>> from annealco.bounds.neighbours import neighbours_of
        >>> greedy_colouring(neighbours_of(np.array([[0, 1], [1, 2]]), 3), np.ones(3)).tolist()
        [1, 0, 1]
    """
    removal = _removal_order(rows)
    latest_first = removal[::-1]
    order = latest_first[np.argsort(-weight[latest_first], kind="stable")]
    return colour_in_order(rows, np.ascontiguousarray(order))


@compiled
def colour_in_order(rows: Neighbours, order: IntArray) -> IntArray:
    """Give each node in turn the first colour that none of its neighbours has, [num_nodes]."""
    num_nodes = len(order)
    colour, taken_by = np.full(num_nodes, -1, np.int64), np.full(num_nodes + 1, -1, np.int64)
    for node in order:
        for entry in range(rows.start[node], rows.start[node + 1]):
            if colour[rows.node[entry]] >= 0:
                taken_by[colour[rows.node[entry]]] = node
        first = 0
        while taken_by[first] == node:
            first += 1
        colour[node] = first
    return colour


@compiled
def _removal_order(rows: Neighbours) -> IntArray:
    """Return the nodes in the order in which taking out one of least degree removes them (Batagelj, Zaversnik 2003)."""
    num_nodes = len(rows.start) - 1
    degree = np.diff(rows.start)
    first = np.zeros(degree.max() + 2 if num_nodes else 2, np.int64)
    for node in range(num_nodes):
        first[degree[node] + 1] += 1
    first = np.cumsum(first)
    order, place, filled = np.empty(num_nodes, np.int64), np.empty(num_nodes, np.int64), first.copy()
    for node in range(num_nodes):
        place[node] = filled[degree[node]]
        order[place[node]] = node
        filled[degree[node]] += 1
    for position in range(num_nodes):
        node = order[position]
        for entry in range(rows.start[node], rows.start[node + 1]):
            other = rows.node[entry]
            if degree[other] > degree[node]:
                # Swap it with the first node of its degree, and let that degree begin one place later.
                front = max(first[degree[other]], position + 1)
                swapped = order[front]
                order[front], order[place[other]] = other, swapped
                place[swapped], place[other] = place[other], front
                first[degree[other]] = front + 1
                degree[other] -= 1
    return order


@compiled
def within_reach(rows: Neighbours, weight: FloatArray, limit: float) -> NDArray[np.bool_]:
    """Return which nodes [num_nodes] can be in a clique heavier than the limit.

    A clique lies in the closed neighbourhood of each of its nodes. A node whose neighbourhood does not outweigh the
    limit is taken out, which lightens those of its neighbours, until no such node is left.

    Args:
        rows: the graph.
        weight: [num_nodes], not negative.
        limit: any number.
    """
    num_nodes = len(weight)
    reach, kept, stack, height = weight.copy(), np.ones(num_nodes, np.bool_), np.empty(num_nodes, np.int32), 0
    for node in range(num_nodes):
        for entry in range(rows.start[node], rows.start[node + 1]):
            reach[node] += weight[rows.node[entry]]
        # More than all roundings of this sum and of the differences below.
        reach[node] *= 1 + 4 * (rows.start[node + 1] - rows.start[node] + 1) * EPSILON
        if reach[node] <= limit:
            kept[node] = False
            stack[height] = node
            height += 1
    while height > 0:
        height -= 1
        gone = stack[height]
        for entry in range(rows.start[gone], rows.start[gone + 1]):
            other = rows.node[entry]
            reach[other] -= weight[gone]
            if kept[other] and reach[other] <= limit:
                kept[other] = False
                stack[height] = other
                height += 1
    return kept
