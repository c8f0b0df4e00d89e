"""A covering: choose nodes of the least weight such that every set has a chosen member.

Prices y ≥ 0 of the sets prove a bound. Paying y_h for every set h beforehand, a node costs w_i less the prices of its
sets; choosing exactly the nodes that then cost less than nothing is cheapest of all choices, covering or not:

    Σ_i w_i x_i ≥ Σ_h y_h + Σ_i min(0, w_i − Σ_{h∋i} y_h)   for every x that hits all sets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from annealco.bounds.neighbours import Int32Array
from annealco.bounds.rounding import EPSILON, lower_sum
from annealco.bounds.structure import Structure
from annealco.graph.segments import FloatArray, IntArray


class Covering(NamedTuple):
    """Choose nodes so that every set is hit: the cost is at least the constant plus their weight.

    Attributes:
        weight: [num_nodes], positive for all members.
        set_ptr: [num_sets + 1] offsets into ``members``.
        members: [num_members] nodes.
        constant: see above.
    """

    weight: FloatArray
    set_ptr: IntArray
    members: Int32Array
    constant: float


def covering_of(structure: Structure) -> Covering:
    """Return the covering that a structure without pairs in its objective is relaxed to.

    A node that costs nothing is chosen without loss, and its sets are hit.
    """
    free = structure.linear <= 0
    set_of_member = np.repeat(np.arange(len(structure.set_ptr) - 1), np.diff(structure.set_ptr))
    open_set = np.ones(len(structure.set_ptr) - 1, dtype=bool)
    open_set[set_of_member[free[structure.members]]] = False
    return Covering(
        weight=np.maximum(structure.linear, 0.0),
        set_ptr=np.concatenate([[0], np.cumsum(np.diff(structure.set_ptr)[open_set])]).astype(np.int64),
        members=structure.members[open_set[set_of_member]].astype(np.int32),
        constant=lower_sum(structure.linear[free]) if free.any() else 0.0,
    )


def certified_cost(covering: Covering, price: FloatArray) -> float:
    """Return the lower bound on the cost that prices of the sets [num_sets] prove, every rounding outward.

    Example:
        >>> pair = Covering(np.array([1.0, 2.0]), np.array([0, 2]), np.array([0, 1], np.int32), 0.0)
        >>> round(certified_cost(pair, np.array([1.0])), 9), round(certified_cost(pair, np.array([1.5])), 9)
        (1.0, 1.0)
    """
    paid = np.maximum(price, 0.0)
    spread = np.repeat(paid, np.diff(covering.set_ptr))
    terms = np.bincount(covering.members, minlength=len(covering.weight))
    # A sum of k positive floats is off by at most k roundings of itself.
    load = np.bincount(covering.members, spread, minlength=len(covering.weight)) * (1 + (terms + 2) * EPSILON)
    excess = np.where(load > covering.weight, (covering.weight - load) * (1 + 2 * EPSILON), 0.0)
    return lower_sum(np.concatenate([[covering.constant], paid, excess[excess < 0]]))
