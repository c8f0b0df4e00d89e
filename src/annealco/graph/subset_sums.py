"""Tell which volumes sets of nodes can have: the sums of some of their degrees.

Sums are the bits of an integer, so that adding a size to all of them is a shift.
"""

from __future__ import annotations

import numpy as np

from annealco.graph.segments import IntArray


def has_sum_within(sizes: IntArray, start: int, low: int, high: int) -> bool:
    """Tell whether a start and some of the sizes [num_sizes], not negative, add up to a number from low to high.

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
