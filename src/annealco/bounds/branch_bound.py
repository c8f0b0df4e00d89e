"""Raise a bound level by level, each proven by searching all choices up to it.

Rows of nodes have demands: Σ_{i∈h} x_i ≥ r_h. The search itself is `annealco._core.BranchAndBound`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from annealco._core import BranchAndBound
from annealco.bounds.cutting_plane import SetList
from annealco.bounds.ledger import Ledger
from annealco.bounds.rounding import EPSILON
from annealco.graph.segments import FloatArray, IntArray

LEVELS = 8
"""In how many levels a known gap is closed, if it is wider than so many steps."""

FIRST_RISE = 0.005
"""By what share of the bound the first level rises where no target is known."""

ROUNDINGS = 4
"""Where costs have no step, a level is below its goal by so many roundings of the largest sum on the way."""


def prove_by_branching(
    weight: FloatArray,
    rows: SetList,
    demand: IntArray,
    price: FloatArray,
    ledger: Ledger,
    *,
    constant: float,
    offer: Callable[[float], None],
) -> bool:
    """Offer higher and higher bounds until the ledger is settled; tell whether a cover was found that meets them.

    Args:
        weight: [num_nodes], positive.
        rows: [num_rows] rows of nodes.
        demand: [num_rows] how many of each must be chosen.
        price: [num_rows] good prices.
        ledger: says when to stop, and what the bound is so far.
        constant: what the cost is above the weight of a cover.
        offer: takes bounds on the cost.
    """
    search = BranchAndBound(rows.start, rows.member, demand.astype(np.int32), weight, price)
    rise = max(ledger.step, FIRST_RISE * abs(ledger.cost))
    if math.isfinite(ledger.target):
        rise = max(ledger.step, (ledger.target - ledger.cost) / LEVELS)
    while not ledger.settled:
        # What would be left is too little for a level of its own.
        level = ledger.target if ledger.cost + 1.5 * rise >= ledger.target else ledger.cost + rise
        # A cover that is cheaper than some cost is cheaper by a whole step; half of one leaves room for rounding.
        gain = ledger.step / 2 or ROUNDINGS * EPSILON * (abs(level - constant) + abs(constant))
        before = ledger.seconds_left
        exhausted, limit, found = search.search(level - gain - constant, gain, ledger.clock())
        if not exhausted:
            return False
        offer(math.nextafter(limit + constant, -math.inf))
        if math.isfinite(found):
            return True
        if level == ledger.target:
            return False
        rise *= 2 if before - ledger.seconds_left < 0.1 * before else 1
    return False
