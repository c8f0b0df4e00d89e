"""Write a problem as rows of 0-1 variables, the form that integer programming solvers want.

Independent sets are told by cliques, of which at most one node is chosen, instead of by edges: the relaxation is far
tighter, and every solver here is the better for it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.graph.graph import Graph
from peers.independent import conflict_graph


class LinearRows(NamedTuple):
    """Maximise weight·x with at most one, or minimise it with at least one variable of each row.

    Attributes:
        weight: [num_variables].
        rows: for each row its variables.
        packing: whether at most one is chosen, and the weight maximised.
    """

    weight: NDArray[np.float64]
    rows: list[list[int]]
    packing: bool

    @property
    def flat(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The rows as offsets [num_rows + 1] and variables [num_entries]."""
        ptr = np.cumsum([0, *map(len, self.rows)]).astype(np.int32)
        return ptr, np.array([node for row in self.rows for node in row], dtype=np.int32)


@lru_cache(maxsize=1)
def linear_rows(graph: Graph, problem: str) -> LinearRows:
    """Return neighbourhoods of at least one for domination, cliques of at most one for everything else."""
    if problem == "mds":
        neighbourhoods = [[node, *graph.neighbours(node).tolist()] for node in range(graph.num_nodes)]
        return LinearRows(graph.node_weight, neighbourhoods, packing=False)
    return LinearRows(graph.node_weight, clique_rows(conflict_graph(graph, problem)), packing=True)


def clique_rows(graph: Graph) -> list[list[int]]:
    """Cover every edge by cliques that grow greedily by the node that covers most new edges.

    Example:
        >>> sorted(map(sorted, clique_rows(Graph.from_edges([[0, 0, 1, 2], [1, 2, 2, 3]]))))
        [[0, 1, 2], [2, 3]]
    """
    joined = np.zeros((graph.num_nodes, graph.num_nodes), bool)
    joined[graph.edges[0], graph.edges[1]] = joined[graph.edges[1], graph.edges[0]] = True
    uncovered = joined.copy()
    cliques = []
    for node in np.argsort(-graph.degree).tolist():
        while uncovered[node].any():
            clique = _grow(joined, uncovered, node)
            uncovered[np.ix_(clique, clique)] = False
            cliques.append(clique)
    return cliques


def _grow(joined: NDArray[np.bool_], uncovered: NDArray[np.bool_], node: int) -> list[int]:
    clique = [node]
    common, gain = joined[node].copy(), uncovered[node].astype(np.int32)
    while common.any():
        best = int(np.argmax(np.where(common, gain, -1)))
        clique.append(best)
        common &= joined[best]
        gain += uncovered[best]
    return clique
