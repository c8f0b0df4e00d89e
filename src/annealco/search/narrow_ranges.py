"""Bring a weighted sum into a range that single flips jump over: by two flips at once, or a subset sum.

Only nodes whose flip violates no pair and no set take part. If what they do together violates something after all, it
is taken back.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.graph.segments import FloatArray, IntArray
from annealco.graph.subset_sums import with_size
from annealco.jit import kernel
from annealco.search.flips import Bits, flip, local_change
from annealco.search.forms import ENERGY, VIOLATION, VIOLATION_TOLERANCE, Forms

MAX_CELLS = 20_000_000
"""Largest table, nodes times sums, of a subset sum."""

MAX_BITS = 2**30
"""Largest table, different weights times sums, of sums that are told apart by their weights alone."""

MAX_PAIRED = 300
"""Most nodes of which all pairs are tried."""

EPSILON = 1e-3
"""Price of a flip that costs nothing, in units of the energy: of two ways the shorter."""


def fit_ranges(forms: Forms, bits: Bits, graph: int) -> None:
    """Flip several nodes of a loaded graph at once as long as that lowers its violations."""
    lower = True
    while lower:
        lower = False
        for r in range(len(forms.range_weight)):
            away = forms.range[r, graph, VIOLATION] * _outside_of(forms, r, graph, bits.total[r, graph : graph + 1])
            if away[0] > VIOLATION_TOLERANCE:
                lower |= any(
                    _try(forms, bits, graph, find(forms, bits, graph, r)) for find in (_subset, _pair, _counts)
                )


def _try(forms: Forms, bits: Bits, graph: int, nodes: IntArray) -> bool:
    """Flip all nodes, and back if that does not lower the violations."""
    before = bits.value[graph, VIOLATION]
    flip_all(forms, bits, graph, nodes)
    if bits.value[graph, VIOLATION] < before - VIOLATION_TOLERANCE:
        return True
    flip_all(forms, bits, graph, nodes)
    return False


@kernel
def flip_all(forms: Forms, bits: Bits, graph: int, nodes: IntArray) -> None:
    """Flip nodes of a graph, one after the other."""
    for k in range(len(nodes)):
        flip(forms, bits, graph, nodes[k])


def _usable(forms: Forms, bits: Bits, graph: int) -> IntArray:
    """Return the nodes whose flip violates no pair and no set."""
    nodes = np.arange(forms.node_ptr[graph], forms.node_ptr[graph + 1])
    return np.asarray(nodes[_changes(forms, bits, graph, nodes, VIOLATION) <= VIOLATION_TOLERANCE])


def _prices(forms: Forms, bits: Bits, graph: int, nodes: IntArray) -> FloatArray:
    return np.asarray(np.maximum(_changes(forms, bits, graph, nodes, ENERGY), 0.0) + EPSILON * forms.unit[graph])


def _changes(forms: Forms, bits: Bits, graph: int, nodes: IntArray, reading: int) -> FloatArray:
    changes = np.empty(len(nodes))
    read_changes(forms, bits, graph, (nodes, changes), reading)
    return changes


@kernel
def read_changes(forms: Forms, bits: Bits, graph: int, table: tuple[IntArray, FloatArray], reading: int) -> None:
    """Write the local change by a flip of each of the nodes in the first array into the second."""
    for k in range(len(table[0])):
        table[1][k] = local_change(forms, bits, graph, table[0][k], reading)


def _pair(forms: Forms, bits: Bits, graph: int, r: int) -> IntArray:
    """Return two nodes that together bring the sums nearest to their ranges, of those the cheapest found.

    All pairs of a small graph are tried; of a large one those that bring the sum in question nearest, O(n log n).
    """
    nodes = _usable(forms, bits, graph)
    steps = np.where(bits.chosen[nodes], -1.0, 1.0) * forms.range_weight[:, nodes]
    order = np.argsort(steps[r], kind="stable")
    nodes, steps = nodes[order], steps[:, order]
    goal = forms.range_lower[r, graph] - bits.total[r, graph]
    left, right = np.triu_indices(len(nodes), 1) if len(nodes) <= MAX_PAIRED else _near_pairs(steps[r], goal)
    away = np.zeros(len(left))
    for each in range(len(steps)):
        totals = bits.total[each, graph] + steps[each, left] + steps[each, right]
        away += forms.range[each, graph, VIOLATION] * _outside_of(forms, each, graph, totals)
    prices = _prices(forms, bits, graph, nodes)
    best = np.lexsort((prices[left] + prices[right], away))[:1]
    return np.asarray(nodes[np.concatenate([left[best], right[best]])])


def _near_pairs(steps: FloatArray, goal: float) -> tuple[IntArray, IntArray]:
    """Return pairs of positions in ascending steps that add up to about the goal, four a position."""
    ones = np.arange(len(steps))
    # The first partner that reaches the goal and its neighbours, of which one may be the position itself.
    others = np.searchsorted(steps, goal - steps)[:, None] + np.arange(-2, 2)
    legal = (others >= 0) & (others < len(steps)) & (others != ones[:, None])
    return np.broadcast_to(ones[:, None], others.shape)[legal], others[legal]


def _outside_of(forms: Forms, r: int, graph: int, totals: FloatArray) -> FloatArray:
    lower, upper = forms.range_lower[r, graph], forms.range_upper[r, graph]
    return np.asarray(np.maximum(totals - upper, 0.0) + np.maximum(lower - totals, 0.0))


def _subset(forms: Forms, bits: Bits, graph: int, r: int) -> IntArray:
    """Return the cheapest nodes that bring the sum nearest to its range, for whole weights and small graphs."""
    nodes = _usable(forms, bits, graph)
    weight, chosen = forms.range_weight[r, nodes], bits.chosen[nodes]
    whole = np.all((weight >= 0) & (weight == np.floor(weight)))
    if not whole or (weight.sum() + 1) * len(nodes) > MAX_CELLS:
        return nodes[:0]
    steps = weight.astype(np.int64)
    price = np.full(int(steps.sum()) + 1, np.inf)
    flipped = np.zeros((len(steps), len(price)), dtype=np.bool_)
    reach(steps, chosen, _prices(forms, bits, graph, nodes), price, flipped)
    fixed = bits.total[r, graph] - weight @ chosen
    away = _outside_of(forms, r, graph, fixed + np.arange(len(price)))
    away[~np.isfinite(price)] = np.inf
    goal = int(np.lexsort((price, away))[0])
    return np.asarray(nodes[_trace_back(steps, chosen, flipped, goal)])


def _counts(forms: Forms, bits: Bits, graph: int, r: int) -> IntArray:
    """Return nodes that bring the sum into its range, or as near as whole weights allow, on graphs of any size.

    Nodes of one weight are alike here: what is looked for is how many of them are chosen, near to how many are now;
    which of them flip is decided by their prices.
    """
    nodes = _usable(forms, bits, graph)
    weight, chosen = forms.range_weight[r, nodes], bits.chosen[nodes]
    whole = np.all((weight >= 0) & (weight == np.floor(weight)))
    sizes, kind, counts = np.unique(weight, return_inverse=True, return_counts=True)
    if not whole or (weight.sum() + 1) * len(sizes) > MAX_BITS:
        return nodes[:0]
    before = np.bincount(kind[chosen], minlength=len(sizes)).tolist()
    reached, most = [1], int(weight.sum())
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        reached.append(with_size(reached[-1], int(size), count, most))
    goal = _nearest_sum(forms, graph, r, reached[-1], float(bits.total[r, graph] - weight @ chosen))
    prices, flipped = _prices(forms, bits, graph, nodes), [nodes[:0]]
    for k in range(len(sizes) - 1, -1, -1):
        size = int(sizes[k])
        possible = [n for n in range(counts[k] + 1) if n * size <= goal and reached[k] >> (goal - n * size) & 1]
        wanted = min(possible, key=lambda n: abs(n - before[k]))
        goal -= wanted * size
        others = np.flatnonzero((kind == k) & (chosen != (wanted > before[k])))
        cheapest = others[np.argsort(prices[others], kind="stable")]
        flipped.append(nodes[cheapest[: abs(wanted - before[k])]])
    return np.concatenate(flipped)


def _nearest_sum(forms: Forms, graph: int, r: int, reached: int, fixed: float) -> int:
    """Return which of the sums that are reached, as bits, is nearest to the range once the fixed part is added."""
    size = reached.bit_length()
    packed = np.frombuffer(reached.to_bytes((size + 7) // 8, "little"), dtype=np.uint8)
    sums = np.flatnonzero(np.unpackbits(packed, bitorder="little"))
    return int(sums[np.argmin(_outside_of(forms, r, graph, fixed + sums.astype(np.float64)))])


@kernel
def reach(
    steps: IntArray,
    chosen: NDArray[np.bool_],
    prices: FloatArray,
    best: FloatArray,
    flipped: NDArray[np.bool_],
) -> None:
    """Write the least price of flips for every sum, and which nodes flip on the way, [num_nodes, largest sum + 1]."""
    best[0] = 0.0
    for k in range(len(steps)):
        # A node adds its step where it ends up chosen: downward, so that sums without it are still there.
        step = steps[k]
        for total in range(len(best) - 1, -1, -1):
            left_out = best[total] + (prices[k] if chosen[k] else 0.0)
            put_in = best[total - step] + (0.0 if chosen[k] else prices[k]) if total >= step else np.inf
            best[total] = min(left_out, put_in)
            flipped[k, total] = (put_in < left_out) != chosen[k]


def _trace_back(steps: IntArray, chosen: NDArray[np.bool_], flipped: NDArray[np.bool_], goal: int) -> list[int]:
    """Return the positions of the nodes that flip to reach a sum."""
    found = []
    for k in range(len(steps) - 1, -1, -1):
        if flipped[k, goal]:
            found.append(k)
        if chosen[k] != flipped[k, goal]:
            goal -= int(steps[k])
    return found
