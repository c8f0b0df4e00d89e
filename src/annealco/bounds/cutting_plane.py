"""Price sets of nodes by linear programming, adding sets that the solution violates.

    packing    max Σ w_i x_i   such that Σ_{i∈S} x_i ≤ 1 for every listed set S, x ≥ 0
    covering   min Σ w_i x_i   such that Σ_{i∈S} x_i ≥ 1 for every listed set S, x ≥ 0

There are too many cliques, or cycles, to list them all; those that the solution of the listed ones violates join the
list until none is found. The dual prices of every list on the way prove a bound, once rounded outward by the taker.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_array, vstack

from annealco.bounds.ledger import Ledger
from annealco.bounds.linear_program import solve_linear_program
from annealco.bounds.neighbours import Int32Array
from annealco.graph.segments import FloatArray, IntArray

TOLERANCE = 1e-6
NEXT_ROUND = 1.5
"""A round is begun only if this many times the last one's duration is left."""


class SetList(NamedTuple):
    """Sets of nodes.

    Attributes:
        start: [num_sets + 1] offsets into ``member``.
        member: [num_members] nodes.
    """

    start: IntArray
    member: Int32Array


def tighten(
    kind: Literal["packing", "covering"],
    weight: FloatArray,
    sets: SetList,
    ledger: Ledger,
    *,
    separate: Callable[[FloatArray], SetList],
    offer: Callable[[SetList, FloatArray], None],
    seconds: float = math.inf,
) -> None:
    """Offer prices of more and more sets until none is violated or the ledger is settled.

    Args:
        kind: see above.
        weight: [num_nodes], positive.
        sets: where to start from; for a packing every node must be in one.
        ledger: says when to stop.
        separate: finds sets that a solution [num_nodes] violates.
        offer: takes sets and their prices [num_sets].
        seconds: how long at most.
    """
    sign = 1.0 if kind == "packing" else -1.0
    matrix = _matrix(sets, len(weight))
    best, took, until = np.inf, 0.0, time.perf_counter() + min(seconds, ledger.seconds_left)
    while (began := time.perf_counter()) + NEXT_ROUND * took < until and not ledger.closed:
        limit = np.full(matrix.shape[0], sign)
        solved = solve_linear_program(sign * weight, sign * matrix, limit, seconds=until - began)
        if solved is None:
            return
        offer(SetList(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)), solved.price)
        found = separate(solved.solution)
        if len(found.start) == 1:
            return
        value = float(sign * weight @ solved.solution)
        # A set that is not tight is dropped, but only after progress: at equal values it would come back for ever.
        if value < best - TOLERANCE * (1 + abs(value)):
            matrix = matrix[sign * (matrix @ solved.solution) > sign - TOLERANCE]
        best = min(best, value)
        matrix = csr_array(vstack([matrix, _matrix(found, len(weight))]))
        took = time.perf_counter() - began


def _matrix(sets: SetList, num_nodes: int) -> csr_array:
    return csr_array((np.ones(len(sets.member)), sets.member, sets.start), shape=(len(sets.start) - 1, num_nodes))
