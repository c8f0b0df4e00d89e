"""Maximum independent set: the heaviest set of nodes of which no two are joined."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from annealco.energy import Constraint, Instance, Linear, Pairs
from annealco.graph.graph import Graph
from annealco.problems.problem import Problem, as_node_set


def declare(graph: Graph) -> Instance:
    """f(x) = −Σ w_i x_i + Σ_(u,v)∈E β_uv x_u x_v with β_uv = min(w_u, w_v).

    Dropping the lighter end of a joined pair never raises f: the proof that the minimum is exact, and the repair.
    """
    low, high = graph.edges
    joined = Pairs(graph.node_ptr, graph.edges, np.ones(graph.num_edges))
    return Instance(
        node_ptr=graph.node_ptr,
        objective=(Linear(graph.node_ptr, -graph.node_weight),),
        constraints=(Constraint(joined, np.minimum(graph.node_weight[low], graph.node_weight[high])),),
        sense="max",
    )


def score(graph: Graph, nodes: Collection[int]) -> float | None:
    """Return the weight of the set, or None where two of its nodes are joined."""
    chosen = as_node_set(graph, nodes)
    lower, higher = graph.edges
    own = np.array(sorted(chosen), lower.dtype)
    # Edges are sorted: those from a node to nodes after it lie side by side. Most edges have no end in the set.
    for first, last in zip(np.searchsorted(lower, own), np.searchsorted(lower, own, side="right"), strict=True):
        if not chosen.isdisjoint(higher[first:last].tolist()):
            return None
    return sum((float(graph.node_weight[node]) for node in chosen), start=0.0)


MIS = Problem(name="mis", title="maximum independent set", sense="max", declare=declare, score=score)
