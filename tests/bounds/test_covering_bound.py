import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import Bounds, LinearConstraint, milp

from annealco.bounds.covering import covering_of
from annealco.bounds.covering_bound import MAX_MEMBERS, prove_covering
from annealco.bounds.structure import read_structure
from annealco.graph.generators import barabasi_albert, generate
from annealco.problems import PROBLEMS
from tests.bounds.references import ledger
from tests.graph.strategies import graphs
from tests.problems.brute_force import best_score


def prove(graph, **settings):
    book = ledger(step=0.25, **settings)
    prove_covering(covering_of(read_structure(PROBLEMS["mds"].declare(graph))), book)
    return book


@given(graphs(min_nodes=1, max_nodes=8, weighted=True))
@settings(max_examples=40)
def test_small_graphs_are_proven_exactly(graph):
    assert prove(graph).cost == best_score(PROBLEMS["mds"], graph)


@pytest.mark.parametrize("weighted", [False, True])
def test_dominating_sets_of_two_hundred_nodes_are_proven_by_branching(weighted):
    graph = generate("ba-small", count=1, seed=11)
    if weighted:
        graph = graph.with_weights(node_weight=np.random.default_rng(0).integers(1, 9, graph.num_nodes))
    closed = np.eye(graph.num_nodes)
    closed[graph.edges[0], graph.edges[1]] = closed[graph.edges[1], graph.edges[0]] = 1
    hit = LinearConstraint(closed, lb=1)
    integer = np.ones(graph.num_nodes)
    best = round(milp(graph.node_weight, integrality=integer, bounds=Bounds(0, 1), constraints=hit).fun)
    book = prove(graph, seconds=10.0)
    assert book.cost == best
    assert prove(graph, seconds=10.0, target=float(best)).cost == best


def test_each_stage_raises_the_bound():
    graph = generate("ba-large", count=1, seed=1)
    costs = {seconds: prove(graph, seconds=seconds) for seconds in (0.0, 1.0)}
    assert costs[0.0].method == "set packing, greedy"
    assert costs[1.0].cost > 1.2 * costs[0.0].cost


def test_large_graphs_make_do_with_steps():
    graph = barabasi_albert(np.random.default_rng(0), num_nodes=20_000, attachment=4)
    assert len(graph.indices) > MAX_MEMBERS
    book = prove(graph, seconds=1.0)
    assert book.method == "set packing, subgradient"
    assert book.cost > prove(graph, seconds=0.0).cost
