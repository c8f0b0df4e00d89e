"""Greedy rules for pairs that exclude each other and for sets that must be hit, compiled.

A packing chooses nodes of which no two are a pair, best by weight for each pair it spoils; a covering chooses nodes
until every set holds one, best by sets hit for their cost. Each comes with a fixed order and with one that is updated
after every choice. Near-linear: every pair and membership is met a constant number of times, up to a heap.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.graph.segments import FloatArray, IntArray
from annealco.jit import compiled
from annealco.search.covering import HittingSet

Bits = NDArray[np.bool_]


class SetArrays(NamedTuple):
    """The arrays of a `HittingSet`, as compiled functions take them."""

    cost: FloatArray
    set_ptr: IntArray
    members: NDArray[np.int32]
    variable_ptr: IntArray
    sets: NDArray[np.int32]
    partner: NDArray[np.int32]


def as_arrays(sets: HittingSet) -> SetArrays:
    """Return the arrays of a problem, without a copy."""
    return SetArrays(sets.cost, sets.set_ptr, sets.members, sets.variable_ptr, sets.sets, sets.partner)


def pack_fixed(sets: SetArrays) -> Bits:
    """Add nodes by descending weight / (1 + partners) while no partner is chosen, [num_nodes].

    Without weights this is the order of increasing degree.
    """
    return pack_in_order(sets, np.argsort(-pack_score(sets.cost, np.diff(sets.variable_ptr)), kind="stable"))


def pack_score(weight: FloatArray, partners: IntArray) -> FloatArray:
    """Return weight / (1 + partners), [num_nodes]."""
    return np.asarray(weight / (1.0 + partners))


@compiled
def pack_in_order(sets: SetArrays, order: IntArray) -> Bits:
    """Add nodes in an order while no partner is chosen, [num_nodes]."""
    chosen, barred = np.zeros(len(sets.cost), np.bool_), np.zeros(len(sets.cost), np.bool_)
    for node in order:
        if not barred[node]:
            chosen[node] = True
            for k in range(sets.variable_ptr[node], sets.variable_ptr[node + 1]):
                barred[sets.partner[k]] = True
    return chosen


@compiled
def pack_updated(sets: SetArrays) -> Bits:
    """Choose the node of largest weight / (1 + remaining partners), drop its partners, and again, [num_nodes].

    Without weights this is the rule of least remaining degree (for weights: Sakai, Togasaki and Yamazaki, 2003).
    """
    size = len(sets.cost)
    chosen, gone = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
    degree = sets.variable_ptr[1:] - sets.variable_ptr[:-1]
    heap = [(-sets.cost[node] / (1.0 + degree[node]), node) for node in range(size)]
    heapq.heapify(heap)
    while len(heap) > 0:
        key, node = heapq.heappop(heap)
        if gone[node] or key != -sets.cost[node] / (1.0 + degree[node]):
            continue
        chosen[node] = gone[node] = True
        for k in range(sets.variable_ptr[node], sets.variable_ptr[node + 1]):
            dropped = sets.partner[k]
            if gone[dropped]:
                continue
            gone[dropped] = True
            for j in range(sets.variable_ptr[dropped], sets.variable_ptr[dropped + 1]):
                other = int(np.int64(sets.partner[j]))
                if not gone[other]:
                    degree[other] -= 1
                    heapq.heappush(heap, (-sets.cost[other] / (1.0 + degree[other]), other))
    return chosen


def cover_fixed(sets: SetArrays) -> Bits:
    """Add nodes by descending number of sets for their cost where one of these is not hit yet, [num_nodes]."""
    worth = cover_score(sets.cost, np.diff(sets.variable_ptr))
    return cover_in_order(sets, np.argsort(-worth, kind="stable"))


def cover_score(cost: FloatArray, gain: IntArray) -> FloatArray:
    """Return gain / cost, [num_nodes]; what costs nothing comes first."""
    return np.where(cost > 0, gain / np.where(cost > 0, cost, 1.0), np.inf)


@compiled
def cover_in_order(sets: SetArrays, order: IntArray) -> Bits:
    """Add nodes in an order where one of their sets is not hit yet, [num_nodes]."""
    chosen, hit = np.zeros(len(sets.cost), np.bool_), np.zeros(len(sets.set_ptr) - 1, np.bool_)
    for node in order:
        for k in range(sets.variable_ptr[node], sets.variable_ptr[node + 1]):
            if not hit[sets.sets[k]]:
                chosen[node] = hit[sets.sets[k]] = True
    return chosen


@compiled
def cover_updated(sets: SetArrays) -> Bits:
    """Choose the node that hits most new sets for its cost, and again until all are hit, [num_nodes]."""
    size = len(sets.cost)
    chosen, hit = np.zeros(size, np.bool_), np.zeros(len(sets.set_ptr) - 1, np.bool_)
    gain = sets.variable_ptr[1:] - sets.variable_ptr[:-1]
    heap = [(_loss(gain[node], sets.cost[node]), node) for node in range(size)]
    heapq.heapify(heap)
    while len(heap) > 0:
        key, node = heapq.heappop(heap)
        if gain[node] == 0:
            continue
        now = _loss(gain[node], sets.cost[node])
        if now > key:
            # Gains only fall, so an old key is too good: filed anew, it comes up when it is due.
            heapq.heappush(heap, (now, node))
            continue
        chosen[node] = True
        for k in range(sets.variable_ptr[node], sets.variable_ptr[node + 1]):
            each = sets.sets[k]
            if not hit[each]:
                hit[each] = True
                for j in range(sets.set_ptr[each], sets.set_ptr[each + 1]):
                    gain[sets.members[j]] -= 1
    return chosen


@compiled
def _loss(gain: int, cost: float) -> float:
    return -gain / cost if cost > 0 else -np.inf


def prune(sets: SetArrays, chosen: Bits) -> Bits:
    """Drop chosen nodes, the heaviest and of these the least useful first, while every set stays hit; [num_nodes]."""
    useful = np.diff(sets.variable_ptr)
    return drop_in_order(sets, chosen.copy(), np.lexsort((useful, -sets.cost)))


@compiled
def drop_in_order(sets: SetArrays, chosen: Bits, order: IntArray) -> Bits:
    """Drop chosen nodes in an order while every set stays hit, in place, [num_nodes]."""
    hits = np.zeros(len(sets.set_ptr) - 1, np.int64)
    for each in range(len(hits)):
        for k in range(sets.set_ptr[each], sets.set_ptr[each + 1]):
            hits[each] += chosen[sets.members[k]]
    for node in order:
        if chosen[node]:
            needed = False
            for k in range(sets.variable_ptr[node], sets.variable_ptr[node + 1]):
                needed |= hits[sets.sets[k]] == 1
            if not needed:
                chosen[node] = False
                for k in range(sets.variable_ptr[node], sets.variable_ptr[node + 1]):
                    hits[sets.sets[k]] -= 1
    return chosen
