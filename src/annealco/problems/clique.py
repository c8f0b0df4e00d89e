"""Maximum clique: the heaviest set of nodes of which every two are joined."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from annealco.energy import AllPairs, Constraint, Instance, Linear
from annealco.graph.graph import Graph
from annealco.problems.problem import Problem, as_node_mask, total_weight


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
    chosen = as_node_mask(graph, nodes)
    low, high = graph.edges
    size, joined = np.count_nonzero(chosen), np.count_nonzero(chosen[low] & chosen[high])
    return total_weight(graph, chosen) if joined == size * (size - 1) // 2 else None


CLIQUE = Problem(name="clique", title="maximum clique", sense="max", declare=declare, score=score)
