import numpy as np
from hypothesis import given, settings

from annealco.bounds.neighbours import induced_rows, joined, neighbour_matrix, neighbours_of, rows_of_matrix
from annealco.graph.operations import induced_subgraph
from tests.bounds.references import joined_sets, random_graph, rows_of
from tests.graph.strategies import graphs


@given(graphs(max_nodes=7))
@settings(max_examples=50)
def test_rows_hold_the_neighbours_in_ascending_order(graph):
    rows, expected = rows_of(graph), joined_sets(graph)
    for node in range(graph.num_nodes):
        assert rows.node[rows.start[node] : rows.start[node + 1]].tolist() == sorted(expected[node])


def test_pairs_in_any_order_and_direction_listed_twice_count_once():
    graph = random_graph(1, 12, 0.5)
    rng = np.random.default_rng(0)
    twice = np.concatenate([graph.edges, graph.edges[::-1]], axis=1)[:, rng.permutation(2 * graph.num_edges)]
    assert all(np.array_equal(*both) for both in zip(neighbours_of(twice, 12), rows_of(graph), strict=True))


def test_bisection_finds_exactly_the_neighbours():
    graph = random_graph(2, 15, 0.4)
    rows, expected = rows_of(graph), joined_sets(graph)
    assert all(joined(rows, u, v) == (v in expected[u]) for u in range(15) for v in range(15))


def test_matrix_and_rows_are_the_same_relation():
    graph = random_graph(3, 10, 0.5)
    matrix = neighbour_matrix(rows_of(graph))
    assert {(u, v) for u, v in np.argwhere(matrix).tolist() if u < v} == {
        tuple(edge) for edge in graph.edges.T.tolist()
    }
    assert np.array_equal(matrix, matrix.T)
    assert all(np.array_equal(*both) for both in zip(rows_of_matrix(matrix), rows_of(graph), strict=True))


def test_induced_rows_are_those_of_the_induced_subgraph():
    graph = random_graph(4, 12, 0.4)
    for seed in range(5):
        kept = np.random.default_rng(seed).random(12) < 0.6
        expected = rows_of(induced_subgraph(graph, kept))
        assert all(np.array_equal(*both) for both in zip(induced_rows(rows_of(graph), kept), expected, strict=True))
