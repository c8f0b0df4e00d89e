"""List the neighbours of every node in ascending order, from pairs of nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from annealco._core import Neighbours

Int32Array = NDArray[np.int32]


def neighbours_of(pairs: NDArray[np.integer[Any]], num_nodes: int) -> Neighbours:
    """Return the relation of pairs of different nodes [2, num_pairs], a pair that is listed again counting once.

    Takes O(num_nodes + num_pairs), some 50 ms for four million pairs.

    Example:
        >>> rows = neighbours_of(np.array([[2, 0, 0], [1, 2, 2]]), 3)
        >>> rows.start.tolist(), rows.node.tolist()
        ([0, 1, 2, 4], [2, 2, 0, 1])
    """
    one, two = (np.ascontiguousarray(each, np.int32) for each in pairs)
    return Neighbours(one, two, num_nodes)
