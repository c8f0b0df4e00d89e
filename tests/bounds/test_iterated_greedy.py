import numpy as np
import pytest

from annealco.bounds.clique_cover import labels_of_cover
from annealco.bounds.colouring import colour_in_order, greedy_colouring
from annealco.bounds.greedy_cover import greedy_clique_cover
from annealco.bounds.iterated_greedy import cliques_in_order, next_partition
from tests.bounds.references import is_clique, random_graph, rows_of


def test_cliques_never_get_more():
    graph = random_graph(0, 120, 0.3)
    rows, rng = rows_of(graph), np.random.default_rng(0)
    label = labels_of_cover(greedy_clique_cover(rows, np.ones(120)))
    first = label.max()
    for _ in range(50):
        better = next_partition(rows, label, cliques_in_order, rng)
        assert better.max() <= label.max()
        label = better
    assert label.max() < first
    assert all(is_clique(graph, np.flatnonzero(label == each).tolist()) for each in range(label.max() + 1))


def test_colours_never_get_more():
    graph = random_graph(1, 120, 0.5)
    rows, rng = rows_of(graph), np.random.default_rng(0)
    label = greedy_colouring(rows, np.ones(120))
    for _ in range(50):
        better = next_partition(rows, label, colour_in_order, rng)
        assert better.max() <= label.max()
        assert all(better[u] != better[v] for u, v in graph.edges.T.tolist())
        label = better


@pytest.mark.parametrize("num_nodes", [0, 1])
def test_trivial_graphs(num_nodes):
    rows = rows_of(random_graph(0, num_nodes, 0.0))
    label = next_partition(rows, np.zeros(num_nodes, np.int64), cliques_in_order, np.random.default_rng(0))
    assert label.tolist() == [0] * num_nodes
