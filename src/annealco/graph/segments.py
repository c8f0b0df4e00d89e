"""Reduce arrays whose last axis is cut into segments by offsets, such as the nodes of a batch of graphs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


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
