"""Array helpers that several layers share, in time linear in their input unless stated otherwise.

* reductions of arrays whose last axis is cut into segments by offsets, such as the nodes of a batch of graphs;
* rows of sparse matrices and set systems: from a list by pair or by set to lists by node;
* a cache of results that were computed from an array, for the lifetime of the array;
* subset sums, which tell what volumes a set of nodes can have;
* a check that no entry of an array is hidden behind a mask.
"""

from __future__ import annotations

import math
import sys
import weakref
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, Generic, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from annealco import _core
from annealco.errors import InputError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Int32Array = NDArray[np.int32]
PairArray = NDArray[np.integer[Any]]
"""Pairs of nodes, [2, num_pairs], in whatever integers they came."""

Result = TypeVar("Result")


def unmasked(value: Any, origin: str | None = None) -> Any:
    """Return something like an array, or a list of rows; raise where entries are masked: a conversion drops the mask.

    Example:
        >>> unmasked([3, 4])
        [3, 4]
        >>> unmasked(np.ma.masked_equal([3, -1], -1))
        Traceback (most recent call last):
        annealco.errors.InputError: 1 of 2 entries of a masked array are masked; take them out, or give them a value
    """
    # NumPy imports the module with the first masked array.
    masked = sys.modules.get("numpy.ma")
    rows = value if isinstance(value, list | tuple) else (value,)
    if masked is None or not any(issubclass(kind, masked.MaskedArray) for kind in set(map(type, rows))):
        return value
    for row in rows:
        if masked.is_masked(row):
            rule = f"{masked.count_masked(row)} of {row.size} entries of a masked array are masked"
            raise InputError(f"{rule}; take them out, or give them a value", origin=origin)
    return value


def segment_of(offsets: IntArray, positions: NDArray[np.integer[Any]]) -> IntArray:
    """Return the number of the segment that each position lies in.

    Example:
        >>> segment_of(np.array([0, 2, 2, 5]), np.array([0, 1, 2, 4])).tolist()
        [0, 0, 2, 2]
    """
    if len(offsets) == 2:
        return np.zeros(np.shape(positions), dtype=np.int64)
    return np.searchsorted(offsets, positions, side="right") - 1


def segment_sum(values: FloatArray, offsets: IntArray) -> FloatArray:
    """Sum [..., n] over each segment, to [..., num_segments]; an empty one gives 0.

    Example:
        >>> segment_sum(np.array([1.0, 2.0, 3.0]), np.array([0, 2, 2, 3])).tolist()
        [3.0, 0.0, 3.0]
    """
    return _reduce(np.add, values, offsets)


def segment_max(values: FloatArray, offsets: IntArray) -> FloatArray:
    """Return the largest of [..., n] in each segment, to [..., num_segments]; an empty one gives 0."""
    return _reduce(np.maximum, values, offsets)


def _reduce(ufunc: np.ufunc, values: FloatArray, offsets: IntArray) -> FloatArray:
    padded = np.concatenate([values, np.zeros((*values.shape[:-1], 1))], axis=-1)
    # The last segment is the padding, and `reduceat` gives an empty one the value that follows it.
    return np.where(np.diff(offsets) > 0, ufunc.reduceat(padded, offsets, axis=-1)[..., :-1], 0.0)


def scatter_sum(values: FloatArray, owner: NDArray[np.integer[Any]], count: int) -> FloatArray:
    """Sum [..., n] by owner [n], to [..., count].

    Example:
        >>> scatter_sum(np.array([1.0, 2.0, 3.0]), np.array([1, 0, 1]), 3).tolist()
        [2.0, 4.0, 0.0]
    """
    rows = values.reshape(math.prod(values.shape[:-1]), values.shape[-1])
    sums = [np.bincount(owner, row, minlength=count) for row in rows]
    return np.array(sums, dtype=np.float64).reshape(*values.shape[:-1], count)


