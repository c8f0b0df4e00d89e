import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco.bounds.clique_separation import EXCESS, fractional_point, overfilled_cliques
from tests.bounds.references import is_clique, joined_sets, random_graph, rows_of, sets_of
from tests.graph.strategies import graphs


def overfilled(graph, point):
    return overfilled_cliques(rows_of(graph), point, point.order, np.zeros(graph.num_nodes, np.int64))


@given(graphs(max_nodes=9), st.integers(0, 100))
@settings(max_examples=60)
def test_what_is_found_is_a_maximal_clique_and_overfilled(graph, seed):
    rng = np.random.default_rng(seed)
    value = rng.random(graph.num_nodes) * (rng.random(graph.num_nodes) < 0.8)
    found = sets_of(*overfilled(graph, fractional_point(value, rng)))
    joined = joined_sets(graph)
    for clique in found:
        assert is_clique(graph, clique)
        assert value[clique].sum() > 1 + EXCESS
        assert not set.intersection(*(joined[node] for node in clique))


def test_an_overfilled_edge_is_always_noticed():
    graph = random_graph(0, 2, 1.0)
    point = fractional_point(np.array([0.6, 0.6]), np.random.default_rng(0))
    found = sets_of(*overfilled(graph, point))
    assert {tuple(sorted(each)) for each in found} == {(0, 1)}


def test_a_feasible_point_overfills_nothing():
    graph = random_graph(1, 20, 0.5)
    point = fractional_point(np.full(20, 0.05), np.random.default_rng(0))
    start, member = overfilled(graph, point)
    assert start.tolist() == [0]
    assert len(member) == 0


def test_the_order_is_descending_and_ranks_are_its_inverse():
    point = fractional_point(np.array([0.2, 0.9, 0.2, 0.0]), np.random.default_rng(0))
    assert point.order[0] == 1
    assert point.order[3] == 3
    assert point.rank[point.order].tolist() == [0, 1, 2, 3]
