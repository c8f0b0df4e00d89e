"""Minimum vertex cover: the lightest set that holds an end of every edge."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from annealco.energy import Constraint, Cover, Instance, Linear
from annealco.graph.graph import Graph
from annealco.problems.mis import MIS
from annealco.problems.problem import Problem, as_node_mask, lighter_ends, total_weight


def declare(graph: Graph) -> Instance:
    """f(x) = Σ w_i x_i + Σ_(u,v)∈E β_uv (1 − x_u)(1 − x_v) with β_uv = min(w_u, w_v).

    Adding the lighter end of an uncovered edge never raises f.
    """
    ends = Cover(
        graph.node_ptr, np.arange(0, 2 * graph.num_edges + 1, 2), graph.edges.T.reshape(-1), np.ones(graph.num_edges)
    )
    return Instance(
        node_ptr=graph.node_ptr,
        objective=(Linear(graph.node_ptr, graph.node_weight),),
        constraints=(Constraint(ends, lighter_ends(graph)),),
        sense="min",
    )


def score(graph: Graph, nodes: Collection[int]) -> float | None:
    """Return the weight of the set, or None where it leaves an edge uncovered."""
    chosen = as_node_mask(graph, nodes)
    low, high = graph.edges
    if not np.all(chosen[low] | chosen[high]):
        return None
    return total_weight(graph, chosen)


VERTEX_COVER = Problem(
    name="vertex_cover", title="minimum vertex cover", sense="min", declare=declare, score=score, complement_of=MIS
)
