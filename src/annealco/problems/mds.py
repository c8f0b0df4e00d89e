"""Minimum dominating set: the lightest set such that every node is in it or has a neighbour in it."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from annealco.arrays import closed_rows
from annealco.energy import Constraint, Cover, Instance, Linear
from annealco.graph.graph import Graph
from annealco.problems.problem import Problem, as_node_mask, total_weight


def declare(graph: Graph) -> Instance:
    """f(x) = Σ w_i x_i + Σ_i β_i Π_{j∈N[i]} (1 − x_j) with β_i = min{w_j : j ∈ N[i]}, N[i] the closed neighbourhood.

    Adding the lightest node of a neighbourhood that is not hit never raises f.
    """
    set_ptr, members = closed_rows(graph.indptr, graph.indices)
    lightest = graph.node_weight
    if graph.num_nodes and lightest.min() < lightest.max():
        lightest = np.minimum.reduceat(lightest[members], set_ptr[:-1])
    neighbourhoods = Cover(graph.node_ptr, set_ptr, members, np.ones(graph.num_nodes))
    return Instance(
        node_ptr=graph.node_ptr,
        objective=(Linear(graph.node_ptr, graph.node_weight),),
        constraints=(Constraint(neighbourhoods, lightest),),
        sense="min",
    )


def score(graph: Graph, nodes: Collection[int]) -> float | None:
    """Return the weight of the set, or None where it leaves a node undominated."""
    chosen = as_node_mask(graph, nodes)
    low, high = graph.edges
    dominated = chosen.copy()
    dominated[high[chosen[low]]] = True
    dominated[low[chosen[high]]] = True
    return total_weight(graph, chosen) if dominated.all() else None


MDS = Problem(name="mds", title="minimum dominating set", sense="min", declare=declare, score=score)
