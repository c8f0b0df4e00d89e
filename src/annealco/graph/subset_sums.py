"""Find the volumes that sets of nodes can have: the sums of some of their degrees."""

from __future__ import annotations

import numpy as np

from annealco.graph.segments import IntArray


def subset_sums(sizes: IntArray, start: int, most: int) -> int:
    """Return the sums that some of the sizes and a start add up to, at most ``most``, as the bits of a number.

    Example:
        >>> bin(subset_sums(np.array([2, 2, 3]), 0, 5))
        '0b111101'
    """
    within = (1 << (most + 1)) - 1
    sums = 1 << start
    for size, count in zip(*(each.tolist() for each in np.unique(sizes, return_counts=True)), strict=True):
        left, share = count, 1
        while left:
            share = min(share, left)
            sums |= (sums << (size * share)) & within
            left, share = left - share, 2 * share
    return sums & within
