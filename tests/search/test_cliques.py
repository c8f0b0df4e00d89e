"""Cliques by neighbourhoods, against networkx and enumeration."""

import math

import networkx as nx
import numpy as np
import pytest

from annealco import _core
from annealco.clock import Budget, Trace
from annealco.graph.generators import barabasi_albert, erdos_renyi
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search.cliques import CliqueSearch, as_partners
from tests.problems.brute_force import best_score


def random_graph(seed, size=40, probability=0.4, weighted=True):
    graph = erdos_renyi(np.random.default_rng(seed), num_nodes=size, edge_probability=probability)
    weight = np.random.default_rng(seed).integers(1, 6, size) if weighted else np.ones(size)
    return graph.with_weights(node_weight=weight)


def search_of(graph, seed=0, start=None):
    partners = as_partners(PROBLEMS["clique"].declare(graph))
    assert partners is not None
    return CliqueSearch(partners, np.zeros(graph.num_nodes, bool) if start is None else start, seed)


def heaviest(graph):
    other = nx.Graph()
    for node, weight in enumerate(graph.node_weight.tolist()):
        other.add_node(node, weight=int(weight))
    other.add_edges_from(graph.edges.T.tolist())
    return nx.max_weight_clique(other)[1]


@pytest.mark.parametrize("name", ["mis", "mds", "cut"])
def test_other_problems_have_no_partners(name):
    assert as_partners(PROBLEMS[name].declare(Graph.from_edges([[0], [1]]))) is None


def test_small_graphs_are_solved():
    for graph in small_graphs(np.random.default_rng(2), num_random=30):
        search = search_of(graph)
        _, assignment, cost = search.run(Budget(moves=20_000), -math.inf, Trace())
        assert PROBLEMS["clique"].score(graph, np.flatnonzero(assignment)) == pytest.approx(-cost)
        assert -cost == pytest.approx(best_score(PROBLEMS["clique"], graph))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("weighted", [False, True])
def test_graphs_with_many_neighbourhoods_are_solved(seed, weighted):
    graph = random_graph(seed, size=120, probability=0.15, weighted=weighted)
    search = search_of(graph, seed)
    _, assignment, cost = search.run(Budget(moves=2_000_000), -math.inf, Trace())
    assert PROBLEMS["clique"].score(graph, np.flatnonzero(assignment)) == -cost == heaviest(graph)


def test_solved_means_optimal():
    solved = 0
    for seed in range(40):
        graph = random_graph(seed, size=30, probability=0.2, weighted=seed % 2 == 0)
        search = search_of(graph)
        assert not search.solved
        _, _, cost = search.run(Budget(moves=1_000_000), -math.inf, Trace())
        if search.solved:
            solved += 1
            assert -cost == heaviest(graph)
    assert solved > 5


def test_a_large_sparse_graph():
    graph = barabasi_albert(np.random.default_rng(0), num_nodes=70_000)
    _, assignment, cost = search_of(graph).run(Budget(moves=200_000), -4.0, Trace())
    assert PROBLEMS["clique"].score(graph, np.flatnonzero(assignment)) == -cost >= 3


@pytest.mark.parametrize("seed", range(3))
def test_how_a_run_is_cut_makes_no_difference(seed):
    graph = random_graph(seed, size=150, probability=0.3)
    whole, parts = search_of(graph, seed), search_of(graph, seed)
    moves, one, cost = whole.run(Budget(moves=30_000), -math.inf, Trace())
    rng, left = np.random.default_rng(seed), 30_000
    while left:
        some = min(left, int(rng.integers(1, 700)))
        made, two, other = parts.run(Budget(moves=some), -math.inf, Trace())
        left -= some
        if made < some:
            break
    assert whole.core.moves == parts.core.moves == moves
    assert cost == other
    assert np.array_equal(one, two)


def test_a_stop_keeps_the_start_and_the_search_goes_on():
    graph = random_graph(1)
    edge = np.isin(np.arange(40), graph.edges[:, 0])
    search, stop = search_of(graph, start=edge), _core.StopFlag()
    stop.set()
    _, assignment, cost = search.run(Budget(moves=10, stop=stop), -math.inf, Trace())
    assert np.array_equal(assignment, edge)
    assert -cost == graph.node_weight[edge].sum()
    assert -search.run(Budget(moves=1_000_000), -math.inf, Trace())[2] == heaviest(graph)


def test_of_a_start_that_is_no_clique_a_clique_is_kept():
    path = Graph.from_edges([[0, 1, 2], [1, 2, 3]])
    _, assignment, _ = search_of(path, start=np.ones(4, bool)).run(Budget(moves=0), -math.inf, Trace())
    assert np.flatnonzero(assignment).tolist() == [0, 1]


def test_a_target_ends_the_search_and_the_trace_tells_when():
    graph = random_graph(3)
    best, trace = heaviest(graph), Trace()
    moves, _, cost = search_of(graph).run(Budget(moves=1_000_000), -best, trace)
    assert cost == -best == trace.points[-1][1]
    assert moves < 1_000_000


@pytest.mark.parametrize("size", [0, 1, 5])
def test_graphs_without_edges(size):
    graph = Graph.from_edges(np.zeros((2, 0), int), size)
    search = search_of(graph)
    _, assignment, cost = search.run(Budget(moves=100), -math.inf, Trace())
    assert -cost == assignment.sum() == min(size, 1)
    assert search.solved
