from __future__ import annotations

from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.sparse
import torch
from torch_geometric.data import Data

from annealco.errors import InputError, NormalisationWarning
from annealco.graph.graph import Graph
from annealco.graph.interop import (
    as_graph,
    from_igraph,
    from_networkx,
    from_pyg,
    from_scipy,
    to_igraph,
    to_networkx,
    to_pyg,
    to_scipy,
)
from tests.graph.examples import PATH


def test_weights_are_written_only_where_they_say_something() -> None:
    plain = Graph.from_edges([[0], [1]])
    assert [data for _, data in to_networkx(plain).nodes(data=True)] == [{}, {}]
    assert [data for *_, data in to_networkx(plain).edges(data=True)] == [{}]
    assert to_igraph(plain).vs.attributes() == to_igraph(plain).es.attributes() == []
    assert sorted(to_pyg(plain).keys()) == ["edge_index", "num_nodes"]
    assert to_networkx(PATH).nodes[2] == {"weight": 0.0}
    assert to_networkx(PATH).edges[1, 2] == {"weight": 0.0}


@pytest.mark.parametrize("source", [nx.DiGraph([(0, 1)]), nx.MultiDiGraph(), igraph.Graph(2, directed=True)])
def test_directed_graphs_are_refused_with_a_remedy(source: Any) -> None:
    remedy = ".as_undirected()" if isinstance(source, igraph.Graph) else ".to_undirected()"
    with pytest.raises(InputError, match="directed") as caught:
        as_graph(source)
    assert remedy in str(caught.value)
    assert hasattr(source, remedy.strip(".()"))


@pytest.mark.parametrize("source", [nx.MultiGraph([(0, 1), (1, 0), (1, 1)]), igraph.Graph([(0, 1), (1, 0), (1, 1)])])
def test_parallel_edges_are_duplicates(source: Any) -> None:
    with pytest.warns(NormalisationWarning, match="graph: 1 self-loop dropped, 1 duplicate edge merged"):
        assert as_graph(source).equals(Graph.from_edges([[0], [1]]))


def bad_nodes(weight: Any) -> list[Any]:
    source = nx.Graph([("a", "b")])
    source.nodes["b"]["weight"] = weight
    vertices = igraph.Graph([(0, 1)])
    vertices.vs["name"] = ["a", "b"]
    vertices.vs["weight"] = [1, weight]
    return [source, vertices]


def bad_edges(weight: Any) -> list[Any]:
    source = nx.Graph([("a", "b"), ("b", "c", {"weight": weight})])
    edges = igraph.Graph([(0, 1), (1, 2)])
    edges.vs["name"] = ["a", "b", "c"]
    edges.es["weight"] = [1, weight]
    return [source, edges]


@pytest.mark.parametrize("weight", ["heavy", "3", [1], 1j, float("nan"), float("inf"), 10**400])
def test_bad_weights_are_told_in_the_users_names(weight: Any) -> None:
    for source in bad_nodes(weight):
        with pytest.raises(InputError, match="node weights must be") as caught:
            as_graph(source)
        assert weight == 10**400 or str(caught.value).endswith("node 1 is 'b'")
        assert weight == 10**400 or caught.value.node == 1
    for source in bad_edges(weight):
        with pytest.raises(InputError, match="edge weights must be") as caught:
            as_graph(source)
        assert weight == 10**400 or str(caught.value).endswith("edge 1 is 'b'-'c'")
        assert weight == 10**400 or caught.value.edge == 1


def test_a_negative_weight_is_refused_on_nodes_only() -> None:
    for source in bad_nodes(-2):
        with pytest.raises(InputError, match=r"not negative, node 1 has -2; node 1 is 'b'"):
            as_graph(source)
    for source in bad_edges(-2):
        assert as_graph(source).edge_weight.tolist() == [1, -2]


def test_repeated_entries_are_duplicates_and_the_way_back_is_not() -> None:
    twice = torch.tensor([[0, 1, 0, 1], [1, 0, 1, 0]])
    for source in (Data(edge_index=twice, num_nodes=2), scipy.sparse.coo_array((np.ones(4), twice.numpy()))):
        with pytest.warns(NormalisationWarning, match="1 duplicate edge merged"):
            assert as_graph(source).equals(Graph.from_edges([[0], [1]]))


def test_large_graphs_come_back() -> None:
    rng = np.random.default_rng(1)
    keys = np.unique(rng.integers(0, 20_000 * 20_000, 100_000))
    edges = np.stack([keys // 20_000, 20_000 + keys % 20_000])
    graph = Graph.from_edges(edges, 40_000, edge_weight=rng.random(len(keys)))
    for write, read in (
        (to_networkx, from_networkx),
        (to_igraph, from_igraph),
        (to_scipy, from_scipy),
        (to_pyg, from_pyg),
    ):
        assert read(write(graph)).equals(graph)
