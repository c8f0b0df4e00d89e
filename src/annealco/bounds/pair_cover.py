"""Cover all pairs of neighbours by cliques, so that the cliques alone say what cannot be chosen together."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from annealco.bounds.cutting_plane import SetList
from annealco.bounds.neighbours import Int32Array, Neighbours, joined
from annealco.graph.segments import IntArray


def cover_pairs(rows: Neighbours, cliques: SetList) -> SetList:
    """Return cliques that hold, with the given ones, both nodes of every pair of neighbours.

    Takes a matrix of [num_nodes, num_nodes] bits while it runs.

    Example:
        >>> from annealco.bounds.neighbours import neighbours_of
        >>> square = neighbours_of(np.array([[0, 0, 1, 1, 2], [1, 2, 2, 3, 3]]), 4)
        >>> more = cover_pairs(square, SetList(np.array([0, 3]), np.array([0, 1, 2], np.int32)))
        >>> more.start.tolist(), more.member.tolist()
        ([0, 3], [1, 3, 2])
    """
    covered = np.zeros((len(rows.start) - 1,) * 2, dtype=bool)
    _mark(cliques.start, cliques.member, covered)
    start, member = _cover(rows, covered)
    return SetList(start, member)


@njit(cache=True, nogil=True)
def _mark(start: IntArray, member: Int32Array, covered: NDArray[np.bool_]) -> None:
    for clique in range(len(start) - 1):
        for one in range(start[clique], start[clique + 1]):
            for other in range(start[clique], start[clique + 1]):
                covered[member[one], member[other]] = True


@njit(cache=True, nogil=True)
def _cover(rows: Neighbours, covered: NDArray[np.bool_]) -> tuple[IntArray, Int32Array]:
    num_nodes = len(rows.start) - 1
    # A clique starts from a pair that no other holds, so that there are no more cliques than pairs.
    start, member = np.zeros(len(rows.node) // 2 + 1, np.int64), np.empty(len(rows.node) + num_nodes, np.int32)
    cliques, filled = 0, 0
    for one in range(num_nodes):
        for entry in range(rows.start[one], rows.start[one + 1]):
            if rows.node[entry] < one or covered[one, rows.node[entry]]:
                continue
            if filled + num_nodes > len(member):
                member = np.concatenate((member, np.empty(len(member) + num_nodes, np.int32)))
            clique = member[filled:]
            clique[0], clique[1] = one, rows.node[entry]
            size = _extend(rows, clique, 2)
            for first in range(size):
                for second in range(size):
                    covered[clique[first], clique[second]] = True
            cliques, filled = cliques + 1, filled + size
            start[cliques] = filled
    return start[: cliques + 1].copy(), member[:filled].copy()


@njit(cache=True, nogil=True)
def _extend(rows: Neighbours, clique: Int32Array, size: int) -> int:
    """Add neighbours of the first node that are joined to all, in their order; return the new size."""
    for entry in range(rows.start[clique[0]], rows.start[clique[0] + 1]):
        node, fits = rows.node[entry], True
        for place in range(1, size):
            if clique[place] == node or not joined(rows, node, clique[place]):
                fits = False
                break
        if fits:
            clique[size] = node
            size += 1
    return size
