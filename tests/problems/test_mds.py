import networkx as nx
import numpy as np
import pytest

from annealco.graph.graph import Graph
from annealco.problems.mds import MDS
from tests.problems.brute_force import best_score


def test_score_of_a_star_with_a_loner():
    graph = Graph.from_edges([[0, 0, 0], [1, 2, 3]], num_nodes=5, node_weight=[9, 1, 1, 1, 2])
    assert MDS.score(graph, {0, 4}) == 11
    assert MDS.score(graph, {1, 2, 3, 4}) == 5
    assert MDS.score(graph, {0}) is None


def test_penalty_is_the_lightest_of_the_closed_neighbourhood():
    graph = Graph.from_edges([[0, 1], [1, 2]], num_nodes=4, node_weight=[5, 2, 1, 7])
    instance = MDS.declare(graph)
    assert instance.constraints[0].penalty.tolist() == [2, 1, 1, 7]
    assert instance.energy().value([0, 0, 0, 0]).tolist() == [11]
    assert instance.violations([1, 0, 0, 0]).tolist() == [2]


@pytest.mark.parametrize("seed", range(5))
def test_feasible_sets_are_networkx_s_dominating_sets(seed):
    graph = nx.gnp_random_graph(8, 0.3, seed=seed)
    ours = Graph.from_edges(np.array(list(graph.edges) or np.zeros((0, 2), int)).T, 8)
    rng = np.random.default_rng(seed)
    for _ in range(50):
        nodes = np.flatnonzero(rng.random(8) < 0.4).tolist()
        assert (MDS.score(ours, nodes) is not None) == nx.is_dominating_set(graph, nodes)


def test_optimum_of_a_path():
    assert best_score(MDS, Graph.from_edges([range(6), range(1, 7)])) == 3
