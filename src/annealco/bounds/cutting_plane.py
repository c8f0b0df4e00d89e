"""Price sets of nodes by linear programming, adding sets that the solution violates.

    packing    max Σ w_i x_i   such that Σ_{i∈S} x_i ≤ 1 for every listed set S, x ≥ 0
    covering   min Σ w_i x_i   such that Σ_{i∈S} x_i ≥ 1 for every listed set S, x ≥ 0

There are too many cliques, or cycles, to list them all; those that the solution of the listed ones violates join the
list until none is found. The dual prices of every list on the way prove a bound, once rounded outward by the taker.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.bounds.ledger import Ledger
from annealco.bounds.linear_program import affordable, solve_linear_program
from annealco.bounds.neighbours import Int32Array
from annealco.graph.segments import FloatArray, IntArray, segment_sum

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
    if not affordable(len(sets.member), min(seconds, ledger.seconds_left)):
        return
    sign, best, took = 1.0 if kind == "packing" else -1.0, np.inf, 0.0
    with ledger.within(seconds):
        while not ledger.closed and (left := ledger.seconds_left) > NEXT_ROUND * took:
            began = time.perf_counter()
            limit = np.full(len(sets.start) - 1, sign)
            solved = solve_linear_program(sign * weight, sets, limit, scale=sign, seconds=left, stop=ledger.stop)
            if solved is None:
                return
            offer(sets, solved.price)
            found = separate(solved.solution)
            if len(found.start) == 1:
                return
            value = float(sign * weight @ solved.solution)
            # A set that is not tight is dropped, but only after progress: at equal values it would come back for ever.
            if value < best - TOLERANCE * (1 + abs(value)):
                sets = kept_sets(sets, sign * segment_sum(solved.solution[sets.member], sets.start) > sign - TOLERANCE)
            best = min(best, value)
            sets = join_sets([sets, found])
            took = time.perf_counter() - began


def join_sets(parts: Sequence[SetList]) -> SetList:
    """Return the sets of all parts, one part after the other.

    Example:
        >>> pair, node = (SetList(np.array([0, n]), np.arange(n, dtype=np.int32)) for n in (2, 1))
        >>> join_sets([pair, node]).start.tolist(), join_sets([pair, node]).member.tolist()
        ([0, 2, 3], [0, 1, 0])
    """
    lengths = np.concatenate([np.diff(part.start) for part in parts])
    return SetList(_offsets(lengths), np.concatenate([part.member for part in parts]))


def kept_sets(sets: SetList, kept: NDArray[np.bool_]) -> SetList:
    """Return the sets that are marked, [num_sets].

    Example:
        >>> sets = SetList(np.array([0, 2, 3]), np.array([4, 5, 6], np.int32))
        >>> kept_sets(sets, np.array([False, True])).member.tolist()
        [6]
    """
    lengths = np.diff(sets.start)
    return SetList(_offsets(lengths[kept]), sets.member[np.repeat(kept, lengths)])


def _offsets(lengths: IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
