import networkx as nx
import numpy as np
import pytest

from annealco.graph.generators import erdos_renyi
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.search.neighbourhoods import as_partners, as_small_problem, greedy, greedy_from, reach
from tests.search.test_hitting_set import hits_all

RNG = np.random.default_rng(0)


def random_graph(seed, size=40, probability=0.4, weighted=True):
    graph = erdos_renyi(np.random.default_rng(seed), num_nodes=size, edge_probability=probability)
    weight = np.random.default_rng(seed).integers(1, 6, size) if weighted else np.ones(size)
    return graph.with_weights(node_weight=weight)


@pytest.mark.parametrize("seed", range(5))
def test_later_partners_are_few_as_the_core_number_says(seed):
    graph = random_graph(seed)
    partners = as_partners(PROBLEMS["clique"].declare(graph))
    other = nx.Graph(graph.edges.T.tolist())
    assert max(len(partners.later(node)) for node in range(40)) == max(nx.core_number(other).values())
    assert sorted(partners.rank.tolist()) == list(range(40))


@pytest.mark.parametrize("seed", range(5))
def test_greedy_sets_are_cliques_and_reach_bounds_them(seed):
    graph = random_graph(seed)
    partners = as_partners(PROBLEMS["clique"].declare(graph))
    bound = reach(partners)
    heaviest = 0.0
    for node in range(40):
        found = greedy(partners, node)
        score = PROBLEMS["clique"].score(graph, found)
        assert score is not None
        assert node in found
        assert score <= bound[node]
        later = set(partners.later(node).tolist())
        assert bound[node] == graph.node_weight[[node, *later]].sum()
        heaviest = max(heaviest, score)
    best = greedy_from(partners, np.arange(40), 0, 40, 0.0)
    assert PROBLEMS["clique"].score(graph, best) == heaviest
    assert len(greedy_from(partners, np.arange(40), 0, 40, heaviest)) == 0


def test_every_clique_lies_in_the_neighbourhood_of_its_first_node():
    graph = random_graph(1, weighted=False)
    partners = as_partners(PROBLEMS["clique"].declare(graph))
    for clique in nx.find_cliques(nx.Graph(graph.edges.T.tolist())):
        first = min(clique, key=lambda node: partners.rank[node])
        assert set(clique) - {first} <= set(partners.later(first).tolist())


def test_small_problem_forbids_what_is_not_joined():
    graph = random_graph(2, size=15)
    partners = as_partners(PROBLEMS["clique"].declare(graph))
    for node in range(15):
        sets, near = as_small_problem(partners, node)
        for _ in range(20):
            chosen = RNG.random(len(near)) < 0.5
            clique = [node, *near[chosen].tolist()]
            assert (PROBLEMS["clique"].score(graph, clique) is not None) == hits_all(sets, ~chosen)


@pytest.mark.parametrize("name", ["mis", "mds", "cut"])
def test_other_problems_have_no_partners(name):
    assert as_partners(PROBLEMS[name].declare(Graph.from_edges([[0], [1]]))) is None


def test_no_nodes():
    partners = as_partners(PROBLEMS["clique"].declare(Graph.from_edges(np.zeros((2, 0), int), 0)))
    assert len(reach(partners)) == 0
