"""A heap of nodes by price that finds its nodes again, so that a price can be changed at any time.

Kernels must not allocate, which a heap of entries that are pushed anew would. Of two nodes of one price the lower
number comes first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.graph.segments import FloatArray, IntArray
from annealco.jit import inlined

ABSENT = -1


class Heap(NamedTuple):
    """A binary heap in arrays.

    Attributes:
        node: [num_nodes] the nodes, each before its two followers.
        place: [num_nodes] where each node is, or ABSENT.
        price: [num_nodes] of each node that is there.
        size: [1] how many there are.
    """

    node: NDArray[np.int32]
    place: NDArray[np.int32]
    price: FloatArray
    size: IntArray


def empty_heap(num_nodes: int) -> Heap:
    """Return a heap without a node."""
    return Heap(
        node=np.zeros(num_nodes, np.int32),
        place=np.full(num_nodes, ABSENT, np.int32),
        price=np.zeros(num_nodes),
        size=np.zeros(1, np.int64),
    )


@inlined
def set_price(heap: Heap, node: int, price: float) -> None:
    """Put a node in, or move it to where its new price belongs; O(log n)."""
    if heap.place[node] == ABSENT:
        heap.place[node] = heap.size[0]
        heap.size[0] += 1
    heap.price[node] = price
    _sift(heap, node, int(heap.place[node]))


@inlined
def pop(heap: Heap) -> int:
    """Take out the cheapest node, or return ABSENT; O(log n)."""
    if heap.size[0] == 0:
        return ABSENT
    node = int(heap.node[0])
    heap.place[node] = ABSENT
    heap.size[0] -= 1
    if heap.size[0] > 0:
        _sift(heap, int(heap.node[heap.size[0]]), 0)
    return node


@inlined
def _sift(heap: Heap, node: int, place: int) -> None:
    """Put a node into a free place, and move it up or down until it fits."""
    while place > 0 and _is_before(heap, node, int(heap.node[(place - 1) // 2])):
        _put(heap, int(heap.node[(place - 1) // 2]), place)
        place = (place - 1) // 2
    while 2 * place + 1 < heap.size[0]:
        below = 2 * place + 1
        if below + 1 < heap.size[0] and _is_before(heap, int(heap.node[below + 1]), int(heap.node[below])):
            below += 1
        if not _is_before(heap, int(heap.node[below]), node):
            break
        _put(heap, int(heap.node[below]), place)
        place = below
    _put(heap, node, place)


@inlined
def _put(heap: Heap, node: int, place: int) -> None:
    heap.node[place] = node
    heap.place[node] = place


@inlined
def _is_before(heap: Heap, node: int, other: int) -> bool:
    one, two = heap.price[node], heap.price[other]
    return bool(one < two or (one == two and node < other))
