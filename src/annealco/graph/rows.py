"""Lists by node of what is listed by pair or by set, in time linear in their size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco import _core
from annealco.graph.segments import FloatArray, IntArray

Int32Array = NDArray[np.int32]


def symmetric_rows(pairs: NDArray[np.integer], value: FloatArray, size: int) -> tuple[IntArray, Int32Array, FloatArray]:
    """Return the rows of the symmetric matrix with these values at (u, v) and (v, u): offsets, columns and values.

    Columns ascend in every row, and values of a pair that is listed several times add up. Where all values are equal
    there is only one, for all pairs: most graphs have no weights, and less memory is faster memory.

    Args:
        pairs: [2, num_pairs], of two different nodes each.
        value: [num_pairs], [1] where all are equal, or [0] for no values.
        size: number of rows.

    Example:
        >>> ptr, index, each = symmetric_rows(np.array([[0, 0], [1, 2]]), np.array([3.0, 4.0]), 3)
        >>> ptr.tolist(), index.tolist(), each.tolist()
        ([0, 2, 3, 4], [1, 2, 0, 0], [3.0, 4.0, 3.0, 4.0])
        >>> symmetric_rows(np.array([[0, 0], [1, 2]]), np.array([3.0, 3.0]), 3)[2].tolist()
        [3.0]
    """
    one, two = (np.ascontiguousarray(each, dtype=np.int32) for each in pairs)
    return _core.symmetric_rows(one, two, np.ascontiguousarray(value, dtype=np.float64), size)


def sets_of_nodes(set_ptr: IntArray, members: Int32Array, size: int) -> tuple[IntArray, Int32Array]:
    """Return the sets that each node is in, in ascending order: offsets by node and the sets' numbers.

    Example:
        >>> ptr, sets = sets_of_nodes(np.array([0, 2, 3]), np.array([0, 2, 2], dtype=np.int32), 3)
        >>> ptr.tolist(), sets.tolist()
        ([0, 1, 1, 3], [0, 0, 1])
    """
    return _core.transposed(np.ascontiguousarray(set_ptr, dtype=np.int64), np.ascontiguousarray(members), size)


def occurrences(nodes: NDArray[np.integer], size: int) -> Int32Array:
    """Return how often a list names each node, [size].

    Example:
        >>> occurrences(np.array([0, 2, 2]), 3).tolist()
        [1, 0, 2]
    """
    return _core.occurrences(np.ascontiguousarray(nodes, dtype=np.int32), size)


def sums(nodes: NDArray[np.integer], value: FloatArray, size: int) -> FloatArray:
    """Return the sum of the values of all entries that name each node, [size].

    Args:
        nodes: [..., num_values].
        value: [num_values], the same for all rows of nodes.
        size: number of nodes.

    Example:
        >>> sums(np.array([[0, 1], [2, 2]]), np.array([3.0, 4.0]), 3).tolist()
        [3.0, 4.0, 7.0]
    """
    return _core.sums(
        np.ascontiguousarray(nodes, dtype=np.int32).reshape(-1), np.ascontiguousarray(value, dtype=np.float64), size
    )


def closed_rows(indptr: IntArray, indices: Int32Array) -> tuple[IntArray, Int32Array]:
    """Return rows of neighbours with each node before its own: offsets and members of closed neighbourhoods.

    Example:
        >>> ptr, members = closed_rows(np.array([0, 1, 2]), np.array([1, 0], dtype=np.int32))
        >>> ptr.tolist(), members.tolist()
        ([0, 2, 4], [0, 1, 1, 0])
    """
    return _core.closed_rows(indptr, indices)
