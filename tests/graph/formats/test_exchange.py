"""What networkx writes is read back equal, with labels and weights; what we write, networkx reads."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annealco.errors import GraphFileError
from annealco.graph.construction import WEIGHT
from annealco.graph.formats import read_graph, write_graph
from annealco.graph.graph import Graph
from annealco.graph.interop import from_networkx, to_networkx
from tests.graph.formats.strategies import CELLS, PLAIN_WORDS
from tests.graph.strategies import graphs

in_a_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
GML_TEXT = st.text("abcé &\"'<0", min_size=1, max_size=4).filter(lambda word: not word.isdigit())


@st.composite
def networks(draw: st.DrawFn, words: st.SearchStrategy[str], min_nodes: int = 0) -> nx.Graph:
    """Draw a network with integers or text as labels, and weights on nodes and edges under several names."""
    graph = draw(graphs(min_nodes=min_nodes, weighted=True, signed=True))
    labels = st.integers(0, 10**6) | st.integers(-5, 5) if draw(st.booleans()) else words
    size = graph.num_nodes
    names = draw(st.lists(labels, min_size=size, max_size=size, unique=True).filter(lambda each: not _are_digits(each)))
    network = nx.Graph()
    for name, weight in zip(names, graph.node_weight.tolist(), strict=True):
        network.add_node(name, weight=weight, price=weight + 1)
    for (low, high), weight in zip(graph.edges.T.tolist(), graph.edge_weight.tolist(), strict=True):
        network.add_edge(names[low], names[high], weight=weight, cost=2 * weight)
    return network


def _are_digits(names: list[Any]) -> bool:
    """Tell text that would come back as integers."""
    return bool(names) and isinstance(names[0], str) and all(name.lstrip("-").isdigit() for name in names)


def same_network(found: Graph, expected: nx.Graph, *, node: str = WEIGHT, edge: str = WEIGHT) -> None:
    """Assert that a graph has the nodes, edges and weights of a network, whatever the order."""
    nodes, edges = to_networkx(found), to_networkx(from_networkx(expected, node_weight=node, edge_weight=edge))
    assert nx.utils.graphs_equal(nodes, edges)


@in_a_folder
@given(network=networks(CELLS | st.text(max_size=3)), key=st.sampled_from(["edges", "links"]))
def test_node_link_data(network: nx.Graph, key: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(nx.node_link_data(network, edges=key)))
    found = read_graph(path)
    assert found.labels.tolist() == list(network)
    same_network(found, network)
    if network.number_of_edges():
        named = read_graph(path, node_weight="price", edge_weight="cost")
        same_network(named, network, node="price", edge="cost")
    write_graph(found, tmp_path / "b.json")
    again = nx.node_link_graph(json.loads((tmp_path / "b.json").read_text()), edges="edges")
    assert nx.utils.graphs_equal(again, to_networkx(found))


def test_tuples_are_lists_in_json(tmp_path: Path) -> None:
    grid = nx.grid_2d_graph(2, 3)
    (tmp_path / "a.json").write_text(json.dumps(nx.node_link_data(grid, edges="edges")))
    same_network(read_graph(tmp_path / "a.json"), grid)


@in_a_folder
@given(network=networks(GML_TEXT))
def test_gml(network: nx.Graph, tmp_path: Path) -> None:
    nx.write_gml(network, tmp_path / "a.gml")
    found = read_graph(tmp_path / "a.gml")
    assert found.labels.tolist() == list(network)
    same_network(found, network)
    if network.number_of_edges():
        same_network(
            read_graph(tmp_path / "a.gml", node_weight="price", edge_weight="cost"), network, node="price", edge="cost"
        )


@in_a_folder
@given(network=networks(CELLS))
def test_gexf(network: nx.Graph, tmp_path: Path) -> None:
    nx.write_gexf(network, tmp_path / "a.gexf")
    found = read_graph(tmp_path / "a.gexf")
    assert found.labels.tolist() == list(network)
    same_network(found, network)
    if network.number_of_edges():
        same_network(
            read_graph(tmp_path / "a.gexf", node_weight="price", edge_weight="cost"), network, node="price", edge="cost"
        )


@in_a_folder
@given(network=networks(PLAIN_WORDS))
def test_pajek(network: nx.Graph, tmp_path: Path) -> None:
    plain = nx.Graph()
    plain.add_nodes_from(network)
    plain.add_weighted_edges_from(network.edges(data="weight"))
    nx.write_pajek(plain, tmp_path / "a.net")
    found = read_graph(tmp_path / "a.net")
    assert found.labels.tolist() == list(network)
    same_network(found, plain)


def test_pajek_by_hand(tmp_path: Path) -> None:
    text = (
        '% made by hand\n*Network x\n*Vertices 4\n1 "a b" 0.1 0.2 ic Red\n2 c\n*Arcs\n1 2 2\n2 1 2\n*Edgeslist\n4 1 3\n'
    )
    (tmp_path / "a.net").write_text(text)
    found = read_graph(tmp_path / "a.net")
    assert found.labels.tolist() == ["a b", "c", "3", "4"]
    assert found.edges.tolist() == [[0, 0, 2], [1, 3, 3]]
    assert found.edge_weight.tolist() == [2, 1, 1]


@in_a_folder
@given(batch=graphs(many=True, max_nodes=20), ending=st.sampled_from(["g6", "s6"]))
def test_graph6_and_sparse6(batch: Graph, ending: str, tmp_path: Path) -> None:
    networks = list(map(to_networkx, batch))
    write = nx.to_graph6_bytes if ending == "g6" else nx.to_sparse6_bytes
    path = tmp_path / f"a.{ending}"
    path.write_bytes(b"".join(write(network, header=number == 0) for number, network in enumerate(networks)))
    assert read_graph(path).equals(batch)
    write_graph(batch, path)
    lines = path.read_bytes().splitlines()
    read = nx.from_graph6_bytes if ending == "g6" else nx.from_sparse6_bytes
    assert all(nx.utils.graphs_equal(read(line), network) for line, network in zip(lines, networks, strict=True))


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 8, 16, 62, 63, 64, 300])
def test_sizes_at_which_the_code_changes(size: int, tmp_path: Path) -> None:
    for network in (
        nx.empty_graph(size),
        nx.path_graph(size),
        nx.path_graph(max(size - 1, 0)),
        nx.complete_graph(size),
    ):
        network.add_nodes_from(range(size))
        for ending, write in (("g6", nx.to_graph6_bytes), ("s6", nx.to_sparse6_bytes)):
            (tmp_path / f"a.{ending}").write_bytes(write(network))
            found = read_graph(tmp_path / f"a.{ending}")
            assert nx.utils.graphs_equal(to_networkx(found), network)
            write_graph(found, tmp_path / f"b.{ending}")
            assert read_graph(tmp_path / f"b.{ending}").equals(found)


def test_large_sparse6(tmp_path: Path) -> None:
    star = Graph.from_edges([[0, 5], [300_000, 299_999]])
    write_graph(star, tmp_path / "a.s6")
    assert read_graph(tmp_path / "a.s6").equals(star)
    with pytest.raises(GraphFileError, match="choose sparse6 for 300,001 nodes"):
        write_graph(star, tmp_path / "a.g6")


@pytest.mark.parametrize("name", ["json", "gml", "gexf"])
def test_unknown_attributes_come_with_those_that_there_are(name: str, tmp_path: Path) -> None:
    network = nx.Graph()
    network.add_node("a", price=3)
    network.add_edge("a", "b", cost=2)
    path = tmp_path / f"a.{name}"
    {"json": _write_json, "gml": nx.write_gml, "gexf": nx.write_gexf}[name](network, path)
    with pytest.raises(GraphFileError, match=r"no node has an attribute 'prize'; did you mean 'price'\? there are "):
        read_graph(path, node_weight="prize")
    with pytest.raises(GraphFileError, match=r"no edge has an attribute 'kost'; did you mean 'cost'\? there are "):
        read_graph(path, edge_weight="kost")
    assert read_graph(path, node_weight="price", edge_weight=None).node_weight.tolist() == [3, 1]


def _write_json(network: nx.Graph, path: Path) -> None:
    path.write_text(json.dumps(nx.node_link_data(network, edges="edges")))


def test_a_missing_networkx_is_told_with_its_extra(tmp_path: Path) -> None:
    (tmp_path / "a.gml").write_text("graph [ node [ id 0 ] ]\n")
    program = f"""
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name == "networkx":
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
from annealco import read_graph
try:
    read_graph({str(tmp_path / "a.gml")!r})
except ValueError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
    assert said == "reading GML needs networkx: pip install 'annealco[formats]'"
