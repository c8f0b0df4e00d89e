"""Find cycles that must hold an unsatisfied coupling and hold too little of a fractional solution.

With the solution as lengths, such a cycle is a walk from a spin to itself, shorter than one, that changes parity. It is
a shortest path in a graph with every spin twice, once for each parity (Barahona and Mahjoub, 1986).
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.bounds.incidence import Incidence
from annealco.bounds.neighbours import Int32Array
from annealco.graph.segments import FloatArray, IntArray
from annealco.jit import compiled

SHORT = 1 - 1e-3
"""A cycle is worth adding if it is shorter than this."""

MAX_SHARED = 2
"""A spin that so many of the found cycles pass is the root of no further one."""


class _Paths(NamedTuple):
    """Shortest paths from a root; state 2i + p is spin i at parity p.

    Attributes:
        distance: [2 * num_spins].
        before: [2 * num_spins] the state before on the path.
        through: [2 * num_spins] the coupling between them.
        odd: [num_pairs] whether the walk has passed the coupling an odd number of times.
    """

    distance: FloatArray
    before: IntArray
    through: IntArray
    odd: NDArray[np.bool_]


@compiled
def short_cycles(
    rows: Incidence, differ: NDArray[np.bool_], length: FloatArray, roots: IntArray, shared: IntArray
) -> tuple[IntArray, Int32Array]:
    """Return cycles with an odd number of couplings that want their spins to differ, each shorter than one.

    Args:
        rows: the couplings of each spin.
        differ: [num_pairs] whether the coupling wants its spins to differ.
        length: [num_pairs], not negative.
        roots: [num_roots] spins to search from.
        shared: [num_spins] how many of the cycles found so far pass each spin; changed in place.

    Returns:
        Offsets [num_cycles + 1], and the couplings of one cycle after the other.
    """
    count, found = len(rows.start) - 1, 0
    states, odd = np.empty((2, 2 * count), np.int64), np.zeros(len(differ), np.bool_)
    paths = _Paths(np.empty(2 * count), states[0], states[1], odd)
    start, member = np.zeros(len(roots) + 1, np.int64), np.empty(32 * count, np.int32)
    for root in roots:
        # A shortest path passes no state twice, so that it has fewer than 2 * count couplings.
        if start[found] + 2 * count > len(member):
            break
        if shared[root] < MAX_SHARED and _walk(rows, differ, length, root, paths):
            start[found + 1] = start[found] + _collect(paths, root, shared, member[start[found] :])
            found += 1
    return start[: found + 1].copy(), member[: start[found]].copy()


@compiled
def _walk(rows: Incidence, differ: NDArray[np.bool_], length: FloatArray, root: int, paths: _Paths) -> bool:
    """Find a shortest path from the root to itself at the other parity; tell whether it is short (Dijkstra)."""
    paths.distance[:] = np.inf
    paths.distance[2 * root] = 0.0
    heap = [(0.0, 2 * root)]
    while len(heap) > 0:
        distance, state = heapq.heappop(heap)
        if distance > paths.distance[state]:
            continue
        if distance >= SHORT or state == 2 * root + 1:
            return bool(distance < SHORT)
        for entry in range(rows.start[state // 2], rows.start[state // 2 + 1]):
            pair = rows.pair[entry]
            reached = 2 * rows.other[entry] + (state % 2 != differ[pair])
            further = distance + length[pair]
            if further < paths.distance[reached]:
                paths.distance[reached], paths.before[reached], paths.through[reached] = further, state, pair
                heapq.heappush(heap, (further, reached))
    return False


@compiled
def _collect(paths: _Paths, root: int, shared: IntArray, member: Int32Array) -> int:
    """Write the couplings that the walk passes an odd number of times; return how many.

    They are cycles that share no coupling, and an odd number of them in all want to differ: one cycle does not get it.
    """
    state, count = 2 * root + 1, 0
    while state != 2 * root:
        paths.odd[paths.through[state]] = not paths.odd[paths.through[state]]
        shared[state // 2] += 1
        state = paths.before[state]
    state = 2 * root + 1
    while state != 2 * root:
        if paths.odd[paths.through[state]]:
            paths.odd[paths.through[state]] = False
            member[count] = paths.through[state]
            count += 1
        state = paths.before[state]
    return count
