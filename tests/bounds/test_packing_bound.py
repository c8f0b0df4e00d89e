import numpy as np
import pytest
from hypothesis import given, settings

from annealco.bounds.packing import packings_of
from annealco.bounds.packing_bound import MAX_DENSE, prove_packing
from annealco.bounds.structure import read_structure
from annealco.graph.generators import barabasi_albert, rb_graph
from annealco.problems import PROBLEMS
from tests.bounds.references import ledger
from tests.graph.strategies import graphs
from tests.problems.brute_force import best_score


def prove(name, graph, seconds=0.5, **settings):
    book = ledger(seconds, **settings)
    for packing in packings_of(read_structure(PROBLEMS[name].declare(graph))):
        prove_packing(packing, book, seed=0)
    return book


@pytest.mark.parametrize("name", ["mis", "clique", "vertex_cover"])
@given(graph=graphs(min_nodes=1, max_nodes=9, weighted=True))
@settings(max_examples=25)
def test_small_graphs_are_proven_exactly(name, graph):
    best = best_score(PROBLEMS[name], graph)
    cost = best if PROBLEMS[name].sense == "min" else -best
    # Time enough to compile in: what is proven ends at once.
    book = prove(name, graph, seconds=10.0, step=0.25, target=cost)
    assert book.cost == cost or not np.any(graph.node_weight) or not graph.num_edges


def test_a_large_sparse_graph_gets_better_cliques_with_time():
    graph = barabasi_albert(np.random.default_rng(0), num_nodes=MAX_DENSE + 500, attachment=4)
    quick, slow = prove("mis", graph, seconds=0.0, step=1.0), prove("mis", graph, seconds=1.0, step=1.0)
    assert quick.method == "clique cover, greedy"
    assert slow.cost > quick.cost
    assert "linear program" in slow.method or "iterated greedy" in slow.method


def test_a_large_dense_graph_is_partitioned_again_and_again():
    graph = rb_graph(np.random.default_rng(0), num_groups=90, group_size=30, tightness=0.3)
    assert graph.num_nodes > MAX_DENSE
    book = prove("mis", graph, seconds=2.0, step=1.0, target=-90.0)
    assert -95 <= book.cost <= -90


def test_cliques_of_a_large_sparse_graph_are_bounded_by_its_core():
    graph = barabasi_albert(np.random.default_rng(1), num_nodes=20_000, attachment=4)
    book = prove("clique", graph, seconds=1.0, step=1.0)
    assert -5 <= book.cost <= -2
    known = prove("clique", graph, seconds=1.0, step=1.0, target=-5.0)
    assert known.cost == -5.0
