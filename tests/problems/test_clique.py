import networkx as nx
import numpy as np
import pytest
import torch

from annealco.graph.graph import Graph
from annealco.graph.operations import complement
from annealco.problems.clique import CLIQUE
from annealco.problems.mis import MIS
from tests.problems.brute_force import best_score


def test_score_of_a_weighted_triangle_with_a_tail():
    graph = Graph.from_edges([[0, 0, 1, 2], [1, 2, 2, 3]], node_weight=[1, 2, 3, 10])
    assert CLIQUE.score(graph, [0, 1, 2]) == 6
    assert CLIQUE.score(graph, [2, 3]) == 13
    assert CLIQUE.score(graph, [1, 3]) is None


@pytest.mark.parametrize("seed", range(5))
def test_energy_is_that_of_independent_sets_in_the_complement(seed):
    rng = np.random.default_rng(seed)
    graph = nx.gnp_random_graph(12, 0.6, seed=seed)
    ours = Graph.from_edges(np.array(graph.edges).T, 12, node_weight=rng.integers(1, 5, 12))
    bits = rng.integers(0, 2, (20, 12))
    clique, apart = CLIQUE.declare(ours), MIS.declare(complement(ours))
    assert np.allclose(clique.energy().value(bits), apart.energy().value(bits))
    assert np.allclose(clique.violations(bits), apart.violations(bits))
    assert np.allclose(clique.energy().flip_bound(), apart.energy().flip_bound())
    logits = torch.tensor(rng.normal(size=12))
    assert torch.allclose(clique.energy().expectation(logits), apart.energy().expectation(logits))
    assert torch.allclose(clique.energy().field(logits), apart.energy().field(logits))


def test_optimum_against_networkx():
    graph = nx.gnp_random_graph(9, 0.6, seed=3)
    ours = Graph.from_edges(np.array(graph.edges).T, 9)
    assert best_score(CLIQUE, ours) == max(len(clique) for clique in nx.find_cliques(graph))
