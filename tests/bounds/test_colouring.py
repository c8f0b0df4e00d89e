import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco.bounds.colouring import colour_in_order, greedy_colouring, within_reach
from annealco.graph.interop import to_networkx
from annealco.problems import PROBLEMS
from tests.bounds.references import joined_sets, random_graph, rows_of
from tests.graph.strategies import graphs
from tests.problems.brute_force import best_score


@given(graphs(max_nodes=9, weighted=True))
@settings(max_examples=60)
def test_neighbours_never_share_a_colour(graph):
    colour = greedy_colouring(rows_of(graph), graph.node_weight)
    assert all(colour[u] != colour[v] for u, v in graph.edges.T.tolist())
    assert sorted(set(colour.tolist())) == list(range(colour.max(initial=-1) + 1))


def test_equal_weights_need_one_colour_more_than_the_largest_core_at_most():
    for seed in range(20):
        graph = random_graph(seed, 40, 0.1 + 0.02 * seed)
        core = max(nx.core_number(to_networkx(graph)).values())
        assert greedy_colouring(rows_of(graph), np.ones(40)).max() <= core


def test_heavier_nodes_get_earlier_colours():
    graph = random_graph(1, 6, 1.0)
    weight = np.array([3.0, 1.0, 6.0, 2.0, 5.0, 4.0])
    assert greedy_colouring(rows_of(graph), weight).tolist() == [3, 5, 0, 4, 1, 2]


def test_the_first_free_colour_in_the_given_order():
    path = rows_of(random_graph(0, 4, 0.0))
    assert colour_in_order(path, np.arange(4)).tolist() == [0, 0, 0, 0]


@given(graphs(max_nodes=8, weighted=True), st.integers(0, 30))
@settings(max_examples=60)
def test_no_heavier_clique_holds_a_node_out_of_reach(graph, limit):
    kept = within_reach(rows_of(graph), graph.node_weight, limit + 0.125)
    best = best_score(PROBLEMS["clique"], graph)
    assert kept.any() or best <= limit + 0.125
    joined = joined_sets(graph)
    for node in np.flatnonzero(~kept).tolist():
        around = sorted(joined[node] | {node})
        assert sum(graph.node_weight[each] for each in around if kept[each] or each == node) <= limit + 0.125


def test_what_is_within_reach_is_the_core():
    graph = random_graph(3, 60, 0.1)
    for limit in range(1, 7):
        expected = set(nx.k_core(to_networkx(graph), limit).nodes)
        assert set(np.flatnonzero(within_reach(rows_of(graph), np.ones(60), limit + 0.5)).tolist()) == expected
