"""Lists by node of what terms list by pair or by set, in time linear in their size.

SciPy's conversions do the same with twice the passes over memory; on graphs of millions of edges that was half the time
of decoding them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from annealco.graph.segments import FloatArray, IntArray
from annealco.jit import kernel, prefetch

Int32Array = NDArray[np.int32]

AHEAD = 16
"""A place to write to is asked for this many entries before it is needed."""

BLOCK_BITS = 14
"""Nodes are numbered within a block by this many bits: the lists of a block fit into the second-level cache."""


def symmetric_rows(pairs: NDArray[np.integer], value: FloatArray, size: int) -> tuple[IntArray, Int32Array, FloatArray]:
    """Return the rows of the symmetric matrix with these values at (u, v) and (v, u): offsets, columns and values.

    Columns ascend in every row, and values of a pair that is listed several times add up. Where all values are equal
    there is only one, for all pairs: most graphs have no weights, and less memory is faster memory.

    Args:
        pairs: [2, num_pairs], of two different nodes each.
        value: [num_pairs].
        size: number of rows.

    Example:
        >>> ptr, index, each = symmetric_rows(np.array([[0, 0], [1, 2]]), np.array([3.0, 4.0]), 3)
        >>> ptr.tolist(), index.tolist(), each.tolist()
        ([0, 2, 3, 4], [1, 2, 0, 0], [3.0, 4.0, 3.0, 4.0])
        >>> symmetric_rows(np.array([[0, 0], [1, 2]]), np.array([3.0, 3.0]), 3)[2].tolist()
        [3.0]
    """
    low, high = (np.ascontiguousarray(each, dtype=np.int32) for each in pairs)
    if not _ascend(low, high):
        matrix = csr_array((np.tile(value, 2), (np.append(low, high), np.append(high, low))), shape=(size, size))
        matrix.sum_duplicates()
        return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data
    ptr = _offsets((low, high), size)
    same = len(value) > 0 and value.min() == value.max()
    rows = Rows(ptr[:-1].copy(), np.empty(2 * len(low), dtype=np.int32), np.empty(0 if same else 2 * len(low)))
    # Row v first gets all u below v, which come in ascending order, then all above it.
    fill_rows(rows, high, low, value)
    fill_rows(rows, low, high, value)
    return ptr, rows.columns, value[:1].copy() if same else rows.values


def _ascend(low: Int32Array, high: Int32Array) -> bool:
    """Tell whether every pair has its smaller node first and the next pair is greater."""
    if not np.all(low < high):
        return False
    same = low[1:] == low[:-1]
    return bool(np.all((low[1:] > low[:-1]) | (same & (high[1:] > high[:-1]))))


def sets_of_nodes(set_ptr: IntArray, members: Int32Array, size: int) -> tuple[IntArray, Int32Array]:
    """Return the sets that each node is in, in ascending order: offsets by node and the sets' numbers.

    Entries are first dealt out to blocks of nodes, so that both passes write to few places at a time.

    Example:
        >>> ptr, sets = sets_of_nodes(np.array([0, 2, 3]), np.array([0, 2, 2], dtype=np.int32), 3)
        >>> ptr.tolist(), sets.tolist()
        ([0, 1, 1, 3], [0, 0, 1])
    """
    ptr = _offsets((members,), size)
    blocks = ptr[: -1 : 1 << BLOCK_BITS].copy()
    dealt = np.empty((len(members), 2), dtype=np.int32)
    deal_to_blocks(set_ptr, members, blocks, dealt)
    sets = np.empty(len(members), dtype=np.int32)
    fill_lists(dealt, ptr[:-1].copy(), sets)
    return ptr, sets


def _offsets(lists: tuple[Int32Array, ...], size: int) -> IntArray:
    """Return where the list of each node starts and the last one ends, for as many entries as nodes are named."""
    # Half as wide as offsets: more of the counters stay in the cache.
    counts = np.zeros(size + 1, dtype=np.int32)
    for nodes in lists:
        count_nodes(nodes, counts)
    return np.cumsum(counts, dtype=np.int64)


class Rows(NamedTuple):
    """Rows that are being filled: where each ends so far, and the columns and values of all."""

    place: IntArray
    columns: Int32Array
    values: FloatArray


@kernel
def fill_rows(rows: Rows, numbers: Int32Array, columns: Int32Array, value: FloatArray) -> None:
    """Append columns, and values where they are kept, to the rows of these numbers."""
    valued = len(rows.values) > 0
    for k in range(len(numbers)):
        if k + 2 * AHEAD < len(numbers):
            prefetch(rows.place, numbers[k + 2 * AHEAD])
            prefetch(rows.columns, rows.place[numbers[k + AHEAD]])
        at = rows.place[numbers[k]]
        rows.columns[at] = columns[k]
        if valued:
            rows.values[at] = value[k]
        rows.place[numbers[k]] = at + 1


@kernel
def count_nodes(members: Int32Array, counts: Int32Array) -> None:
    """Count every node, one place after its own."""
    for k in range(len(members)):
        counts[members[k] + 1] += 1


@kernel
def deal_to_blocks(set_ptr: IntArray, members: Int32Array, place: IntArray, dealt: Int32Array) -> None:
    """Write members with their sets to the blocks of the members, at the places where these end so far."""
    for number in range(len(set_ptr) - 1):
        for k in range(set_ptr[number], set_ptr[number + 1]):
            block = members[k] >> BLOCK_BITS
            at = place[block]
            dealt[at, 0], dealt[at, 1] = members[k], number
            place[block] = at + 1


@kernel
def fill_lists(dealt: Int32Array, place: IntArray, sets: Int32Array) -> None:
    """Append every set to the lists of its members."""
    for k in range(len(dealt)):
        at = place[dealt[k, 0]]
        sets[at] = dealt[k, 1]
        place[dealt[k, 0]] = at + 1
