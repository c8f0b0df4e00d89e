"""Maximum cut: the set with the most edge weight between it and the rest; edge weights may be negative."""

from __future__ import annotations

from collections.abc import Collection

from annealco.energy import Instance, Linear, Pairs
from annealco.graph.graph import Graph
from annealco.problems.problem import Problem, as_node_mask


def declare(graph: Graph) -> Instance:
    """f(x) = −Σ_(u,v)∈E w_uv (x_u + x_v − 2 x_u x_v): an edge counts where exactly one end is chosen. No constraint."""
    return Instance(
        node_ptr=graph.node_ptr,
        objective=(
            Linear(graph.node_ptr, -graph.weighted_degree),
            Pairs(graph.node_ptr, graph.edges, 2 * graph.edge_weight),
        ),
        sense="max",
    )


def score(graph: Graph, nodes: Collection[int]) -> float | None:
    """Return the weight of the edges between the set and the rest."""
    chosen = as_node_mask(graph, nodes)
    low, high = graph.edges
    return float(graph.edge_weight[chosen[low] != chosen[high]].sum())


MAX_CUT = Problem(name="max_cut", title="maximum cut", sense="max", declare=declare, score=score)
