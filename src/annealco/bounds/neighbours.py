"""List the neighbours of every node in ascending order, from pairs of nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from annealco import _core
from annealco._core import Clock, Neighbours

Int32Array = NDArray[np.int32]


def neighbours_of(pairs: NDArray[np.integer[Any]], num_nodes: int, clock: Clock) -> Neighbours | None:
    """Return the relation of pairs of different nodes [2, num_pairs], a pair that is listed again counting once.

    Takes O(num_nodes + num_pairs) where the pairs (u, v) have u < v and are sorted, else a sort more. None where the
    clock was over first.

    Example:
        >>> rows = neighbours_of(np.array([[2, 0, 0], [1, 2, 2]]), 3, Clock())
        >>> rows.start.tolist(), rows.node.tolist()
        ([0, 1, 2, 4], [2, 2, 0, 1])
    """
    one, two = (np.ascontiguousarray(each, np.int32) for each in pairs)
    return _core.neighbours_of(one, two, num_nodes, clock)
