"""Maximum independent set: the heaviest set of nodes of which no two are joined."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from annealco.energy import Constraint, Instance, Linear, Pairs
from annealco.graph.graph import Graph
from annealco.problems.problem import Problem, as_node_mask, lighter_ends, total_weight


def declare(graph: Graph) -> Instance:
    """f(x) = −Σ w_i x_i + Σ_(u,v)∈E β_uv x_u x_v with β_uv = min(w_u, w_v).

    Dropping the lighter end of a joined pair never raises f: the proof that the minimum is exact, and the repair.
    """
    joined = Pairs(graph.node_ptr, graph.edges, np.ones(graph.num_edges))
    return Instance(
        node_ptr=graph.node_ptr,
        objective=(Linear(graph.node_ptr, -graph.node_weight),),
        constraints=(Constraint(joined, lighter_ends(graph)),),
        sense="max",
    )


def score(graph: Graph, nodes: Collection[int]) -> float | None:
    """Return the weight of the set, or None where two of its nodes are joined."""
    chosen = as_node_mask(graph, nodes)
    low, high = graph.edges
    if np.any(chosen[low] & chosen[high]):
        return None
    return total_weight(graph, chosen)


MIS = Problem(name="mis", title="maximum independent set", sense="max", declare=declare, score=score)
