import networkx as nx
import numpy as np
import pytest

from annealco.graph.graph import Graph
from annealco.problems.max_cut import MAX_CUT
from tests.problems.brute_force import best_score


def test_a_bipartite_graph_is_cut_whole_and_a_triangle_is_not():
    assert best_score(MAX_CUT, Graph.from_edges([[0, 1, 2, 0], [1, 2, 3, 3]])) == 4
    assert best_score(MAX_CUT, Graph.from_edges([[0, 0, 1], [1, 2, 2]])) == 2


def test_negative_edges_are_better_kept():
    graph = Graph.from_edges([[0, 1], [1, 2]], edge_weight=[-3, 2])
    assert best_score(MAX_CUT, graph) == 2
    assert MAX_CUT.score(graph, [1]) == -1
    assert MAX_CUT.declare(graph).energy().value([0, 1, 0]).tolist() == [1]


@pytest.mark.parametrize("seed", range(5))
def test_value_is_networkx_s_cut_size(seed):
    rng = np.random.default_rng(seed)
    graph = nx.gnp_random_graph(10, 0.5, seed=seed)
    weight = rng.normal(size=graph.number_of_edges())
    nx.set_edge_attributes(graph, dict(zip(graph.edges, weight, strict=True)), "weight")
    ours = Graph.from_edges(np.array(graph.edges).T, 10, edge_weight=weight)
    bits = rng.integers(0, 2, 10)
    cut = nx.cut_size(graph, np.flatnonzero(bits).tolist(), weight="weight")
    assert MAX_CUT.declare(ours).value(bits)[0] == pytest.approx(cut)