def exclusive_prefix(values: FloatArray, offsets: IntArray) -> FloatArray:
    """Sum what stands before each entry in its own segment, [..., n].

    Example:
        >>> exclusive_prefix(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 3, 4])).tolist()
        [0.0, 1.0, 3.0, 0.0]
    """
    running = np.concatenate([np.zeros((*values.shape[:-1], 1)), np.cumsum(values, axis=-1)], axis=-1)
    start = np.repeat(offsets[:-1], np.diff(offsets))
    return np.asarray(running[..., :-1] - running[..., start])


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


class _ResultsByArray(Generic[Result]):
    """Results by the identity of an array, then by the further argument."""

    def __init__(self) -> None:
        self.entries: dict[int, tuple[weakref.ref[NDArray[Any]], dict[Hashable, Result]]] = {}

    def of(self, array: NDArray[Any]) -> dict[Hashable, Result]:
        """Return the results that belong to this array."""
        number = id(array)
        entry = self.entries.get(number)
        if entry is None or entry[0]() is not array:
            # The next array may get the same address: the entry goes when the array does.
            entry = (weakref.ref(array, lambda dead: self.forget(number, dead)), {})
            self.entries[number] = entry
        return entry[1]

    def forget(self, number: int, dead: weakref.ref[NDArray[Any]]) -> None:
        """Drop an entry, unless its number already belongs to another array."""
        entry = self.entries.get(number)
        if entry is not None and entry[0] is dead:
            del self.entries[number]


def cached_by_array(
    function: Callable[[NDArray[Any], Hashable], Result],
) -> Callable[[NDArray[Any], Hashable], Result]:
    """Cache the results of a function of an array and a hashable argument for as long as the array lives.

    The network, its energy and the loss read the same arrays of a batch; what they share is computed once per batch.
    Only results of read-only arrays are cached: others could change after they were used as a key.

    Example:
        >>> import numpy as np
        >>> calls = []
        >>> total = cached_by_array(lambda array, power: calls.append(power) or (array**power).sum().item())
        >>> fixed = np.arange(3)
        >>> fixed.flags.writeable = False
        >>> total(fixed, 2), total(fixed, 2), calls
        (5, 5, [2])
    """
    cached: _ResultsByArray[Result] = _ResultsByArray()

    @wraps(function)
    def look_up(array: NDArray[Any], argument: Hashable) -> Result:
        if array.flags.writeable:
            return function(array, argument)
        results = cached.of(array)
        if argument not in results:
            results[argument] = function(array, argument)
        return results[argument]

    return look_up


@cached_by_array
def rows_of_pairs(pairs: NDArray[Any], size: Hashable) -> tuple[IntArray, Int32Array]:
    """Return the neighbours of each node by pairs [2, num_pairs] of them: offsets [size + 1] and nodes, read-only.

    Example:
        >>> [each.tolist() for each in rows_of_pairs(np.array([[0, 0], [1, 2]]), 3)]
        [[0, 2, 3, 4], [1, 2, 0, 0]]
    """
    start, index, _ = symmetric_rows(pairs, np.zeros(0), cast("int", size))
    for each in (start, index):
        each.flags.writeable = False
    return start, index


def has_sum_within(sizes: IntArray, start: int, low: int, high: int) -> bool:
    """Tell whether a start and some of the sizes [num_sizes], not negative, add up to a number from low to high.

    The reachable sums are the bits of an integer, so that adding a size to all of them is one shift.

    Example:
        >>> sizes = np.array([2, 2, 5])
        >>> has_sum_within(sizes, 1, 4, 4), has_sum_within(sizes, 1, 4, 5)
        (False, True)
    """
    if max(low, start) > high:
        return False
    sums = 1 << start
    for size, count in zip(*(each.tolist() for each in np.unique(sizes, return_counts=True)), strict=True):
        if sums >> low:
            return True
        sums = _with_size(sums, size, count, high)
    return bool(sums >> low)


def _with_size(sums: int, size: int, count: int, most: int) -> int:
    """Return the sums that are reached from given ones by up to ``count`` times a size, at most ``most``."""
    within = (1 << (most + 1)) - 1
    left, share = count, 1
    while left:
        share = min(share, left)
        sums |= (sums << (size * share)) & within
        left, share = left - share, 2 * share
    return sums
