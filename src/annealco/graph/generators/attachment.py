"""Run preferential attachment, the one model here that is sequential by nature, as a compiled kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.jit import compiled


@compiled
def attach(rng: np.random.Generator, num_nodes: int, attachment: int) -> NDArray[np.int64]:
    """Grow a star by nodes that choose ``attachment`` distinct neighbours in proportion to degree.

    A uniform entry of the list of edge ends is a node drawn in proportion to degree. Uses ``rng.random()`` only, so
    that the compiled and the interpreted kernel draw the same graph. Takes O(num_edges) expected time.

    Returns:
        Edges as [num_edges, 2], with (num_nodes - attachment) · attachment of them.
    """
    num_edges = (num_nodes - attachment) * attachment
    ends = np.empty(2 * num_edges, np.int64)
    for leaf in range(attachment):
        ends[2 * leaf] = 0
        ends[2 * leaf + 1] = leaf + 1
    filled = 2 * attachment
    chosen_by = np.full(num_nodes, -1, np.int64)
    for node in range(attachment + 1, num_nodes):
        # What the node itself adds does not count before it has chosen all its neighbours.
        before = filled
        while filled < before + 2 * attachment:
            neighbour = ends[int(rng.random() * before)]
            if chosen_by[neighbour] != node:
                chosen_by[neighbour] = node
                ends[filled] = neighbour
                ends[filled + 1] = node
                filled += 2
    return ends.reshape(num_edges, 2)
