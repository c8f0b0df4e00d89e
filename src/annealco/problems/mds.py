"""Minimum dominating set: the lightest set such that every node is in it or has a neighbour in it."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from annealco.energy import Constraint, Cover, Instance, Linear
from annealco.graph.graph import Graph
from annealco.problems.problem import Problem, as_node_set


def declare(graph: Graph) -> Instance:
    """f(x) = Σ w_i x_i + Σ_i β_i Π_{j∈N[i]} (1 − x_j) with β_i = min{w_j : j ∈ N[i]}, N[i] the closed neighbourhood.

    Adding the lightest node of a neighbourhood that is not hit never raises f.
    """
    nodes = np.arange(graph.num_nodes, dtype=np.int32)
    set_ptr = graph.indptr + np.arange(graph.num_nodes + 1)
    members = np.insert(graph.indices, graph.indptr[:-1], nodes)
    lightest = np.minimum.reduceat(graph.node_weight[members], set_ptr[:-1]) if graph.num_nodes else np.zeros(0)
    neighbourhoods = Cover(graph.node_ptr, set_ptr, members, np.ones(graph.num_nodes))
    return Instance(
        node_ptr=graph.node_ptr,
        objective=(Linear(graph.node_ptr, graph.node_weight),),
        constraints=(Constraint(neighbourhoods, lightest),),
        sense="min",
    )


def score(graph: Graph, nodes: Collection[int]) -> float | None:
    """Return the weight of the set, or None where it leaves a node undominated."""
    chosen = as_node_set(graph, nodes)
    dominated = set(chosen)
    for u, v in zip(*graph.edges.tolist(), strict=True):
        if u in chosen:
            dominated.add(v)
        if v in chosen:
            dominated.add(u)
    if len(dominated) < graph.num_nodes:
        return None
    return sum((float(graph.node_weight[node]) for node in chosen), start=0.0)


MDS = Problem(name="mds", title="minimum dominating set", sense="min", declare=declare, score=score)
