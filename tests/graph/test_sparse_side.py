from itertools import combinations

import numpy as np
import pytest

from annealco.graph.generators.erdos_renyi import erdos_renyi
from annealco.graph.graph import Graph
from annealco.graph.operations import complement
from annealco.graph.sparse_side import num_pairs, sparse_side, unjoined_pairs, worth_complementing


def draw(seed, densities, size=9):
    rng = np.random.default_rng(seed)
    return Graph.batch([erdos_renyi(rng, num_nodes=size, edge_probability=p) for p in densities])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("densities", [(0.2,), (0.9,), (0.9, 0.8), (0.1, 0.9, 0.5, 1.0, 0.0)])
def test_the_side_is_the_shorter_list_of_each_graph(seed, densities):
    graph = draw(seed, densities)
    pairs, complemented = sparse_side(graph)
    listed = {tuple(sorted(pair)) for pair in pairs.T.tolist()}
    assert len(listed) == pairs.shape[1]
    for number in range(graph.num_graphs):
        nodes = range(graph.node_ptr[number], graph.node_ptr[number + 1])
        every = set(combinations(nodes, 2))
        edges = {pair for pair in map(tuple, graph.edges.T.tolist()) if pair in every}
        assert complemented[number] == (2 * len(edges) > len(every))
        assert listed & every == (every - edges if complemented[number] else edges)


def test_graphs_without_pairs_do_not_stand_in_the_way():
    lonely = Graph.from_edges(np.zeros((2, 0), int), 1)
    graph = Graph.batch([lonely, draw(0, (1.0,)), Graph.from_edges(np.zeros((2, 0), int), 0)])
    assert sparse_side(graph).pairs.shape == (2, 0)
    assert sparse_side(graph).complemented.tolist() == [False, True, False]


def test_unjoined_pairs_are_the_complement_s_in_any_order_and_found_once():
    graph = draw(1, (0.7, 0.9))
    expected = complement(graph).edges.tolist()
    assert unjoined_pairs(graph.edges, graph.node_ptr) is unjoined_pairs(graph.edges, graph.node_ptr)
    assert unjoined_pairs(graph.edges, graph.node_ptr).tolist() == expected
    assert unjoined_pairs(graph.edges[::-1, ::-1], graph.node_ptr).tolist() == expected


def test_what_is_worth_complementing():
    assert num_pairs(np.array([0, 4, 4, 5])).tolist() == [6, 0, 0]
    assert worth_complementing(np.array([0, 4]), 4)
    assert not worth_complementing(np.array([0, 4]), 3)
    assert not worth_complementing(np.array([0, 100_000]), 3_000_000_000)
