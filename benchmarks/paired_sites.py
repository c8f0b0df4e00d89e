"""A problem as a user may bring it: an independent set that earns by pairs as well, and may weigh only so much.

Edges of negative weight join rivals, of which at most one is chosen; an edge of positive weight is a bonus where both
of its ends are chosen. A node loads as much as it has rivals, and one more; all chosen ones together may load at most
a share of the total. No search of the package but the general ones takes these terms.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from annealco.arrays import FloatArray, occurrences, scatter_sum, segment_max, segment_sum
from annealco.energy import Constraint, Instance, Linear, Pairs, Range
from annealco.graph.generators.erdos_renyi import erdos_renyi
from annealco.graph.graph import Graph
from annealco.problems import Problem

SHARE = 0.15
"""Of the total load."""


def declare(graph: Graph) -> Instance:
    """f(x) = −Σ w_i x_i − Σ_(u,v) b_uv x_u x_v + Σ_(u,v) β_uv x_u x_v + β (load(x) − D1)_+.

    With B_i = w_i + Σ_j b_ij, what a chosen node earns at most, β_uv = min(B_u, B_v), and β = max_i B_i since loads are
    whole numbers above 0: to drop a node from a violated constraint never raises f.
    """
    rival = graph.edge_weight < 0
    bonus = np.where(rival, 0.0, graph.edge_weight)
    earned = graph.node_weight + scatter_sum(np.tile(bonus, 2), graph.edges.reshape(-1), graph.num_nodes)
    load = loads(graph)
    most = np.floor(SHARE * segment_sum(load, graph.node_ptr))
    rivals = Pairs(graph.node_ptr, graph.edges[:, rival], np.ones(int(rival.sum())))
    fits = Range(graph.node_ptr, load, np.zeros_like(most), most, np.ones_like(most))
    return Instance(
        node_ptr=graph.node_ptr,
        objective=(
            Linear(graph.node_ptr, -graph.node_weight),
            Pairs(graph.node_ptr, graph.edges[:, ~rival], -graph.edge_weight[~rival]),
        ),
        constraints=(
            Constraint(rivals, earned[graph.edges[:, rival]].min(axis=0)),
            Constraint(fits, segment_max(earned, graph.node_ptr)),
        ),
        sense="max",
    )


def loads(graph: Graph) -> FloatArray:
    """Return one more than the number of rivals of each node, [num_nodes]."""
    return 1.0 + occurrences(graph.edges[:, graph.edge_weight < 0].reshape(-1), graph.num_nodes)


def score(graph: Graph, nodes: Collection[int]) -> float | None:
    """Return what nodes and pairs earn, or None where rivals are chosen or the load is too large."""
    chosen, rivals = set(nodes), [0] * graph.num_nodes
    earned = sum(float(graph.node_weight[node]) for node in chosen)
    for first, second, weight in zip(*graph.edges.tolist(), graph.edge_weight.tolist(), strict=True):
        both = first in chosen and second in chosen
        if weight < 0:
            rivals[first] += 1
            rivals[second] += 1
            if both:
                return None
        elif both:
            earned += weight
    loaded = sum(1 + rivals[node] for node in chosen)
    return earned if loaded <= int(SHARE * (graph.num_nodes + sum(rivals))) else None


def draw(rng: np.random.Generator, *, num_nodes: int, average_degree: float = 14.0) -> Graph:
    """Draw a graph with whole weights, on which three of ten edges are a bonus."""
    plain = erdos_renyi(rng, num_nodes=num_nodes, edge_probability=min(1.0, average_degree / num_nodes))
    bonus = rng.integers(1, 6, plain.num_edges)
    edge_weight = np.where(rng.random(plain.num_edges) < 0.3, bonus, -1)
    return plain.with_weights(node_weight=rng.integers(1, 11, num_nodes), edge_weight=edge_weight)


def _examples(rng: np.random.Generator) -> list[Graph]:
    return [draw(rng, num_nodes=size, average_degree=3.0) for size in (4, 5, 6, 7, 8, 8)]


PAIRED_SITES = Problem(
    name="paired_sites",
    title="independent set with bonuses of pairs and a largest load",
    sense="max",
    declare=declare,
    score=score,
    examples=_examples,
    sharp=False,
)
