"""Raise a bound level by level, each proven by searching all choices up to it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from annealco.bounds.branching import EXHAUSTED, RUNNING, explore
from annealco.bounds.choice_tree import Demands, Tree, start_tree
from annealco.bounds.cutting_plane import SetList
from annealco.bounds.ledger import Ledger
from annealco.bounds.rounding import EPSILON
from annealco.graph.rows import sets_of_nodes
from annealco.graph.segments import FloatArray, IntArray

LEVELS = 8
"""In how many levels a known gap is closed, if it is wider than so many steps."""

FIRST_RISE = 0.005
"""By what share of the bound the first level rises where no target is known."""

ROUNDINGS = 4
"""Where costs have no step, a level is below its goal by so many roundings of the largest sum on the way."""


def demands_of(weight: FloatArray, rows: SetList, demand: IntArray) -> Demands:
    """Return rows of nodes with demands, and the rows of each node.

    Args:
        weight: [num_nodes], positive.
        rows: [num_rows] rows of nodes.
        demand: [num_rows] how many of each must be chosen.
    """
    node_start, node_row = sets_of_nodes(rows.start, rows.member, len(weight))
    return Demands(
        weight=np.array(weight),
        row_start=rows.start.astype(np.int64),
        row_node=rows.member.astype(np.int32),
        demand=demand.astype(np.int64),
        node_start=node_start,
        node_row=node_row,
    )


def prove_by_branching(
    demands: Demands, price: FloatArray, ledger: Ledger, *, constant: float, offer: Callable[[float], None]
) -> bool:
    """Offer higher and higher bounds until the ledger is settled; tell whether a cover was found that meets them.

    Args:
        demands: what must be met.
        price: [num_rows] good prices.
        ledger: says when to stop, and what the bound is so far.
        constant: what the cost is above the weight of a cover.
        offer: takes bounds on the cost.
    """
    rise = max(ledger.step, FIRST_RISE * abs(ledger.cost))
    if math.isfinite(ledger.target):
        rise = max(ledger.step, (ledger.target - ledger.cost) / LEVELS)
    while not ledger.settled:
        # What would be left is too little for a level of its own.
        level = ledger.target if ledger.cost + 1.5 * rise >= ledger.target else ledger.cost + rise
        # A cover that is cheaper than some cost is cheaper by a whole step; half of one leaves room for rounding.
        gain = ledger.step / 2 or ROUNDINGS * EPSILON * (abs(level - constant) + abs(constant))
        limit = level - gain
        before, tree = ledger.seconds_left, start_tree(demands, price, limit - constant, gain)
        status = _run(demands, tree, ledger)
        if status != EXHAUSTED:
            return False
        offer(math.nextafter(tree.cost[0] + constant, -math.inf))
        if math.isfinite(tree.cost[1]):
            return True
        if level == ledger.target:
            return False
        rise *= 2 if before - ledger.seconds_left < 0.1 * before else 1
    return False


def _run(demands: Demands, tree: Tree, ledger: Ledger) -> int:
    """Search until the tree is exhausted or time is up; return how it ended."""
    status = RUNNING

    def run(steps: int) -> int:
        nonlocal status
        status = explore(demands, tree, steps)
        return steps if status == RUNNING else 0

    ledger.spend(run)
    return status
