"""Improve a partition of a large sparse graph by going through its classes again, greedily.

Nodes are handed out class by class, in another order of the classes. A class fits into one group, so that there are
never more groups than there were classes, and often fewer (Culberson and Luo, 1996). One pass takes linear time.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from annealco.bounds.neighbours import Neighbours
from annealco.graph.segments import IntArray
from annealco.jit import compiled

Regroup = Callable[[Neighbours, IntArray], IntArray]
"""Partition the nodes in a given order, [num_nodes] to classes [num_nodes]; `colour_in_order` is one too."""


def next_partition(rows: Neighbours, label: IntArray, regroup: Regroup, rng: np.random.Generator) -> IntArray:
    """Return a partition of the nodes [num_nodes] into as many classes as before, or fewer.

    The classes come in descending order of size, in reverse or shuffled, at random.
    """
    num_classes = int(label.max(initial=-1)) + 1
    size = np.bincount(label, minlength=num_classes)
    ranks = (-size + rng.random(num_classes), -np.arange(num_classes), rng.random(num_classes))
    rank = ranks[rng.choice(3, p=[0.5, 0.3, 0.2])]
    return regroup(rows, np.argsort(rank[label], kind="stable"))


@compiled
def cliques_in_order(rows: Neighbours, order: IntArray) -> IntArray:
    """Put each node in turn into the largest clique that it is joined to all of, else into a new one, [num_nodes]."""
    num_nodes = len(order)
    label, size = np.full(num_nodes, -1, np.int64), np.zeros(num_nodes, np.int64)
    met, met_by, cliques = np.zeros(num_nodes, np.int64), np.full(num_nodes, -1, np.int64), 0
    for node in order:
        best = cliques
        for entry in range(rows.start[node], rows.start[node + 1]):
            each = label[rows.node[entry]]
            if each >= 0:
                met[each] = met[each] + 1 if met_by[each] == node else 1
                met_by[each] = node
                if met[each] == size[each] and (best == cliques or size[each] > size[best]):
                    best = each
        label[node] = best
        size[best] += 1
        cliques = max(cliques, best + 1)
    return label
