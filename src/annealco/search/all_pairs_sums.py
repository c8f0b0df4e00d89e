"""Running sums for `AllPairs`: what all chosen nodes together charge one more, without listing pairs.

For Σ_{i<j} min(c_i, c_j) p_i p_j the conditional difference of a node i is c_i Σ p over the nodes before it in
descending order of c, and Σ c p over those behind it. Two Fenwick trees give both in O(log n); where all c of a graph
are equal, the sum of p alone gives it in O(1). Each reading of an instance, f and ψ, has c of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from annealco.graph.segments import FloatArray
from annealco.jit import inlined, part
from annealco.search.forms import Forms


class AllPairsSums(NamedTuple):
    """Sums over the nodes of each graph.

    Attributes:
        total: [num_graphs, 2, 2] for each reading, the sums of p and of c·p.
        tree: [num_nodes, 2, 2] or [0, 2, 2], for each reading a Fenwick tree a graph of these two, in descending order.
    """

    total: FloatArray
    tree: FloatArray


def empty_sums(forms: Forms) -> AllPairsSums:
    """Return the sums where every p is 0."""
    return AllPairsSums(np.zeros((len(forms.uniform), 2, 2)), np.zeros((len(forms.all_pairs), 2, 2)))


@part
def clear_sums(forms: Forms, sums: AllPairsSums, graph: int) -> None:
    """Set every p of a graph to 0."""
    sums.total[graph] = 0.0
    if len(sums.tree):
        sums.tree[forms.node_ptr[graph] : forms.node_ptr[graph + 1]] = 0.0


@inlined
def add_to_sums(forms: Forms, sums: AllPairsSums, graph: int, node: int, amount: float) -> None:
    """Add to the p of a node."""
    if not len(forms.all_pairs):
        return
    start, size = forms.node_ptr[graph], forms.node_ptr[graph + 1] - forms.node_ptr[graph]
    for reading in range(2):
        charged = forms.all_pairs[node, reading] * amount
        sums.total[graph, reading, 0] += amount
        sums.total[graph, reading, 1] += charged
        at = size + 1 if forms.uniform[graph, reading] else forms.place[node, reading] - start + 1
        while at <= size:
            sums.tree[start + at - 1, reading, 0] += amount
            sums.tree[start + at - 1, reading, 1] += charged
            at += at & -at


@inlined
def all_pairs_charge(forms: Forms, sums: AllPairsSums, graph: int, node: int, reading: int) -> float:
    """Return Σ_j min(c_i, c_j) p_j for a node i; what i itself adds, c_i p_i, is for the caller to take off."""
    coefficient = forms.all_pairs[node, reading]
    if forms.uniform[graph, reading]:
        return float(coefficient * sums.total[graph, reading, 0])
    before, charged = 0.0, 0.0
    start = forms.node_ptr[graph]
    at = forms.place[node, reading] - start
    while at > 0:
        before += sums.tree[start + at - 1, reading, 0]
        charged += sums.tree[start + at - 1, reading, 1]
        at -= at & -at
    return float(coefficient * before + (sums.total[graph, reading, 1] - charged))
