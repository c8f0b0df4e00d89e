"""Lists by node of what is listed by pair or by set, in time linear in their size.

SciPy's conversions do the same with twice the passes over memory; on graphs of millions of edges that was half the time
of decoding them. Importing SciPy also takes longer than solving a small graph.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.graph.segments import FloatArray, IntArray
from annealco.jit import kernel

Int32Array = NDArray[np.int32]

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
        from scipy.sparse import csr_array

        matrix = csr_array((np.tile(value, 2), (np.append(low, high), np.append(high, low))), shape=(size, size))
        matrix.sum_duplicates()
        return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data
    same = len(value) > 0 and value.min() == value.max()
    kept = value[:0] if same else value
    below = dealt_to_blocks(high, low, kept, size)
    ptr = _offsets((below.entry[:, 0], low), size)
    rows = Rows(np.empty(2 * len(low), dtype=np.int32), np.empty(2 * len(kept)))
    # Row v first gets all u below v, which come in ascending order, then all above it.
    end = ptr[:-1].copy()
    append_entries(rows, end, below)
    append_in_order(rows, end, ptr, high, kept)
    return ptr, rows.columns, value[:1].copy() if same else rows.values


def _ascend(low: Int32Array, high: Int32Array) -> bool:
    """Tell whether every pair has its smaller node first and the next pair is greater."""
    if not np.all(low < high):
        return False
    same = low[1:] == low[:-1]
    return bool(np.all((low[1:] > low[:-1]) | (same & (high[1:] > high[:-1]))))


def sets_of_nodes(set_ptr: IntArray, members: Int32Array, size: int) -> tuple[IntArray, Int32Array]:
    """Return the sets that each node is in, in ascending order: offsets by node and the sets' numbers.

    Example:
        >>> ptr, sets = sets_of_nodes(np.array([0, 2, 3]), np.array([0, 2, 2], dtype=np.int32), 3)
        >>> ptr.tolist(), sets.tolist()
        ([0, 1, 1, 3], [0, 0, 1])
    """
    numbers = np.repeat(np.arange(len(set_ptr) - 1, dtype=np.int32), np.diff(set_ptr))
    dealt = dealt_to_blocks(members, numbers, np.empty(0), size)
    ptr = _offsets((dealt.entry[:, 0],), size)
    rows = Rows(np.empty(len(members), dtype=np.int32), np.empty(0))
    append_entries(rows, ptr[:-1].copy(), dealt)
    return ptr, rows.columns


class Rows(NamedTuple):
    """Columns of all rows, one row after the other, and values where they are kept."""

    columns: Int32Array
    values: FloatArray


class Entries(NamedTuple):
    """Nodes and the columns that their rows get, [num_entries, 2], and values where they are kept."""

    entry: Int32Array
    value: FloatArray


def dealt_to_blocks(node: Int32Array, column: Int32Array, value: FloatArray, size: int) -> Entries:
    """Return entries in the order of their nodes' blocks, and within these as they were.

    Counting nodes and appending to rows then write to one block at a time, which the cache holds; dealing itself writes
    to few places at a time.
    """
    place = np.zeros((size >> BLOCK_BITS) + 2, dtype=np.int64)
    dealt = Entries(np.empty((len(node), 2), dtype=np.int32), np.empty_like(value))
    deal(node, column, value, place, dealt)
    return dealt


def occurrences(lists: tuple[NDArray[np.integer], ...], size: int) -> Int32Array:
    """Return how often the lists name each node, [size]; narrow, so that more of the counters stay in the cache."""
    counts = np.zeros(size, dtype=np.int32)
    for nodes in lists:
        count_nodes(nodes.astype(np.int32, copy=False), counts)
    return counts


def _offsets(lists: tuple[Int32Array, ...], size: int) -> IntArray:
    """Return where the list of each node starts and the last one ends, for as many entries as nodes are named."""
    offsets = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(occurrences(lists, size), out=offsets[1:])
    return offsets


@kernel
def append_entries(rows: Rows, end: IntArray, entries: Entries) -> None:
    """Append columns, and values where they are kept, to the rows of their nodes, which end here so far."""
    valued = len(entries.value) > 0
    for k in range(len(entries.entry)):
        node = entries.entry[k, 0]
        at = end[node]
        rows.columns[at] = entries.entry[k, 1]
        if valued:
            rows.values[at] = entries.value[k]
        end[node] = at + 1


@kernel
def append_in_order(rows: Rows, end: IntArray, ptr: IntArray, column: Int32Array, value: FloatArray) -> None:
    """Append columns that are listed row by row, until all rows are full."""
    valued = len(value) > 0
    k = 0
    for row in range(len(end)):
        for at in range(end[row], ptr[row + 1]):
            rows.columns[at] = column[k]
            if valued:
                rows.values[at] = value[k]
            k += 1


@kernel
def count_nodes(members: Int32Array, counts: Int32Array) -> None:
    """Count every node."""
    for k in range(len(members)):
        counts[members[k]] += 1


@kernel
def deal(node: Int32Array, column: Int32Array, value: FloatArray, place: IntArray, dealt: Entries) -> None:
    """Write entries to the blocks of their nodes; places, [num_blocks + 1], are zeros at first."""
    for k in range(len(node)):
        place[(node[k] >> BLOCK_BITS) + 1] += 1
    for block in range(1, len(place)):
        place[block] += place[block - 1]
    valued = len(value) > 0
    for k in range(len(node)):
        block = node[k] >> BLOCK_BITS
        at = place[block]
        dealt.entry[at, 0], dealt.entry[at, 1] = node[k], column[k]
        if valued:
            dealt.value[at] = value[k]
        place[block] = at + 1
