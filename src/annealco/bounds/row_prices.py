"""Price the open rows of a search so that what is left to choose must cost much.

With prices y ≥ 0 and loads l_i = Σ_{h∋i} y_h, the free nodes cost at least Σ_h r_h y_h − Σ_i (l_i − w_i)_+ over open
rows, as in a covering. Subgradient steps raise that bound.
"""

from __future__ import annotations

import numpy as np

from annealco.bounds.choice_tree import FREE, Demands, Tree
from annealco.bounds.rounding import EPSILON
from annealco.jit import compiled


@compiled
def raise_prices(demands: Demands, tree: Tree, goal: float, steps: int) -> tuple[float, float]:
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
