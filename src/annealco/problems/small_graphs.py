"""Small graphs of many shapes and weights, on which everything can be enumerated."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np

from annealco.graph.graph import Graph

SHAPES: dict[str, tuple[int, list[tuple[int, int]]]] = {
    "no nodes": (0, []),
    "one node": (1, []),
    "two apart": (2, []),
    "an edge": (2, [(0, 1)]),
    "a path": (3, [(0, 1), (1, 2)]),
    "a triangle and a node": (4, [(0, 1), (0, 2), (1, 2)]),
    "a star": (5, [(0, 1), (0, 2), (0, 3), (0, 4)]),
    "a cycle": (5, [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)]),
    "complete": (5, list(combinations(range(5), 2))),
    "two edges and a node": (5, [(0, 1), (2, 3)]),
}
"""Number of nodes and edges of the shapes that are always among the small graphs."""


def small_graphs(rng: np.random.Generator, *, num_random: int = 40, max_nodes: int = 7) -> list[Graph]:
    """Return the fixed shapes and random graphs, unweighted and weighted in several ways.

    Node weights are 1, integers from 0, or reals; edge weights are 1, integers, or reals of both signs and 0. Some have
    labels that are not their numbers.
    """
    shapes = [Graph.from_edges(np.array(edges).T, size) for size, edges in SHAPES.values()]
    shapes += [_random_graph(rng, int(rng.integers(3, max_nodes + 1))) for _ in range(num_random)]
    plain = shapes[: len(SHAPES)]
    return plain + [_weighted(rng, graph, number % 4) for number, graph in enumerate(shapes)]


def _random_graph(rng: np.random.Generator, num_nodes: int) -> Graph:
    pairs = np.array(list(combinations(range(num_nodes), 2))).T
    return Graph.from_edges(pairs[:, rng.random(pairs.shape[1]) < rng.uniform(0.2, 0.9)], num_nodes)


def _weighted(rng: np.random.Generator, graph: Graph, kind: int) -> Graph:
    nodes, edges = graph.num_nodes, graph.num_edges
    if kind == 0:
        return graph
    if kind == 1:
        return graph.with_weights(node_weight=rng.integers(1, 6, nodes), edge_weight=rng.integers(1, 6, edges))
    if kind == 2:
        return graph.with_weights(node_weight=rng.uniform(0.1, 3, nodes), edge_weight=rng.uniform(0.1, 3, edges))
    edge_weight = np.round(rng.uniform(-2, 2, edges) * (rng.random(edges) < 0.8), 3)
    labelled = replace(graph, node_labels=np.arange(10, 10 + nodes)[::-1].copy())
    return labelled.with_weights(node_weight=rng.integers(0, 3, nodes), edge_weight=edge_weight)
