from __future__ import annotations

import numpy as np
import pytest

from annealco._core import Clock, approximate_pagerank
from annealco.baselines.local_clustering.pagerank_nibble import nibble
from annealco.baselines.local_clustering.protocol import Box
from annealco.baselines.local_clustering.sweep import weighted_rows
from annealco.graph.graph import Graph
from tests.baselines.local_clustering.graphs import conductance_of, middle, small


def exact(graph: Graph, start: np.ndarray, alpha: float) -> np.ndarray:
    """Personalised PageRank of the lazy walk by a dense linear system."""
    matrix = np.zeros((graph.num_nodes, graph.num_nodes))
    low, high = graph.edges
    matrix[low, high] = matrix[high, low] = graph.edge_weight
    walk = 0.5 * (np.eye(graph.num_nodes) + matrix / matrix.sum(axis=0))
    return np.linalg.solve(np.eye(graph.num_nodes) - (1 - alpha) * walk, alpha * start)


@pytest.mark.parametrize("graph", [*small(10), *middle()])
@pytest.mark.parametrize(("alpha", "epsilon"), [(0.1, 1e-2), (0.02, 1e-4)])
def test_rank_and_the_rank_of_the_residual_are_the_exact_rank(graph, alpha: float, epsilon: float) -> None:
    rank, residual = approximate_pagerank(*weighted_rows(graph), 2, alpha, epsilon, Clock())
    seed = np.eye(graph.num_nodes)[2]
    np.testing.assert_allclose(rank + exact(graph, residual, alpha), exact(graph, seed, alpha), atol=1e-12)
    assert np.all(residual >= 0)
    assert np.all(residual < epsilon * graph.weighted_degree)
    # Every push moves α ε d at least, and there is 1 in all.
    assert graph.weighted_degree[rank > 0].sum() <= 1 / (alpha * epsilon)


def test_two_cliques_are_told_apart() -> None:
    ends = [(u, v) for base in (0, 6) for u in range(base, base + 6) for v in range(u + 1, base + 6)]
    graph = Graph.from_edges(np.array([*ends, (5, 6)]).T)
    assert np.flatnonzero(nibble(graph, 2, Box(0, 32))).tolist() == list(range(6))
    assert np.flatnonzero(nibble(graph, 9, Box(20, 40))).tolist() == list(range(6, 12))


def test_the_seed_is_in_the_set() -> None:
    for graph in middle():
        for seed in (0, 7, 100):
            found = nibble(graph, seed, Box(100, 200))
            assert found[seed]
            assert conductance_of(graph, found) <= 1


@pytest.mark.parametrize(
    ("seed", "alpha", "epsilon", "rule"),
    [
        (8, 0.1, 0.1, "seed"),
        (-1, 0.1, 0.1, "seed"),
        (0, 0.0, 0.1, "alpha"),
        (0, np.nan, 0.1, "alpha"),
        (0, 0.1, 0.0, "eps"),
    ],
)
def test_what_would_not_end_is_refused(seed: int, alpha: float, epsilon: float, rule: str) -> None:
    [graph] = small(1)
    with pytest.raises(ValueError, match=rule):
        approximate_pagerank(*weighted_rows(graph), seed, alpha, epsilon, Clock())
    with pytest.raises(ValueError, match="positive"):
        approximate_pagerank(graph.indptr, graph.indices, np.zeros(len(graph.indices)), 0, 0.1, 0.1, Clock())
