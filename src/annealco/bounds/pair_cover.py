"""Cover all pairs of neighbours by cliques, so that the cliques alone say what cannot be chosen together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.bounds.cutting_plane import SetList, join_sets
from annealco.bounds.ledger import Ledger
from annealco.bounds.neighbours import Int32Array, Neighbours, joined
from annealco.graph.segments import IntArray
from annealco.jit import compiled

UNIT = 1000
"""Pairs looked at in the least amount of work."""


def cover_pairs(rows: Neighbours, cliques: SetList, ledger: Ledger, *, most: int) -> SetList | None:
    """Return cliques that hold, with the given ones, both nodes of every pair of neighbours.

    Takes a matrix of [num_nodes, num_nodes] bits while it runs. Returns None where time does not suffice, or where all
    cliques have more than ``most`` members.

    Example:
        >>> from annealco.bounds.neighbours import neighbours_of
        >>> square = neighbours_of(np.array([[0, 0, 1, 1, 2], [1, 2, 2, 3, 3]]), 4)
        >>> triangle = SetList(np.array([0, 3]), np.array([0, 1, 2], np.int32))
        >>> more = cover_pairs(square, triangle, Ledger(seconds=1), most=9)
        >>> more.start.tolist(), more.member.tolist()
        ([0, 3], [1, 3, 2])
    """
    num_nodes, room = len(rows.start) - 1, most - len(cliques.member)
    if room < 0:
        return None
    covered = np.zeros((num_nodes, num_nodes), dtype=bool)
    _mark(cliques.start, cliques.member, covered)
    found, position, owner = (
        [SetList(np.zeros(1, np.int64), np.zeros(0, np.int32))],
        np.zeros(1, np.int64),
        _owner(rows),
    )

    def run(amount: int) -> int:
        nonlocal room
        found.append(SetList(*_cover(rows, covered, owner, position, amount * UNIT)))
        room -= len(found[-1].member)
        return amount if position[0] < len(owner) and room >= 0 else 0

    ledger.spend(run)
    return join_sets(found) if position[0] == len(owner) and room >= 0 else None


def _owner(rows: Neighbours) -> IntArray:
    return np.repeat(np.arange(len(rows.start) - 1), np.diff(rows.start))


@compiled
def _mark(start: IntArray, member: Int32Array, covered: NDArray[np.bool_]) -> None:
    for clique in range(len(start) - 1):
        for one in range(start[clique], start[clique + 1]):
            for other in range(start[clique], start[clique + 1]):
                covered[member[one], member[other]] = True


@compiled
def _cover(
    rows: Neighbours, covered: NDArray[np.bool_], owner: IntArray, position: IntArray, work: int
) -> tuple[IntArray, Int32Array]:
    """Return cliques for the next pairs that no clique holds yet, and mark what they hold, for so much work."""
    num_nodes = len(rows.start) - 1
    start, member = np.zeros(work + 2, np.int64), np.empty(2 * num_nodes, np.int32)
    cliques, filled = 0, 0
    while position[0] < len(owner) and work > 0:
        one, other = owner[position[0]], rows.node[position[0]]
        position[0] += 1
        work -= 1
        if other < one or covered[one, other]:
            continue
        if filled + num_nodes > len(member):
            member = np.concatenate((member, np.empty(len(member) + num_nodes, np.int32)))
        clique = member[filled:]
        clique[0], clique[1] = one, other
        size = _extend(rows, clique, 2)
        # To extend a clique is to look at each neighbour, at a fitting one once for each member.
        work -= rows.start[one + 1] - rows.start[one] + size * size
        for first in range(size):
            for second in range(size):
                covered[clique[first], clique[second]] = True
        cliques, filled = cliques + 1, filled + size
        start[cliques] = filled
    return start[: cliques + 1].copy(), member[:filled].copy()


@compiled
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
