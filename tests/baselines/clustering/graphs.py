"""Small and middle-sized graphs, and what is true of their sets by plain counting."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np

from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems.conductance import conductance


def small(count: int, seed: int = 0, *, num_nodes: int = 8, weighted: bool = True) -> list[Graph]:
    """Return random graphs without nodes of degree 0, some with whole edge weights."""
    rng, found = np.random.default_rng(seed), []
    low, high = np.triu_indices(num_nodes, 1)
    while len(found) < count:
        kept = rng.random(len(low)) < rng.uniform(0.25, 0.6)
        weight = rng.integers(1, 4, kept.sum()) if weighted and len(found) % 2 else np.ones(kept.sum())
        graph = Graph.from_edges(np.stack([low[kept], high[kept]]), num_nodes, edge_weight=weight)
        if graph.degree.min() > 0:
            found.append(graph)
    return found


def middle() -> list[Graph]:
    """Return graphs of some hundred nodes."""
    return [generate("ba-small", count=1, seed=3), generate("regular-small", count=1, seed=4)]


def subsets(nodes: list[int]) -> list[list[int]]:
    """Return all sets of these nodes but the empty one."""
    return [list(each) for each in chain.from_iterable(combinations(nodes, k) for k in range(1, len(nodes) + 1))]


def conductance_of(graph: Graph, chosen) -> float:
    return conductance(graph, np.flatnonzero(chosen).tolist())
