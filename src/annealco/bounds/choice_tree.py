"""Where a search over choices stands: rows of nodes with demands, what is fixed, and the way back.

Rows of nodes have demands: Σ_{i∈h} x_i ≥ r_h. What was fixed is on a trail, so that a step back undoes what came after.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.bounds.neighbours import Int32Array
from annealco.graph.segments import FloatArray, IntArray
from annealco.jit import compiled

FREE, CHOSEN, LEFT_OUT = 0, 1, 2
MAX_DEPTH = 250

FIRST_STEPS = 100
"""Subgradient steps at the root."""

SHORT_STEP = 0.3
"""By what share of a mean weight a step aims past its goal."""


class Demands(NamedTuple):
    """Rows of nodes, and how many of each must be chosen.

    Attributes:
        weight: [num_nodes], positive.
        row_start: [num_rows + 1] offsets into ``row_node``.
        row_node: [num_members] nodes.
        demand: [num_rows].
        node_start: [num_nodes + 1] offsets into ``node_row``.
        node_row: [num_members] the rows that each node is in.
    """

    weight: FloatArray
    row_start: IntArray
    row_node: Int32Array
    demand: IntArray
    node_start: IntArray
    node_row: Int32Array


class Tree(NamedTuple):
    """Where a search stands; changed in place by `explore`.

    Attributes:
        value: [num_nodes], `FREE`, `CHOSEN` or `LEFT_OUT`.
        need: [num_rows] how many of the row must still be chosen.
        free: [num_rows] how many of the row are free.
        trail: [num_nodes] the nodes that are not free, in the order in which they were set.
        branch: [3, MAX_DEPTH + 1] of each branching: its node, whether its second half is on, length of the trail.
        price: [MAX_DEPTH + 1, num_rows] prices of each step.
        load: [num_nodes] sum of the prices of each node's rows.
        slope: [num_rows].
        best_price: [num_rows].
        cursor: [4] depth, length of the trail, whether the present step is still to be bounded, the root's steps left.
        cost: [4] limit, cost of the cheapest cover found, by what others are to be cheaper, length of a short step.
    """

    value: NDArray[np.int8]
    need: IntArray
    free: IntArray
    trail: IntArray
    branch: IntArray
    price: FloatArray
    load: FloatArray
    slope: FloatArray
    best_price: FloatArray
    cursor: IntArray
    cost: FloatArray


def start_tree(demands: Demands, price: FloatArray, limit: float, gain: float) -> Tree:
    """Return a search at its root.

    Args:
        demands: what must be met.
        price: [num_rows] good prices, from whatever source.
        limit: the most that a cover may cost.
        gain: having found a cover, look for those that are cheaper by so much.
    """
    num_nodes, num_rows = len(demands.weight), len(demands.demand)
    prices = np.zeros((MAX_DEPTH + 1, num_rows))
    prices[0] = price
    return Tree(
        value=np.zeros(num_nodes, np.int8),
        need=demands.demand.copy(),
        free=np.diff(demands.row_start),
        trail=np.zeros(num_nodes, np.int64),
        branch=np.zeros((3, MAX_DEPTH + 1), np.int64),
        price=prices,
        load=np.zeros(num_nodes),
        slope=np.zeros(num_rows),
        best_price=np.zeros(num_rows),
        cursor=np.array([0, 0, 1, FIRST_STEPS]),
        cost=np.array([limit, np.inf, gain, SHORT_STEP * demands.weight.mean()]),
    )


@compiled
def fix(demands: Demands, tree: Tree, node: int, value: int) -> None:
    """Choose a free node or leave it out."""
    tree.value[node] = value
    tree.trail[tree.cursor[1]] = node
    tree.cursor[1] += 1
    for place in range(demands.node_start[node], demands.node_start[node + 1]):
        row = demands.node_row[place]
        tree.free[row] -= 1
        tree.need[row] -= value == CHOSEN


@compiled
def undo(demands: Demands, tree: Tree, length: int) -> None:
    """Free the nodes that were fixed last, until so many are left."""
    while tree.cursor[1] > length:
        tree.cursor[1] -= 1
        node = tree.trail[tree.cursor[1]]
        for place in range(demands.node_start[node], demands.node_start[node + 1]):
            row = demands.node_row[place]
            tree.free[row] += 1
            tree.need[row] += tree.value[node] == CHOSEN
        tree.value[node] = FREE
