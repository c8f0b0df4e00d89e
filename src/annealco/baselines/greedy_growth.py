"""Greedy rules for objectives of linear terms and pairs: two sides of a cut, or a set that grows into a range."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.energy import Cover, Instance, Range
from annealco.energy.compiled import compile_terms
from annealco.graph.segments import FloatArray, IntArray
from annealco.jit import compiled

Bits = NDArray[np.bool_]

STARTS = 8
"""How many nodes a set grows from where none is forced."""


class Quadratic(NamedTuple):
    """Σ a_i x_i + Σ b_uv x_u x_v as rows of neighbours.

    Attributes:
        linear: a, [num_nodes].
        ptr: [num_nodes + 1] row offsets.
        other: [2 · num_pairs] the other node of each pair.
        value: [2 · num_pairs] b.
    """

    linear: FloatArray
    ptr: IntArray
    other: NDArray[np.int32]
    value: FloatArray


def as_quadratic(instance: Instance) -> Quadratic:
    """Read the objective of an instance of one graph."""
    flat = compile_terms(instance.objective, instance.node_ptr)
    # Where all pairs have one coefficient it is kept once.
    value = np.broadcast_to(flat.pair_value, flat.pair_index.shape).copy()
    return Quadratic(flat.linear, flat.pair_ptr, flat.pair_index, value)


def sides(instance: Instance) -> Bits:
    """Set the node whose conditional expectation is most decided, the others even, and again, [num_nodes].

    For maximum cuts this is the rule of Sahni and Gonzalez (1976) with the most decided node first: at least half of
    all weight is cut.
    """
    return _decide(as_quadratic(instance))


@compiled
def _decide(objective: Quadratic) -> Bits:
    size = len(objective.linear)
    chosen, done = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
    change, reach = objective.linear.copy(), np.zeros(size)
    for node in range(size):
        for k in range(objective.ptr[node], objective.ptr[node + 1]):
            change[node] += 0.5 * objective.value[k]
            reach[node] += abs(objective.value[k])
    heap = [(-abs(change[node]), -reach[node], node) for node in range(size)]
    heapq.heapify(heap)
    while len(heap) > 0:
        key, _, node = heapq.heappop(heap)
        if done[node] or key != -abs(change[node]):
            continue
        done[node], chosen[node] = True, change[node] < 0
        for k in range(objective.ptr[node], objective.ptr[node + 1]):
            other = int(np.int64(objective.other[k]))
            if not done[other]:
                change[other] += objective.value[k] * (0.5 if chosen[node] else -0.5)
                heapq.heappush(heap, (-abs(change[other]), -reach[other], other))
    return chosen


def growth(instance: Instance, *, seed: int) -> Bits:
    """Grow a set from the forced nodes, or from some random ones, by the node of least cost for its weight.

    What is returned is the cheapest set on the way whose weight lies in the range, or the last one where none does.
    """
    objective = as_quadratic(instance)
    terms = [constraint.term for constraint in instance.constraints]
    [box] = [term for term in terms if isinstance(term, Range)]
    forced = np.unique([node for term in terms if isinstance(term, Cover) for node in term.members.tolist()])
    able = np.flatnonzero((box.weight > 0) & (box.weight <= box.upper[0]))
    rng = np.random.default_rng(seed)
    starts = [forced] if len(forced) else rng.permutation(able)[:STARTS].reshape(-1, 1)
    limits = np.array([box.lower[0], box.upper[0]])
    grown = [grow(objective, box.weight, limits, start.astype(np.int64)) for start in starts]
    cost, count, order = min(grown, key=lambda each: each[0], default=(np.inf, 0, np.zeros(0, np.int64)))
    chosen = np.zeros(instance.num_nodes, np.bool_)
    chosen[order[: count if np.isfinite(cost) else len(order)]] = True
    return chosen


@compiled
def grow(
    objective: Quadratic, weight: FloatArray, limits: FloatArray, start: IntArray
) -> tuple[float, int, NDArray[np.int64]]:
    """Return the least cost within the limits, infinite for none, how many nodes that set has, and the order of all."""
    size, done = len(weight), np.zeros(len(weight), np.bool_)
    change, order, count = objective.linear.copy(), np.zeros(len(weight), np.int64), 0
    heap = [(_price(change[node], weight[node]), node) for node in range(size) if weight[node] > 0]
    heapq.heapify(heap)
    total, cost, least, best = 0.0, 0.0, np.inf, 0
    forced = len(start)
    while True:
        if count < forced:
            node = start[count]
        elif len(heap) == 0:
            break
        else:
            key, node = heapq.heappop(heap)
            # A weight that does not fit now never will.
            if done[node] or key != _price(change[node], weight[node]) or total + weight[node] > limits[1]:
                continue
        done[node] = True
        order[count] = node
        count += 1
        total += weight[node]
        cost += change[node]
        for k in range(objective.ptr[node], objective.ptr[node + 1]):
            other = int(np.int64(objective.other[k]))
            change[other] += objective.value[k]
            if not done[other] and weight[other] > 0:
                heapq.heappush(heap, (_price(change[other], weight[other]), other))
        if count >= forced and limits[0] <= total <= limits[1] and cost < least:
            least, best = cost, count
    return least, best, order[:count].copy()


@compiled
def _price(change: float, weight: float) -> float:
    return change / weight
