"""Small graphs, and what is known of them by plain loops, for the tests of bounds."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import numpy as np

from annealco._core import Clock
from annealco.bounds.ledger import Ledger
from annealco.bounds.linear_program import neighbours_of
from annealco.graph.graph import Graph


def random_graph(seed, num_nodes, density, *, weights=None):
    """Draw a graph; node weights are 1, integers or reals, edge weights of both signs where weighted."""
    rng = np.random.default_rng(seed)
    pairs = np.array(list(combinations(range(num_nodes), 2))).reshape(-1, 2).T
    edges = pairs[:, rng.random(pairs.shape[1]) < density]
    graph = Graph.from_edges(edges, num_nodes)
    if weights == "integer":
        return graph.with_weights(
            node_weight=rng.integers(0, 9, num_nodes), edge_weight=rng.integers(-5, 9, edges.shape[1])
        )
    if weights == "real":
        return graph.with_weights(
            node_weight=rng.uniform(0, 3, num_nodes), edge_weight=rng.uniform(-1, 3, edges.shape[1])
        )
    return graph


def rows_of(graph):
    return neighbours_of(graph.edges, graph.num_nodes)


def joined_sets(graph):
    """The neighbours of each node, as sets."""
    return [set(graph.neighbours(node).tolist()) for node in range(graph.num_nodes)]


def over():
    """A clock that leaves no time."""
    return Clock(seconds=0.0)


def is_clique(graph, nodes):
    joined = joined_sets(graph)
    return len(set(nodes)) == len(nodes) and all(v in joined[u] for u, v in combinations(nodes, 2))


def sets_of(start, member):
    """Lists of members from offsets."""
    return [member[low:high].tolist() for low, high in pairwise(start)]


def least_cover(weight, sets, demand=None):
    """The least weight of a choice that has enough members of every set, by trying all."""
    demand = [1] * len(sets) if demand is None else demand
    costs = [
        sum(w for w, chosen in zip(weight, bits, strict=True) if chosen)
        for bits in product((0, 1), repeat=len(weight))
        if all(sum(bits[i] for i in members) >= need for members, need in zip(sets, demand, strict=True))
    ]
    return min(costs)


def least_coupling(spins):
    """The least Σ J s_u s_v, by trying all spins."""
    pairs, values = spins.pairs.T.tolist(), spins.coupling.tolist()
    return min(
        sum(value * s[u] * s[v] for (u, v), value in zip(pairs, values, strict=True))
        for s in product((-1, 1), repeat=spins.num_spins)
    )


def ledger(seconds=60.0, **settings):
    return Ledger(seconds=seconds, **settings)
