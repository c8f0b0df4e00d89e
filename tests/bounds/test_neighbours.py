import numpy as np
import pytest
from hypothesis import given, settings

from annealco._core import Clock
from annealco.bounds.neighbours import neighbours_of
from annealco.graph.operations import complement, induced_subgraph
from tests.bounds.references import joined_sets, over, random_graph, rows_of, sets_of
from tests.graph.strategies import graphs


def same(one, other):
    return one.start.tolist() == other.start.tolist() and one.node.tolist() == other.node.tolist()


@given(graphs(max_nodes=7))
@settings(max_examples=50)
def test_rows_hold_the_neighbours_in_ascending_order(graph):
    rows = rows_of(graph)
    assert sets_of(rows.start, rows.node) == [sorted(each) for each in joined_sets(graph)]
    assert (rows.num_nodes, rows.num_entries) == (graph.num_nodes, 2 * graph.num_edges)


def test_pairs_in_any_order_and_direction_listed_twice_count_once():
    graph = random_graph(1, 12, 0.5)
    rng = np.random.default_rng(0)
    twice = np.concatenate([graph.edges, graph.edges[::-1]], axis=1)[:, rng.permutation(2 * graph.num_edges)]
    assert same(neighbours_of(twice, 12), rows_of(graph))


@pytest.mark.parametrize("pairs", [[[0], [0]], [[0], [3]], [[-1], [1]], [[0, 1], [1, 1]]])
def test_pairs_must_be_of_different_nodes_that_exist(pairs):
    with pytest.raises(ValueError, match="pairs must be of different nodes from 0 to num_nodes"):
        neighbours_of(np.array(pairs), 3)


def test_induced_rows_are_those_of_the_induced_subgraph():
    graph = random_graph(4, 12, 0.4)
    for seed in range(5):
        kept = np.random.default_rng(seed).random(12) < 0.6
        expected = rows_of(induced_subgraph(graph, np.flatnonzero(kept)))
        assert same(rows_of(graph).induced(kept, Clock()), expected)


@given(graphs(max_nodes=8))
@settings(max_examples=30)
def test_the_complement_is_that_of_the_graph(graph):
    assert same(rows_of(graph).complement(Clock()), rows_of(complement(graph)))


def test_without_time_there_are_no_rows():
    rows = rows_of(random_graph(4, 12, 0.4))
    assert rows.induced(np.arange(12) < 5, over()) is None
    assert rows.complement(over()) is None
