import networkx as nx
import numpy as np
import pytest

from annealco.graph.graph import Graph
from annealco.problems.mis import MIS
from tests.problems.brute_force import best_score


def test_score_of_a_weighted_path():
    path = Graph.from_edges([[0, 1], [1, 2]], node_weight=[2, 5, 4])
    assert MIS.score(path, {0, 2}) == 6
    assert MIS.score(path, {1}) == 5
    assert MIS.score(path, {0, 1}) is None
    assert MIS.score(path, ()) == 0


def test_penalty_is_the_lighter_end_and_each_edge_counts_once():
    instance = MIS.declare(Graph.from_edges([[0, 1], [1, 2]], node_weight=[2, 5, 4]))
    assert instance.energy().value([1, 1, 1]).tolist() == [-11 + 2 + 4]
    assert instance.violations([1, 1, 1]).tolist() == [2]


def test_infeasible_minimisers_exist_but_never_win():
    energy = MIS.declare(Graph.from_edges([[0], [1]])).energy()
    assert energy.value([[1, 1], [1, 0]]).ravel().tolist() == [-1, -1]


@pytest.mark.parametrize("seed", range(5))
def test_optimum_is_the_largest_clique_of_the_complement(seed):
    graph = nx.gnp_random_graph(9, 0.4, seed=seed)
    ours = Graph.from_edges(np.array(graph.edges).T, 9)
    largest = max(len(clique) for clique in nx.find_cliques(nx.complement(graph)))
    assert best_score(MIS, ours) == largest
