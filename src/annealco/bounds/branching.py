"""Search all choices: up to one level after the other, or of a small instance all assignments there are.

For branch and bound, rows of nodes have demands, Σ_{i∈h} x_i ≥ r_h; `annealco._core.BranchAndBound` searches, and a
level that it has searched in vain is a bound. Where all assignments are tried, the optimum itself is the bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from annealco._core import BranchAndBound
from annealco.arrays import FloatArray, IntArray
from annealco.bounds.certify import EPSILON, cost_parts, cost_slack, term_size
from annealco.bounds.ledger import BoundKind, Ledger
from annealco.bounds.linear_program import SetList
from annealco.energy import Instance
from annealco.energy.structure import Structure, structure_of

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


MAX_WORK = 2**23
"""Up to so many assignments times terms are tried, a matter of a tenth of a second."""

BLOCK = 2**12
TOLERANCE = 1e-9
"""What violates the constraints by less counts as feasible, which can only lower the bound."""


def is_enumerable(structure: Structure) -> bool:
    """Tell whether all assignments of an instance of one graph can be tried."""
    if structure.num_nodes >= MAX_WORK.bit_length():
        return False
    work = structure.num_nodes + sum(term_size(term) for term in (*structure.objective, *structure.terms))
    return work << structure.num_nodes <= MAX_WORK


def prove_by_enumeration(instance: Instance, ledger: Ledger, *, seed: int = 0) -> None:  # noqa: ARG001 (no chance)
    """Offer the least cost of all feasible assignments, if there is time to try all, and one is feasible."""
    least, best = np.inf, np.zeros(instance.num_nodes, np.bool_)
    for first in range(0, 2**instance.num_nodes, BLOCK):
        if ledger.settled:
            return
        number = np.arange(first, min(first + BLOCK, 2**instance.num_nodes))
        bits = (number[:, None] >> np.arange(instance.num_nodes) & 1).astype(np.float64)
        bits = bits[instance.violations(bits)[:, 0] <= TOLERANCE]
        costs = _costs(instance, bits)
        if len(costs) and costs.min() < least:
            least, best = float(costs.min()), bits[costs.argmin()] == 1
    if np.isfinite(least):
        ledger.discover(best)
        doubt = cost_slack(instance).at(least)
        cost = math.nextafter(least - doubt, -math.inf) if doubt > 0 else least
        ledger.offer(cost, "enumeration", complete=True)


def _costs(instance: Instance, bits: FloatArray) -> FloatArray:
    """Return the costs of assignments [num_assignments, num_nodes], each within the slack of the instance."""
    structure = structure_of(instance)
    if not structure.is_quadratic:
        return instance.cost.value(bits)[:, 0]
    inside, across, _ = cost_parts(structure)
    low, high = structure.pairs
    return np.asarray(bits @ inside + (bits[:, low] != bits[:, high]) @ across)


ENUMERATION = BoundKind(
    name="enumeration",
    title="all assignments of a few nodes",
    takes=is_enumerable,
    prove=prove_by_enumeration,
    brief=True,
)
