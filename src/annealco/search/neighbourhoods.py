"""Search for pairwise allowed nodes where the forbidden pairs are too many to list.

Order the nodes so that each has few allowed partners behind it (degeneracy order). A set whose pairs are all allowed
lies among its first node and that node's later partners. A greedy pass looks at every node's later partners; those
whose weight could still beat the best are then searched one by one, as small hitting set problems.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.energy import AllPairs, Instance, Linear
from annealco.graph.rows import symmetric_rows
from annealco.graph.segments import FloatArray, IntArray
from annealco.jit import compiled
from annealco.search.hitting_set import HittingSet, assemble


class Partners(NamedTuple):
    """The pairs that are allowed, as sorted rows, and an order in which rows have few later entries.

    Attributes:
        weight: [num_nodes] gain of choosing each node.
        indptr: [num_nodes + 1] row offsets.
        indices: [2 · num_pairs] partners, sorted in each row.
        rank: [num_nodes] place of each node in the order.
    """

    weight: FloatArray
    indptr: IntArray
    indices: NDArray[np.int32]
    rank: IntArray

    def later(self, node: int) -> NDArray[np.int32]:
        """Return the partners that come after a node."""
        row = self.indices[self.indptr[node] : self.indptr[node + 1]]
        return np.asarray(row[self.rank[row] > self.rank[node]])


def as_partners(instance: Instance) -> Partners | None:
    """Read gains and allowed pairs off an instance with one `AllPairs` constraint, or None where it is another kind."""
    terms = [constraint.term for constraint in instance.constraints]
    if len(terms) != 1 or not isinstance(terms[0], AllPairs):
        return None
    if not all(isinstance(term, Linear) and np.all(term.coefficient <= 0) for term in instance.objective):
        return None
    size = instance.num_nodes
    indptr, indices, _ = symmetric_rows(terms[0].excluded, np.ones(terms[0].excluded.shape[1]), size)
    weight = -sum((term.coefficient for term in instance.objective), start=np.zeros(size))
    return Partners(np.asarray(weight), indptr, indices, _degeneracy_rank(indptr, indices))


@compiled
def _degeneracy_rank(indptr: IntArray, indices: NDArray[np.int32]) -> IntArray:
    """Take away a node of least degree again and again, by counting sort (Batagelj and Zaversnik, 2003)."""
    size = len(indptr) - 1
    degree = indptr[1:] - indptr[:-1]
    start = np.zeros((degree.max() if size else 0) + 2, np.int64)
    for node in range(size):
        start[degree[node] + 1] += 1
    start = np.cumsum(start)
    order, rank = np.zeros(size, np.int64), np.zeros(size, np.int64)
    free = start.copy()
    for node in range(size):
        rank[node] = free[degree[node]]
        order[rank[node]] = node
        free[degree[node]] += 1
    for position in range(size):
        node = order[position]
        for k in range(indptr[node], indptr[node + 1]):
            other = indices[k]
            if degree[other] > degree[node]:
                # Swap the other node with the first of its degree, which thereby becomes one lower.
                first = max(start[degree[other]], position + 1)
                swapped = order[first]
                order[rank[other]], rank[swapped] = swapped, rank[other]
                order[first], rank[other] = other, first
                start[degree[other]] = first + 1
                degree[other] -= 1
    return rank


@compiled
def reach(partners: Partners) -> FloatArray:
    """Bound the weight of a set whose first node is each node: its own and all later partners', [num_nodes]."""
    bound = partners.weight.copy()
    for node in range(len(bound)):
        for k in range(partners.indptr[node], partners.indptr[node + 1]):
            if partners.rank[partners.indices[k]] > partners.rank[node]:
                bound[node] += partners.weight[partners.indices[k]]
    return bound


@compiled
def greedy(partners: Partners, node: int) -> NDArray[np.int64]:
    """Return a node and later partners, the heaviest and then the latest first, as long as all pairs are allowed."""
    start, stop = partners.indptr[node], partners.indptr[node + 1]
    row = partners.indices[start:stop]
    row = row[partners.rank[row] > partners.rank[node]]
    row = row[np.argsort(-partners.rank[row])]
    row = row[np.argsort(-partners.weight[row], kind="mergesort")]
    chosen = np.empty(len(row) + 1, np.int64)
    chosen[0] = node
    count = 1
    for candidate in row:
        allowed = True
        for other in chosen[1:count]:
            begin, end = partners.indptr[other], partners.indptr[other + 1]
            place = begin + np.searchsorted(partners.indices[begin:end], candidate)
            if place == end or partners.indices[place] != candidate:
                allowed = False
                break
        if allowed:
            chosen[count] = candidate
            count += 1
    return chosen[:count]


@compiled
def greedy_from(partners: Partners, order: IntArray, first: int, last: int, least: float) -> NDArray[np.int64]:
    """Return the heaviest greedy set of the nodes order[first:last] that is above a weight, or an empty one."""
    best = np.zeros(0, np.int64)
    for position in range(first, last):
        found = greedy(partners, order[position])
        total = partners.weight[found].sum()
        if total > least:
            best, least = found, total
    return best


def as_small_problem(partners: Partners, node: int) -> tuple[HittingSet, NDArray[np.int32]]:
    """Return the forbidden pairs among a node's later partners as a hitting set problem, and those partners."""
    near = partners.later(node)
    allowed = np.zeros((len(near), len(near)), dtype=bool)
    place = {int(each): position for position, each in enumerate(near)}
    for position, each in enumerate(near.tolist()):
        row = partners.indices[partners.indptr[each] : partners.indptr[each + 1]].tolist()
        allowed[position, [place[other] for other in row if other in place]] = True
    low, high = np.nonzero(np.triu(~allowed, 1))
    pairs = np.stack([low, high], axis=1).reshape(-1)
    return assemble(partners.weight[near], np.full(len(low), 2), pairs, inverted=True), near
