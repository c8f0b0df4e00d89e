"""List, for every node, the pairs it is in."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.bounds.neighbours import Int32Array
from annealco.graph.segments import IntArray
from annealco.jit import compiled


class Incidence(NamedTuple):
    """Pairs of nodes, row by row.

    Attributes:
        start: [num_nodes + 1] offsets into ``other`` and ``pair``.
        other: [2 * num_pairs] the other node of each pair.
        pair: [2 * num_pairs] the number of the pair, ascending in each row.
    """

    start: IntArray
    other: Int32Array
    pair: Int32Array


def incidence_of(pairs: NDArray[np.integer[Any]], num_nodes: int) -> Incidence:
    """Return the rows of pairs of different nodes [2, num_pairs], by a counting sort.

    Example:
        >>> rows = incidence_of(np.array([[2, 0], [1, 2]]), 3)
        >>> rows.start.tolist(), rows.other.tolist(), rows.pair.tolist()
        ([0, 1, 2, 4], [2, 2, 1, 0], [1, 0, 0, 1])
    """
    low, high = pairs.astype(np.int32)
    return Incidence(*_fill(low, high, num_nodes))


@compiled
def _fill(low: Int32Array, high: Int32Array, num_nodes: int) -> tuple[IntArray, Int32Array, Int32Array]:
    start = np.zeros(num_nodes + 1, np.int64)
    for pair in range(len(low)):
        start[low[pair] + 1] += 1
        start[high[pair] + 1] += 1
    for node in range(num_nodes):
        start[node + 1] += start[node]
    other, number, place = np.empty(2 * len(low), np.int32), np.empty(2 * len(low), np.int32), start[:-1].copy()
    for pair in range(len(low)):
        one, two = low[pair], high[pair]
        other[place[one]], number[place[one]] = two, pair
        other[place[two]], number[place[two]] = one, pair
        place[one] += 1
        place[two] += 1
    return start, other, number
