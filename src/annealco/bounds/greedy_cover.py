"""Cover the nodes of a sparse graph by cliques, greedily and in near-linear time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from annealco.bounds.clique_cover import CliqueCover, join_covers
from annealco.bounds.ledger import Ledger
from annealco.bounds.neighbours import Int32Array, Neighbours, joined
from annealco.graph.segments import FloatArray, IntArray
from annealco.jit import kernel

GONE = -1

MAX_COMPARED, MAX_COMPARISONS = 64, 2**14
"""How many candidates for the next member of a clique are compared, and with how many others in all: on dense graphs
this keeps the time near-linear."""


class _Remaining(NamedTuple):
    """The nodes that still have weight to be covered.

    Attributes:
        degree: [num_nodes] number of remaining neighbours, `GONE` for a node without weight left.
        order: [num_nodes] the nodes by the number of all neighbours.
        leaves: [num_nodes] a stack of nodes that were left with one neighbour.
        position: [2] how many of ``order`` have been handed out, and the height of the stack.
    """

    degree: Int32Array
    order: Int32Array
    leaves: Int32Array
    position: IntArray


class _Growth(NamedTuple):
    """A clique in the making: its members come first, behind them the candidates that are joined to all of them.

    Attributes:
        node: [num_nodes].
        mark: [num_nodes], equal to the stamp for candidates.
        stamp: [1].
    """

    node: Int32Array
    mark: Int32Array
    stamp: Int32Array


class _Cover(NamedTuple):
    """A cover in the making; changed in place by `_extend_cover`.

    Attributes:
        residual: [num_nodes] the weight that is not yet covered.
        remaining: the nodes that have some.
        growth: room for a clique.
        seed: [1] the node that cliques grow from, `GONE` at the end.
    """

    residual: FloatArray
    remaining: _Remaining
    growth: _Growth
    seed: IntArray


def greedy_clique_cover(rows: Neighbours, weight: FloatArray) -> CliqueCover:
    """Price cliques grown from leaves and from nodes with few neighbours, until every weight is used up.

    A leaf is covered optimally by its edge. Near-linear time on sparse graphs.

    Args:
        rows: the graph.
        weight: [num_nodes], not negative; a node without weight needs no clique.

    Example:
        >>> from annealco.bounds.neighbours import neighbours_of
        >>> path = neighbours_of(np.array([[0, 1, 2], [1, 2, 3]]), 4)
        >>> greedy_clique_cover(path, np.array([1.0, 3.0, 5.0, 5.0])).price.tolist()
        [1.0, 2.0, 3.0, 2.0]
    """
    cover, parts = _begin_cover(rows, weight), list[CliqueCover]()
    while not parts or cover.seed[0] != GONE:
        # Every clique uses up the weight of one node at least.
        parts.append(_next_cliques(rows, cover, len(weight)))
    return join_covers(parts)


def greedy_cover_in_time(rows: Neighbours, weight: FloatArray, ledger: Ledger) -> CliqueCover | None:
    """Return the same cover, or None where the ledger is settled before it is whole."""
    cover, found = _spend(rows, weight, ledger)
    return found if cover.seed[0] == GONE else None


def part_of_greedy_cover(rows: Neighbours, weight: FloatArray, ledger: Ledger) -> CliqueCover:
    """Return as much of the cover as there is time for; what it leaves out has to pay for itself."""
    return _spend(rows, weight, ledger)[1]


def _spend(rows: Neighbours, weight: FloatArray, ledger: Ledger) -> tuple[_Cover, CliqueCover]:
    cover = _begin_cover(rows, weight)
    parts = [_next_cliques(rows, cover, 0)]

    def run(cliques: int) -> int:
        parts.append(_next_cliques(rows, cover, cliques))
        return len(parts[-1].price)

    ledger.spend(run)
    return cover, join_covers(parts)


def _begin_cover(rows: Neighbours, weight: FloatArray) -> _Cover:
    num_nodes, degree = len(weight), np.diff(rows.start).astype(np.int32)
    order = np.argsort(degree, kind="stable").astype(np.int32)
    remaining = _Remaining(degree, order, np.empty(num_nodes, np.int32), np.zeros(2, np.int64))
    growth = _Growth(np.empty(num_nodes, np.int32), np.zeros(num_nodes, np.int32), np.zeros(1, np.int32))
    cover = _Cover(np.array(weight, np.float64), remaining, growth, np.zeros(1, np.int64))
    _leave_weightless(rows, cover)
    return cover


def _next_cliques(rows: Neighbours, cover: _Cover, limit: int) -> CliqueCover:
    """Price up to so many cliques more, fewer where their members do not fit into two lists of all nodes."""
    start, price = np.zeros(limit + 1, np.int64), np.zeros(limit)
    member = np.empty(2 * len(cover.residual), np.int32)
    cliques = _extend_cover(rows, cover, start, member, price)
    return CliqueCover(start[: cliques + 1], member[: start[cliques]].copy(), price[:cliques])


@kernel
def _leave_weightless(rows: Neighbours, cover: _Cover) -> None:
    """Take out the nodes without weight, and choose the first seed."""
    for each in range(len(cover.residual)):
        if cover.residual[each] <= 0:
            _leave(rows, cover.remaining, each)
    cover.seed[0] = _next(cover.remaining)


@kernel
def _extend_cover(rows: Neighbours, cover: _Cover, start: IntArray, member: Int32Array, price: FloatArray) -> int:
    """Fill in the offsets, members and prices of more cliques while there is room; return how many."""
    residual, remaining, clique, seed = cover.residual, cover.remaining, cover.growth.node, cover.seed[0]
    cliques, filled = 0, 0
    while seed != GONE and cliques < len(price):
        size = _grow(rows, remaining.degree, cover.growth, seed)
        if filled + size > len(member):
            break
        paid = residual[seed]
        for each in range(size):
            paid = min(paid, residual[clique[each]])
        for each in range(size):
            member[filled + each] = clique[each]
            residual[clique[each]] -= paid
            if residual[clique[each]] <= 0:
                _leave(rows, remaining, clique[each])
        price[cliques] = paid
        cliques, filled = cliques + 1, filled + size
        start[cliques] = filled
        seed = _next(remaining) if remaining.degree[seed] == GONE else seed
    cover.seed[0] = seed
    return cliques


@kernel
def _leave(rows: Neighbours, remaining: _Remaining, gone: int) -> None:
    degree = remaining.degree
    degree[gone] = GONE
    for entry in range(rows.start[gone], rows.start[gone + 1]):
        other = rows.node[entry]
        if degree[other] != GONE:
            degree[other] -= 1
            # Degrees only fall, so that a node enters the stack once and the stack cannot overflow.
            if degree[other] == 1:
                remaining.leaves[remaining.position[1]] = other
                remaining.position[1] += 1


@kernel
def _next(remaining: _Remaining) -> int:
    """Return a leaf if there is one, else the next node by its degree at first, else `GONE`."""
    position = remaining.position
    while position[1] > 0:
        position[1] -= 1
        leaf = remaining.leaves[position[1]]
        if remaining.degree[leaf] != GONE:
            return int(leaf)
    while position[0] < len(remaining.order):
        each = remaining.order[position[0]]
        if remaining.degree[each] != GONE:
            return int(each)
        position[0] += 1
    return GONE


@kernel
def _grow(rows: Neighbours, degree: Int32Array, growth: _Growth, seed: int) -> int:
    """Make a maximal clique of remaining nodes that holds the seed; return its size."""
    clique = growth.node
    clique[0] = seed
    size, stop = 1, 1
    for entry in range(rows.start[seed], rows.start[seed + 1]):
        if degree[rows.node[entry]] != GONE:
            clique[stop] = rows.node[entry]
            stop += 1
    while size < stop:
        best, common = _most_joined(rows, degree, growth, size, stop) if stop - size > 1 else (size, 0)
        chosen = clique[best]
        clique[best], clique[size] = clique[size], chosen
        size += 1
        kept = size
        if common > 0:
            for place in range(size, stop):
                if joined(rows, chosen, clique[place]):
                    clique[kept] = clique[place]
                    kept += 1
        stop = kept
    return size


@kernel
def _most_joined(rows: Neighbours, degree: Int32Array, growth: _Growth, low: int, high: int) -> tuple[int, int]:
    """Return the place of the candidate that is joined to the most of them, and to how many.

    Of several, one with few neighbours: it is the hardest to place elsewhere.
    """
    candidate, mark = growth.node, growth.mark
    growth.stamp[0] += 1
    for place in range(low, high):
        mark[candidate[place]] = growth.stamp[0]
    best, most = low, -1
    compared = max(1, min(MAX_COMPARED, MAX_COMPARISONS // (high - low)))
    for place in range(low, high, max(1, (high - low) // compared)):
        one, common = candidate[place], 0
        # A hub's neighbours are not gone through for a handful of candidates.
        if rows.start[one + 1] - rows.start[one] <= 16 * (high - low):
            for entry in range(rows.start[one], rows.start[one + 1]):
                common += mark[rows.node[entry]] == growth.stamp[0]
        else:
            for other in range(low, high):
                common += joined(rows, one, candidate[other])
        if common > most or (common == most and degree[one] < degree[candidate[best]]):
            best, most = place, common
    return best, most
