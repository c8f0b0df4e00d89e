"""Sweep a weighted sum through its range, the cheapest node for its weight first, and keep the best on the way.

Inside a range every single flip may cost something although the far end of the range is better: half of a cluster has a
larger border than all of it. Single flips turn back there. A sweep chooses one node after the other until none fits
below the upper bound (or drops nodes until none may go above the lower one), whatever that costs, and then returns to
the best assignment it passed, as the passes of Fiduccia and Mattheyses (1982) do. From the empty set a sweep is greedy
growth.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.jit import inlined, kernel, part
from annealco.search.flips import Bits, flip, local_change
from annealco.search.forms import ENERGY, VIOLATION, VIOLATION_TOLERANCE, Forms
from annealco.search.heap import ABSENT, Heap, empty_heap, pop, set_price
from annealco.search.incumbent import Incumbent, note_flip, record_best, save_best


class Sweeper(NamedTuple):
    """What a sweep needs to remember.

    Attributes:
        heap: nodes that may be flipped, by price for their weight.
        order: [num_nodes] the nodes that were flipped.
    """

    heap: Heap
    order: NDArray[np.int32]


def new_sweeper(num_nodes: int) -> Sweeper:
    """Return what a sweep of so many nodes needs."""
    return Sweeper(empty_heap(num_nodes), np.zeros(num_nodes, np.int32))


@part
def sweep(forms: Forms, bits: Bits, incumbent: Incumbent, sweeper: Sweeper, upward: bool) -> None:
    """Sweep a loaded graph up or down; O(m log n).

    Args:
        forms: of one graph.
        bits: the present assignment; afterwards the best feasible one on the way, or where none was, the last.
        incumbent: the best of a search.
        sweeper: to work with.
        upward: whether nodes are chosen, or dropped.
    """
    _fill(forms, bits, sweeper.heap, upward)
    least, best, count = _feasible_energy(bits), 0, 0
    while sweeper.heap.size[0] > 0:
        node = pop(sweeper.heap)
        # A weight that does not fit now never will.
        if not _fits(forms, bits, node, upward):
            continue
        _flip(forms, bits, incumbent, node)
        _follow(forms, bits, sweeper.heap)
        sweeper.order[count] = node
        count += 1
        energy = _feasible_energy(bits)
        if energy < least:
            least, best = energy, count
            if energy < incumbent.cost[0] - forms.tolerance[node]:
                record_best(incumbent, energy)
    if least < np.inf:
        for k in range(count - 1, best - 1, -1):
            _flip(forms, bits, incumbent, int(sweeper.order[k]))


@inlined
def _fill(forms: Forms, bits: Bits, heap: Heap, upward: bool) -> None:
    """Put all nodes into a heap that may be chosen, or dropped."""
    for node in range(len(bits.chosen)):
        if bits.chosen[node] != upward and _weight(forms, node) > 0.0:
            set_price(heap, node, _price(forms, bits, node))


@inlined
def _follow(forms: Forms, bits: Bits, heap: Heap) -> None:
    """Bring the prices up to date that the last flip changed."""
    for k in range(bits.num_touched[0]):
        node = int(bits.touched[k])
        if heap.place[node] != ABSENT:
            set_price(heap, node, _price(forms, bits, node))


def sweep_from_both_ends(forms: Forms, bits: Bits, incumbent: Incumbent) -> None:
    """Sweep up from the empty set, and down from the set of all nodes; without ranges there is nothing to do."""
    if len(forms.range_weight):
        sweeper = new_sweeper(len(bits.chosen))
        for upward in (True, False):
            sweep_from_end(forms, bits, incumbent, sweeper, upward)
        save_best(incumbent, bits.chosen)


@kernel
def sweep_from_end(forms: Forms, bits: Bits, incumbent: Incumbent, sweeper: Sweeper, upward: bool) -> None:
    """Sweep a loaded graph up from the empty set, or down from the set of all nodes."""
    for node in range(len(bits.chosen)):
        if bits.chosen[node] == upward:
            _flip(forms, bits, incumbent, node)
    sweep(forms, bits, incumbent, sweeper, upward)


@inlined
def _flip(forms: Forms, bits: Bits, incumbent: Incumbent, node: int) -> None:
    note_flip(incumbent, bits.chosen, node)
    flip(forms, bits, 0, node)


@inlined
def _feasible_energy(bits: Bits) -> float:
    return float(bits.value[0, ENERGY]) if bits.value[0, VIOLATION] <= VIOLATION_TOLERANCE else np.inf


@inlined
def _weight(forms: Forms, node: int) -> float:
    total = 0.0
    for r in range(len(forms.range_weight)):
        total += forms.range_weight[r, node]
    return total


@inlined
def _price(forms: Forms, bits: Bits, node: int) -> float:
    return local_change(forms, bits, 0, node, ENERGY) / _weight(forms, node)


@inlined
def _fits(forms: Forms, bits: Bits, node: int, upward: bool) -> bool:
    """Tell whether a flip leaves no range by its far end."""
    for r in range(len(forms.range_weight)):
        total, weight = bits.total[r, 0], forms.range_weight[r, node]
        if upward and total + weight > forms.range_upper[r, 0] + VIOLATION_TOLERANCE:
            return False
        if not upward and total - weight < forms.range_lower[r, 0] - VIOLATION_TOLERANCE:
            return False
    return True
