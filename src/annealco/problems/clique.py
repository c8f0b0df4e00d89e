"""Maximum clique: the heaviest set of nodes of which every two are joined."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from annealco.energy import AllPairs, Constraint, Instance, Linear
from annealco.graph.graph import Graph
from annealco.problems.problem import Problem, as_node_set


def declare(graph: Graph) -> Instance:
    """f(x) = −Σ w_i x_i + Σ_(u,v)∉E β_uv x_u x_v with β_uv = min(w_u, w_v), each pair once.

    The pairs that are not joined are all pairs but the edges, so the complement is never built.
    """
    apart = AllPairs(graph.node_ptr, np.ones(graph.num_nodes), excluded=graph.edges)
    return Instance(
        node_ptr=graph.node_ptr,
        objective=(Linear(graph.node_ptr, -graph.node_weight),),
        constraints=(Constraint(apart, graph.node_weight),),
        sense="max",
    )


def score(graph: Graph, nodes: Collection[int]) -> float | None:
    """Return the weight of the set, or None where two of its nodes are not joined."""
    chosen = as_node_set(graph, nodes)
    lower, higher = graph.edges
    for u in chosen:
        # Edges are sorted: those from u to nodes after it lie side by side. A list of all neighbours would take longer.
        first, last = np.searchsorted(lower, np.array([u, u + 1], lower.dtype))
        joined = set(higher[first:last].tolist())
        if any(v > u and v not in joined for v in chosen):
            return None
    return sum((float(graph.node_weight[node]) for node in chosen), start=0.0)


CLIQUE = Problem(name="clique", title="maximum clique", sense="max", declare=declare, score=score)
