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
    sums = 1 << start
    for size, count in zip(*(each.tolist() for each in np.unique(sizes, return_counts=True)), strict=True):
        sums = with_size(sums, size, count, most)
    return sums & ((1 << (most + 1)) - 1)


def with_size(sums: int, size: int, count: int, most: int) -> int:
    """Return the sums that are reached from given ones by up to ``count`` times a size, at most ``most``.

    Example:
        >>> bin(with_size(0b1, 2, 3, 5))
        '0b10101'
    """
    within = (1 << (most + 1)) - 1
    left, share = count, 1
    while left:
        share = min(share, left)
        sums |= (sums << (size * share)) & within
        left, share = left - share, 2 * share
    return sums
