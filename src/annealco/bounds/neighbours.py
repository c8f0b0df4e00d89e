"""List the neighbours of every node in ascending order, from pairs of nodes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.graph.segments import IntArray
from annealco.jit import compiled, kernel

Int32Array = NDArray[np.int32]


class Neighbours(NamedTuple):
    """A symmetric relation between nodes, row by row.

    Attributes:
        start: [num_nodes + 1], int64, offsets into ``node``.
        node: [2 * num_pairs], int32, the other nodes, ascending in each row.
    """

    start: IntArray
    node: Int32Array


def neighbours_of(pairs: NDArray[np.integer[Any]], num_nodes: int) -> Neighbours:
    """Return the rows of pairs of different nodes [2, num_pairs], a pair that is listed again counting once.

    Takes O(num_nodes + num_pairs) where the pairs (u, v) have u < v and are sorted, else a sort more.

    Example:
        >>> rows = neighbours_of(np.array([[2, 0, 0], [1, 2, 2]]), 3)
        >>> rows.start.tolist(), rows.node.tolist()
        ([0, 1, 2, 4], [2, 2, 0, 1])
    """
    low, high = np.minimum(*pairs).astype(np.int32), np.maximum(*pairs).astype(np.int32)
    if not _is_ascending(low, high):
        key = np.unique(low.astype(np.int64) * num_nodes + high)
        low, high = (key // num_nodes).astype(np.int32), (key % num_nodes).astype(np.int32)
    rows = Neighbours(np.zeros(num_nodes + 1, np.int64), np.empty(2 * len(low), np.int32))
    _fill_rows(low, high, rows, np.empty(num_nodes, np.int64))
    return rows


def neighbour_matrix(rows: Neighbours) -> NDArray[np.bool_]:
    """Return the relation as a dense matrix, [num_nodes, num_nodes]."""
    num_nodes = len(rows.start) - 1
    matrix = np.zeros((num_nodes, num_nodes), dtype=bool)
    matrix[np.repeat(np.arange(num_nodes), np.diff(rows.start)), rows.node] = True
    return matrix


def rows_of_matrix(matrix: NDArray[np.bool_]) -> Neighbours:
    """Return the rows of a symmetric matrix [num_nodes, num_nodes] without diagonal.

    Example:
        >>> rows_of_matrix(np.array([[False, True], [True, False]])).node.tolist()
        [1, 0]
    """
    start = np.concatenate([[0], np.cumsum(np.count_nonzero(matrix, axis=1))]).astype(np.int64)
    return Neighbours(start, _columns(matrix, int(start[-1])))


def induced_rows(rows: Neighbours, kept: NDArray[np.bool_]) -> Neighbours:
    """Return the relation among the kept nodes [num_nodes], numbered anew in their order.

    Example:
        >>> path = neighbours_of(np.array([[0, 1], [1, 2]]), 3)
        >>> induced_rows(path, np.array([False, True, True])).node.tolist()
        [1, 0]
    """
    if kept.all():
        return rows
    number = np.cumsum(kept) - 1
    owner = np.repeat(np.arange(len(kept)), np.diff(rows.start))
    among = kept[owner] & kept[rows.node]
    counts = np.bincount(number[owner[among]], minlength=np.count_nonzero(kept))
    return Neighbours(
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), number[rows.node[among]].astype(np.int32)
    )


@compiled
def _columns(matrix: NDArray[np.bool_], count: int) -> Int32Array:
    """Return the columns of the entries that are set, row by row; numpy's nonzero takes several times as long."""
    column, filled = np.empty(count, np.int32), 0
    for row in range(len(matrix)):
        for each in range(matrix.shape[1]):
            if matrix[row, each]:
                column[filled] = each
                filled += 1
    return column


@kernel
def _is_ascending(low: Int32Array, high: Int32Array) -> bool:
    for pair in range(1, len(low)):
        if low[pair] < low[pair - 1] or (low[pair] == low[pair - 1] and high[pair] <= high[pair - 1]):
            return False
    return True


@kernel
def _fill_rows(low: Int32Array, high: Int32Array, rows: Neighbours, place: IntArray) -> None:
    """Fill each row with its smaller nodes, then with its larger ones; sorted pairs come in the order of both."""
    start, other = rows.start, rows.node
    for pair in range(len(low)):
        start[low[pair] + 1] += 1
        start[high[pair] + 1] += 1
    for node in range(len(place)):
        place[node] = start[node]
        start[node + 1] += start[node]
    for pair in range(len(low)):
        other[place[high[pair]]] = low[pair]
        place[high[pair]] += 1
    for pair in range(len(low)):
        other[place[low[pair]]] = high[pair]
        place[low[pair]] += 1


@kernel
def joined(rows: Neighbours, one: int, other: int) -> bool:
    """Tell whether two nodes are neighbours, by bisection."""
    low, high = rows.start[one], rows.start[one + 1]
    while low < high:
        middle = (low + high) // 2
        if rows.node[middle] < other:
            low = middle + 1
        else:
            high = middle
    return bool(low < rows.start[one + 1] and rows.node[low] == other)
