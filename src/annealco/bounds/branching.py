"""Search all choices that cost no more than a limit, depth first; if none covers, every cover costs more.

Rows of nodes have demands: Σ_{i∈h} x_i ≥ r_h. At every step of the search, prices y ≥ 0 of the rows bound what the rest
must cost, as in a covering, and subgradient steps from the prices of the step before improve them. A node whose choice
would push that bound over the limit is fixed to the other value; so is one without which a demand cannot be met.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.bounds.neighbours import Int32Array
from annealco.bounds.rounding import EPSILON
from annealco.graph.segments import FloatArray, IntArray
from annealco.jit import compiled

FREE, CHOSEN, LEFT_OUT = 0, 1, 2
MAX_DEPTH = 250
RUNNING, EXHAUSTED, TOO_DEEP = 0, 1, 2

OPEN, REFUTED, AGAIN = 0, 1, 2

STEPS, FIRST_STEPS = 8, 100
"""Subgradient steps below the root, and at it."""

WORK = 200_000
"""The root's steps are made in rounds that go through about so many members of rows."""

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
def explore(demands: Demands, tree: Tree, steps: int) -> int:
    """Go on for so many steps; return `RUNNING`, `EXHAUSTED` or `TOO_DEEP`."""
    cursor = tree.cursor
    for _ in range(steps):
        depth = cursor[0]
        if cursor[2]:
            outcome = _bound(demands, tree)
            if outcome == AGAIN:
                continue
            if outcome == REFUTED:
                cursor[0], cursor[2] = depth - 1, 0
            elif depth == MAX_DEPTH:
                return TOO_DEEP
            else:
                tree.branch[0, depth], tree.branch[1, depth] = _branching_node(demands, tree), 0
                tree.branch[2, depth] = cursor[1]
                _descend(demands, tree, CHOSEN)
        elif depth < 0:
            return EXHAUSTED
        else:
            _undo(demands, tree, tree.branch[2, depth])
            if tree.branch[1, depth] == 0:
                tree.branch[1, depth] = 1
                _descend(demands, tree, LEFT_OUT)
            else:
                cursor[0] = depth - 1
    return EXHAUSTED if cursor[0] < 0 else RUNNING


@compiled
def _descend(demands: Demands, tree: Tree, value: int) -> None:
    depth = tree.cursor[0]
    _fix(demands, tree, tree.branch[0, depth], value)
    tree.price[depth + 1] = tree.price[depth]
    tree.cursor[0], tree.cursor[2] = depth + 1, 1


@compiled
def _fix(demands: Demands, tree: Tree, node: int, value: int) -> None:
    tree.value[node] = value
    tree.trail[tree.cursor[1]] = node
    tree.cursor[1] += 1
    for place in range(demands.node_start[node], demands.node_start[node + 1]):
        row = demands.node_row[place]
        tree.free[row] -= 1
        tree.need[row] -= value == CHOSEN


@compiled
def _undo(demands: Demands, tree: Tree, length: int) -> None:
    while tree.cursor[1] > length:
        tree.cursor[1] -= 1
        node = tree.trail[tree.cursor[1]]
        for place in range(demands.node_start[node], demands.node_start[node + 1]):
            row = demands.node_row[place]
            tree.free[row] += 1
            tree.need[row] += tree.value[node] == CHOSEN
        tree.value[node] = FREE


