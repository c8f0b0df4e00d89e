from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.graph.operations import describe


@st.composite
def small_graphs(draw: st.DrawFn) -> nx.Graph:
    nodes = draw(st.integers(0, 7))
    pairs = [(u, v) for u in range(nodes) for v in range(u)]
    graph = nx.empty_graph(nodes)
    graph.add_edges_from(pair for pair in pairs if draw(st.booleans()))
    return graph


def from_networkx(graph: nx.Graph) -> Graph:
    return Graph.from_edges(np.array(graph.edges, dtype=int).reshape(-1, 2).T, graph.number_of_nodes())


@settings(max_examples=100)
@given(st.lists(small_graphs(), max_size=5))
def test_each_graph_is_described_as_by_networkx(graphs: list[nx.Graph]) -> None:
    found = describe(Graph.batch([from_networkx(graph) for graph in graphs]))
    degrees = [[degree for _, degree in graph.degree] or [0] for graph in graphs]
    assert found.nodes.tolist() == [graph.number_of_nodes() for graph in graphs]
    assert found.edges.tolist() == [graph.number_of_edges() for graph in graphs]
    np.testing.assert_allclose(found.density, [nx.density(graph) for graph in graphs])
    assert found.degree_min.tolist() == [min(degree) for degree in degrees]
    np.testing.assert_allclose(found.degree_mean, [sum(degree) / len(degree) for degree in degrees])
    assert found.degree_max.tolist() == [max(degree) for degree in degrees]
    assert found.components.tolist() == [nx.number_connected_components(graph) for graph in graphs]
    assert not found.node_weighted.any()
    assert not found.edge_weighted.any()
    assert found.planted_size is None


def test_weights_are_seen_graph_by_graph() -> None:
    plain = Graph.from_edges([[0, 1], [1, 2]])
    heavy, priced = plain.with_weights(node_weight=[1, 2, 1]), plain.with_weights(edge_weight=[-1, 1])
    found = describe(Graph.batch([plain, heavy, priced, Graph.from_edges([], num_nodes=0)]))
    assert found.node_weighted.tolist() == [False, True, False, False]
    assert found.edge_weighted.tolist() == [False, False, True, False]


def test_planted_sizes_are_counted() -> None:
    batch = generate("rb-small", count=4, seed=1)
    assert describe(batch).planted_size is not None
    assert describe(batch).planted_size.tolist() == batch.graph_data["planted_size"].tolist()


def test_other_data_of_that_name_is_left_alone() -> None:
    graph = Graph.from_edges([[0], [1]], node_data={"planted": ["oak", "elm"]})
    assert describe(graph).planted_size is None


def test_numbers_do_not_depend_on_the_batch() -> None:
    batch = generate("er-small", count=3, seed=2)
    together = describe(batch)
    for index, graph in enumerate(batch):
        for key, value in vars(describe(graph)).items():
            assert value is None or value.tolist() == [vars(together)[key][index]]
