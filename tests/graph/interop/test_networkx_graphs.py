from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.interop import as_graph, from_networkx, to_networkx
from tests.graph.interop.examples import NAMES, labelled_graphs


@given(labelled_graphs(NAMES))
def test_networkx_gives_back_what_it_was_given(graph: Graph) -> None:
    assert from_networkx(to_networkx(graph)).equals(graph)


@given(labelled_graphs(NAMES))
def test_a_networkx_graph_comes_back_with_its_nodes_edges_and_weights(graph: Graph) -> None:
    # Built by networkx alone, with edges and end points in an order of its own.
    source = nx.Graph()
    source.add_nodes_from((name, {"weight": 2 + place}) for place, name in enumerate(graph.labels.tolist()))
    for number, (u, v) in enumerate(reversed(graph.edges.T.tolist())):
        source.add_edge(graph.labels.tolist()[v], graph.labels.tolist()[u], weight=number - 3)
    twin = to_networkx(from_networkx(source))
    assert list(twin) == list(source)
    assert dict(twin.nodes(data="weight")) == dict(source.nodes(data="weight"))
    assert nx.utils.edges_equal(twin.edges(data="weight"), source.edges(data="weight"))


def test_networkx_nodes_are_numbered_in_their_order_and_keep_their_names() -> None:
    source = nx.Graph([("b", ("t", 1)), (("t", 1), 3.5), (frozenset({2}), "b")])
    graph = from_networkx(source)
    assert graph.labels.tolist() == list(source.nodes) == ["b", ("t", 1), 3.5, frozenset({2})]
    assert graph.edges.tolist() == [[0, 0, 1], [1, 3, 2]]


def test_numbers_in_order_are_no_labels() -> None:
    assert from_networkx(nx.path_graph(4)).node_labels is None
    for nodes in ([1, 0, 2], [1, 2, 3], [0.0, 1.0], [False, True], ["0", "1"]):
        kept = from_networkx(nx.path_graph(nodes)).node_labels
        assert kept is not None
        assert kept.tolist() == nodes


def test_networkx_weights_are_one_where_absent_and_can_be_named_or_ignored() -> None:
    source = nx.path_graph(3)
    source.nodes[1]["weight"] = 5
    source.edges[0, 1].update(weight=2, cost=np.float32(0.5))
    assert from_networkx(source).node_weight.tolist() == [1, 5, 1]
    assert from_networkx(source).edge_weight.tolist() == [2, 1]
    assert from_networkx(source, edge_weight="cost").edge_weight.tolist() == [0.5, 1]
    plain = from_networkx(source, node_weight=None, edge_weight=None)
    assert plain.equals(Graph.from_edges([[0, 1], [1, 2]]))


def test_parallel_edges_of_two_weights_are_told_in_the_users_names() -> None:
    source = nx.MultiGraph([("a", "b", {"weight": 1}), ("b", "a", {"weight": 2})])
    with pytest.raises(InputError, match=r"networkx graph: edge 0-1 .* two weights, 1 and 2; edge 1 is 'a'-'b'"):
        as_graph(source)


def test_networkx_views_and_subclasses_are_networkx_graphs() -> None:
    class Mine(nx.Graph):
        pass

    assert as_graph(Mine([(0, 1)])).num_edges == 1
    assert as_graph(nx.path_graph(5).subgraph([1, 2, 4])).labels.tolist() == [1, 2, 4]