@compiled
def _bound(demands: Demands, tree: Tree) -> int:
    """Fix what is forced; return `REFUTED` where no cheaper cover is left here, `AGAIN` where more may be fixed.

    A cover that is found is taken note of, and refuted: what is left must be cheaper.
    """
    open_rows, spent = _meet_demands(demands, tree), 0.0
    for place in range(tree.cursor[1]):
        if tree.value[tree.trail[place]] == CHOSEN:
            spent += demands.weight[tree.trail[place]]
    doubt = 4 * (tree.cursor[1] + 4) * EPSILON * spent
    if open_rows < 0 or spent - doubt > tree.cost[0]:
        return REFUTED
    if open_rows == 0:
        tree.cost[1] = spent
        tree.cost[0] = spent - tree.cost[2]
        return REFUTED
    steps = STEPS if tree.cursor[0] > 0 else max(STEPS, min(FIRST_STEPS, WORK // len(demands.row_node)))
    rest, error = _improve(demands, tree, tree.cost[0] - spent + doubt, steps)
    least = spent + rest - doubt - error
    if least > tree.cost[0]:
        return REFUTED
    tree.cursor[3] -= steps
    unfinished = tree.cursor[0] == 0 and tree.cursor[3] > 0
    return AGAIN if _fix_by_price(demands, tree, least - error) or unfinished else OPEN


@compiled
def _meet_demands(demands: Demands, tree: Tree) -> int:
    """Choose all free nodes of rows that need them all; return the number of open rows, -1 where one is lost."""
    again, open_rows = True, 0
    while again:
        again, open_rows = False, 0
        for row in range(len(tree.need)):
            if tree.need[row] <= 0:
                continue
            if tree.free[row] < tree.need[row]:
                return -1
            open_rows += 1
            if tree.free[row] == tree.need[row]:
                again = True
                for place in range(demands.row_start[row], demands.row_start[row + 1]):
                    if tree.value[demands.row_node[place]] == FREE:
                        _fix(demands, tree, demands.row_node[place], CHOSEN)
    return open_rows


@compiled
def _improve(demands: Demands, tree: Tree, goal: float, steps: int) -> tuple[float, float]:
    """Make subgradient steps until the bound passes the goal; return the best bound and how wrong it can be."""
    price, best, agility, stalled = tree.price[tree.cursor[0]], -np.inf, 1.0, 0
    for _ in range(steps):
        value, error = _evaluate(demands, tree)
        stalled += 1
        if value - error > best:
            best, stalled = value - error, 0
            tree.best_price[:] = price
            if best > goal:
                return value, error
        elif stalled == 3:
            agility, stalled = 0.6 * agility, 0
        norm = _find_slopes(demands, tree)
        if norm == 0:
            return value, error
        length = agility * max(goal - value, 0.0) / norm + agility * tree.cost[3] / norm
        for row in range(len(price)):
            price[row] = max(0.0, price[row] + length * tree.slope[row])
    price[:] = tree.best_price
    return _evaluate(demands, tree)


@compiled
def _evaluate(demands: Demands, tree: Tree) -> tuple[float, float]:
    """Fill in the loads; return the bound on what the free nodes must cost, and how wrong rounding can make it."""
    price, total, carried = tree.price[tree.cursor[0]], 0.0, 0.0
    tree.load[:] = 0.0
    for row in range(len(price)):
        if tree.need[row] > 0 and price[row] > 0:
            total += tree.need[row] * price[row]
            for place in range(demands.row_start[row], demands.row_start[row + 1]):
                tree.load[demands.row_node[place]] += price[row]
    gain = 0.0
    for node in range(len(tree.load)):
        carried += tree.load[node]
        if tree.value[node] == FREE and tree.load[node] > demands.weight[node]:
            gain += tree.load[node] - demands.weight[node]
    return total - gain, 4 * (len(price) + len(tree.load) + 4) * EPSILON * (total + carried)


@compiled
def _find_slopes(demands: Demands, tree: Tree) -> float:
    """Fill in by how much each price would raise the bound; return the sum of squares."""
    price, norm = tree.price[tree.cursor[0]], 0.0
    for row in range(len(price)):
        slope = 0.0
        if tree.need[row] > 0:
            slope = float(tree.need[row])
            for place in range(demands.row_start[row], demands.row_start[row + 1]):
                node = demands.row_node[place]
                slope -= tree.value[node] == FREE and tree.load[node] > demands.weight[node]
            # A price of 0 cannot fall: such a slope would only make all steps shorter.
            if price[row] <= 0 and slope < 0:
                slope = 0.0
        tree.slope[row] = slope
        norm += slope * slope
    return norm


@compiled
def _fix_by_price(demands: Demands, tree: Tree, least: float) -> bool:
    """Fix the free nodes whose other value would cost more than the limit; tell whether there were any."""
    fixed = False
    for node in range(len(tree.value)):
        if tree.value[node] == FREE:
            extra = demands.weight[node] - tree.load[node]
            if least + abs(extra) > tree.cost[0]:
                _fix(demands, tree, node, LEFT_OUT if extra > 0 else CHOSEN)
                fixed = True
    return fixed


@compiled
def _branching_node(demands: Demands, tree: Tree) -> int:
    """Return the free node in the most rows that are open."""
    best, most = -1, 0
    for node in range(len(tree.value)):
        if tree.value[node] == FREE:
            count = 0
            for place in range(demands.node_start[node], demands.node_start[node + 1]):
                count += tree.need[demands.node_row[place]] > 0
            if count > most:
                best, most = node, count
    return best
