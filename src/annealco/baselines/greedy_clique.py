"""Greedy rules where the allowed pairs are listed instead of the forbidden ones: cliques, without the complement."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.graph.segments import IntArray
from annealco.jit import compiled
from annealco.search.cliques import Partners

Bits = NDArray[np.bool_]


def clique_fixed(partners: Partners) -> Bits:
    """Add nodes by descending weight / (1 + forbidden partners) while all pairs are allowed, [num_nodes]; O(m)."""
    allowed = np.diff(partners.indptr)
    return add_in_order(partners, np.argsort(-partners.weight / (len(allowed) - allowed), kind="stable"))


@compiled
def add_in_order(partners: Partners, order: IntArray) -> Bits:
    """Add nodes in an order while all pairs are allowed, [num_nodes]."""
    chosen, joined, size = np.zeros(len(order), np.bool_), np.zeros(len(order), np.int64), 0
    for node in order:
        if joined[node] == size:
            chosen[node] = True
            size += 1
            for k in range(partners.indptr[node], partners.indptr[node + 1]):
                joined[partners.indices[k]] += 1
    return chosen


@compiled
def clique_updated(partners: Partners) -> Bits:
    """Choose the candidate of largest weight / (1 + candidates it excludes), keep those joined to it, and again.

    O(m + n · size of the clique), the result [num_nodes].
    """
    size = len(partners.weight)
    chosen, mark = np.zeros(size, np.bool_), np.zeros(size, np.int64)
    joined = partners.indptr[1:] - partners.indptr[:-1]
    candidates, count, rounds = np.arange(size), size, 0
    while count > 0:
        best, most = -1, -1.0
        for node in candidates[:count]:
            score = partners.weight[node] / (count - joined[node])
            if score > most:
                best, most = node, score
        chosen[best] = True
        rounds += 1
        for k in range(partners.indptr[best], partners.indptr[best + 1]):
            mark[partners.indices[k]] += 1
        kept = 0
        for place in range(count):
            node = candidates[place]
            if mark[node] == rounds:
                candidates[kept] = node
                kept += 1
            else:
                for k in range(partners.indptr[node], partners.indptr[node + 1]):
                    joined[partners.indices[k]] -= 1
        count = kept
    return chosen
