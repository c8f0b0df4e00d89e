"""The source side of a minimum cut between a source and a sink that all nodes may be joined to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from annealco.graph.segments import FloatArray, IntArray

LARGEST = 2**30
"""SciPy's flows are 32-bit integers: all that can flow is scaled to this."""


def source_side(
    from_source: FloatArray, to_sink: FloatArray, pairs: IntArray, capacity: FloatArray
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the smallest source side of a minimum cut, and which arcs to the sink are full, [num_nodes] each.

    Args:
        from_source: [num_nodes] capacities of the arcs from the source.
        to_sink: [num_nodes] capacities of the arcs to the sink.
        pairs: [2, num_pairs] nodes that are joined, each pair once.
        capacity: [num_pairs] of both directions.

    Capacities that are whole numbers with a sum up to 2^30 from the source stay exact, others are rounded. Whoever
    needs a proof compares the sets, not the flows.

    Example:
        >>> side, full = source_side(np.array([5.0, 0]), np.array([0, 2.0]), np.array([[0], [1]]), np.array([3.0]))
        >>> side.tolist(), full.tolist()
        ([True, True], [True, True])
    """
    size, total = len(from_source), float(from_source.sum())
    scale = 1.0 if total <= LARGEST and _whole(from_source, to_sink, capacity) else LARGEST / max(total, 1e-300)
    nodes = np.arange(size)
    rows = np.concatenate([np.full(size, size), nodes, pairs[0], pairs[1]])
    columns = np.concatenate([nodes, np.full(size, size + 1), pairs[1], pairs[0]])
    given = np.concatenate([from_source, to_sink, capacity, capacity]) * scale
    # More than all that leaves the source never flows.
    whole = np.minimum(np.floor(given + 0.5), LARGEST + size).astype(np.int32)
    network = csr_array((whole, (rows, columns)), shape=(size + 2, size + 2))
    flow = maximum_flow(network, size, size + 1).flow
    left = csr_array(network - flow)
    left.eliminate_zeros()
    reached = breadth_first_order(left, size, return_predecessors=False)
    side = np.zeros(size + 2, np.bool_)
    side[reached] = True
    sent = np.asarray(flow[:, [size + 1]].todense()).ravel()[:size]
    return side[:size], sent >= whole[size : 2 * size]


def _whole(*arrays: FloatArray) -> bool:
    return all(bool(np.all(array == np.floor(array))) for array in arrays)
