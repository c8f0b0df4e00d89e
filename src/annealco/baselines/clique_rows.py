"""Say by cliques which pairs conflict: at most one node of a clique is chosen.

One row a clique instead of one a pair: the relaxation is far tighter, and every solver here is the better for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from annealco.graph.segments import IntArray
from annealco.jit import compiled

MAX_DENSE_NODES = 4096
"""Up to here a matrix of all pairs is searched for cliques; larger graphs keep their pairs."""


def clique_rows(pairs: NDArray[np.integer[Any]], num_nodes: int) -> tuple[IntArray, IntArray]:
    """Cover pairs [2, num_pairs] by cliques that grow greedily by the node that covers most new pairs.

    Returns:
        Offsets [num_cliques + 1] and members [num_members]. Every two nodes of a clique are a pair, and every pair is
        in some clique. Takes O(num_nodes) for each member.

    Example:
        >>> start, member = clique_rows(np.array([[0, 0, 1, 2], [1, 2, 2, 3]]), 4)
        >>> sorted(sorted(each.tolist()) for each in np.split(member, start[1:-1]))
        [[0, 1, 2], [2, 3]]
    """
    if num_nodes > MAX_DENSE_NODES or pairs.shape[1] == 0:
        return 2 * np.arange(pairs.shape[1] + 1, dtype=np.int64), pairs.T.reshape(-1).astype(np.int64)
    joined = np.zeros((num_nodes, num_nodes), np.uint8)
    joined[pairs[0], pairs[1]] = joined[pairs[1], pairs[0]] = 1
    order = np.argsort(-joined.sum(axis=1, dtype=np.int64), kind="stable")
    return _cover(joined, order, pairs.shape[1])


@compiled
def _cover(joined: NDArray[np.uint8], order: IntArray, num_pairs: int) -> tuple[IntArray, IntArray]:
    """Grow cliques from each node in order until all its pairs are covered."""
    uncovered = joined.copy()
    start, member = np.zeros(num_pairs + 1, np.int64), np.empty(2 * num_pairs, np.int64)
    clique, count = np.empty(len(joined), np.int64), 0
    for node in order:
        while uncovered[node].any():
            size = _grow(joined, uncovered, node, clique)
            for one in clique[:size]:
                for other in clique[:size]:
                    uncovered[one, other] = 0
            first = start[count]
            if first + size > len(member):
                member = np.append(member, np.empty(len(member) + size, np.int64))
            member[first : first + size] = clique[:size]
            count += 1
            start[count] = first + size
    return start[: count + 1].copy(), member[: start[count]].copy()


@compiled
def _grow(joined: NDArray[np.uint8], uncovered: NDArray[np.uint8], node: int, clique: IntArray) -> int:
    """Fill in a clique with the node that no other node is joined to, and return its size."""
    clique[0], size = node, 1
    common, gain = joined[node].copy(), uncovered[node].astype(np.int64)
    while True:
        best, most = -1, -1
        for other in range(len(joined)):
            if common[other] and gain[other] > most:
                best, most = other, gain[other]
        if best < 0:
            return size
        clique[size] = best
        size += 1
        for other in range(len(joined)):
            common[other] &= joined[best, other]
            gain[other] += uncovered[best, other]
