"""Cliques by neighbourhoods, against networkx and enumeration."""

import math
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

from annealco import _core
from annealco.arrays import symmetric_rows
from annealco.clock import Budget, Trace
from annealco.graph.generators import barabasi_albert, erdos_renyi
from annealco.graph.graph import Graph
from annealco.graph.operations import complement
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search import cliques
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


def random_instance(rng):
    """Return a random small graph with weights of any kind: equal, whole, of no grid, of all sizes, and some 0."""
    size, share = int(rng.integers(0, 13)), rng.choice([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
    low, high = np.triu_indices(size, 1)
    kept = rng.random(len(low)) < share
    weight = (
        np.full(size, rng.choice([0.1, 1.0, 3.0])),
        rng.integers(0, 4, size).astype(float),
        rng.random(size),
        rng.choice([0.0, 0.1, 0.2, 1e-12, 1e12], size),
        rng.choice([5e-324, 1e-300, 1e300], size),
    )[rng.integers(5)]
    return Graph.from_edges(np.stack([low[kept], high[kept]]), size).with_weights(node_weight=weight)


def heaviest_subset(graph):
    """Return the largest weight of a clique as an exact fraction, by trying all."""
    joined = [0] * graph.num_nodes
    for one, two in graph.edges.T.tolist():
        joined[one] |= 1 << two
        joined[two] |= 1 << one
    weight = [Fraction(each) for each in graph.node_weight.tolist()]

    def best(candidates):
        if not candidates:
            return Fraction(0)
        last = candidates.bit_length() - 1
        rest = candidates & ~(1 << last)
        return max(best(rest), weight[last] + best(rest & joined[last]))

    return best((1 << graph.num_nodes) - 1)


def core_of(graph, start=None, limit=0.0):
    indptr, indices, _ = symmetric_rows(graph.edges, np.ones(graph.num_edges), graph.num_nodes)
    start = np.zeros(graph.num_nodes, bool) if start is None else start
    return _core.CliqueSearch(indptr, indices, graph.node_weight, start, 0, limit)


def test_bounds_hold_at_every_interruption_and_meet_the_optimum():
    rng = np.random.default_rng(7)
    for _ in range(3000):
        graph = random_instance(rng)
        best = heaviest_subset(graph)
        search = core_of(graph, rng.random(graph.num_nodes) < 0.2)
        go_on = True
        while go_on:
            go_on = search.run(_core.Clock(moves=int(rng.integers(0, 8))), -math.inf)
            assert search.bound == math.inf or Fraction(search.bound) >= best
        assert search.is_solved
        nodes = np.flatnonzero(search.best)
        assert PROBLEMS["clique"].score(graph, nodes) is not None
        found = sum((Fraction(graph.node_weight[node]) for node in nodes), Fraction(0))
        # Weights that have no grid are rounded up to one of 2^-62 of the heaviest neighbourhood.
        assert (best - found) * 2**50 <= best
        assert search.bound == pytest.approx(float(best), rel=1e-14)


def test_only_what_is_heavier_than_the_limit_is_wanted():
    rng = np.random.default_rng(8)
    for _ in range(500):
        graph = random_instance(rng)
        graph = graph.with_weights(node_weight=np.ones(graph.num_nodes))
        best, limit = heaviest_subset(graph), int(rng.integers(0, 6))
        search = core_of(graph, limit=limit)
        assert not search.run(_core.Clock(moves=10_000), -math.inf)
        assert search.is_solved
        assert search.bound == max(best, limit)
        assert search.best_weight == best or (best <= limit and search.best_weight <= best)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("probability", [0.3, 0.6, 0.85])
def test_larger_graphs_against_networkx(probability, weighted):
    for seed in range(4):
        graph = random_graph(seed, size=70, probability=probability, weighted=weighted)
        search = core_of(graph)
        while search.run(_core.Clock(moves=997), -math.inf):
            assert search.bound >= heaviest(graph)
        assert search.best_weight == search.bound == heaviest(graph)


def test_work_ends_a_run_where_it_ends_another():
    graph = random_graph(0, size=150, probability=0.6)
    one, two = core_of(graph), core_of(graph)
    one.run(_core.Clock(), -math.inf, 300_000)
    while two.work < 300_000:
        two.run(_core.Clock(moves=13), -math.inf, 300_000)
    assert (one.moves, one.work, one.bound) == (two.moves, two.work, two.bound)
    assert not one.is_solved


def test_the_other_search_goes_on_where_the_exact_one_is_not_soon_done(monkeypatch):
    monkeypatch.setattr(cliques, "FIRST_WORK", 2000)
    monkeypatch.setattr(cliques, "WORK_PER_TURN", 3000)
    graph = random_graph(2, size=120, probability=0.7)
    instance, start = PROBLEMS["clique"].declare(graph), np.zeros(120, bool)
    whole, parts = (cliques.CLIQUES.begin(instance, start, seed=1, seconds=None, stop=None) for _ in range(2))
    moves, assignment, cost = whole.run(Budget(moves=70_000), -math.inf, Trace())
    assert whole.other is not None
    assert moves == 70_000
    left = 70_000
    while left:
        found = parts.run(Budget(moves=min(left, 900)), -math.inf, Trace())
        left -= found.moves
    assert np.array_equal(assignment, found.assignment)
    assert -cost == heaviest(graph)


@pytest.mark.parametrize(("probability", "ends"), [(0.7, True), (0.85, False)])
def test_an_exact_search_that_is_likely_to_end_has_more_and_more_of_the_work(probability, ends, monkeypatch):
    monkeypatch.setattr(cliques, "FIRST_WORK", 2000)
    monkeypatch.setattr(cliques, "WORK_PER_TURN", 500)
    graph = random_graph(2, size=120, probability=probability)
    instance = PROBLEMS["clique"].declare(graph)
    search = cliques.CLIQUES.begin(instance, np.zeros(120, bool), seed=1, seconds=None, stop=None)
    search.run(Budget(moves=150_000), -math.inf, Trace())
    assert search.other is not None
    assert search.solved == ends
    # After the first work come seven turns at most, of 20,000 moves of the other search.
    assert (search.core.work > 2 * (2000 + 7 * 500)) == ends


@pytest.mark.parametrize("probability", [0.6, 0.9])
def test_independent_sets_of_dense_graphs(probability):
    for seed in range(5):
        graph = random_graph(seed, size=60, probability=probability)
        problem = PROBLEMS["mis"]
        search = cliques.CLIQUES.begin(problem.declare(graph), np.zeros(60, bool), seed=0, seconds=None, stop=None)
        found = search.run(Budget(moves=1_000_000), -math.inf, Trace())
        assert search.solved
        assert -found.cost == problem.score(graph, np.flatnonzero(found.assignment)) == heaviest(complement(graph))
