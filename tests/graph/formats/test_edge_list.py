from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annealco.errors import GraphFileError, InputError
from annealco.graph.formats import read_graph, write_graph
from annealco.graph.formats.edge_list import read_edge_list, write_edge_list
from annealco.graph.graph import Graph


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.edges"


def read(path: Path, content: str) -> Graph:
    path.write_text(content, encoding="utf-8")
    return read_edge_list(path)


def test_ids_are_names_and_nodes_come_in_their_order(path: Path) -> None:
    graph = read(path, "# a comment\n9 5 2.5\n% another\n\n 5 2147483647 -1 # at the end\n007 9 1e3\n")
    assert graph.labels.tolist() == [5, 7, 9, 2147483647]
    assert graph.edges.tolist() == [[0, 0, 1], [2, 3, 2]]
    assert graph.edge_weight.tolist() == [2.5, -1, 1000]


def test_the_names_from_zero_to_n_are_not_kept(path: Path) -> None:
    assert read(path, "2 0\n0 1\n").node_labels is None
    assert read(path, "2 1\n").labels.tolist() == [1, 2]


def test_isolated_nodes_are_in_comments(path: Path) -> None:
    graph = read(path, "# isolated: 4 1\n0 2\n  #isolated:9\n# isolated:\n# isolated: 2 4\n# not isolated: 8\n")
    assert graph.labels.tolist() == [0, 1, 2, 4, 9]
    assert graph.num_edges == 1
    assert read(path, "# isolated: 0 1 2\n").node_labels is None
    with pytest.raises(GraphFileError, match=r":3: node 'x' is a word, the first is an integer"):
        read(path, "0 1\n\n# isolated: 4 x\n")
    with pytest.raises(GraphFileError, match=r":2: node id '-4' is not an integer"):
        read(path, "# isolated: 3\n# isolated: -4\n")


def test_nodes_may_be_named_by_words(path: Path) -> None:
    graph = read(path, "ann bob 2.5\n# isolated: zoë x1\nbob c,d -1\n")
    assert graph.labels.tolist() == ["ann", "bob", "c,d", "zoë", "x1"]
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.edge_weight.tolist() == [2.5, -1]
    path.write_bytes(write_edge_list(graph))
    assert read_edge_list(path).equals(graph)


def test_node_weights_are_in_comments(path: Path) -> None:
    graph = read(path, "# weight: 7 2.5\n3 9\n  #weight: 9 0\n# weight of nothing\n")
    assert graph.labels.tolist() == [3, 7, 9]
    assert graph.node_weight.tolist() == [1, 2.5, 0]
    assert graph.edges.tolist() == [[0], [2]]
    assert read(path, "# weight: b 3\na b\n").node_weight.tolist() == [1, 3]
    assert read_graph(path, node_weight=None).node_weight.tolist() == [1, 1]
    assert read(path, "# weight: 0 3\n").node_weight.tolist() == [3]


def test_a_table_of_nodes_may_stand_beside_an_edge_list(path: Path, tmp_path: Path) -> None:
    path.write_text("7 3\n9 3\n")
    (tmp_path / "nodes.csv").write_text("id,price\n9,1\n3,2\n7,0.5\n11,4\n")
    graph = read_graph(path, nodes=tmp_path / "nodes.csv", node_weight="price")
    assert graph.labels.tolist() == [9, 3, 7, 11]
    assert graph.node_weight.tolist() == [1, 2, 0.5, 4]
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert read_graph(path, nodes=[3, 7, 9]).labels.tolist() == [3, 7, 9]
    with pytest.raises(GraphFileError, match=r"a\.edges:2: the end 9 of edge 1 is not among the nodes"):
        read_graph(path, nodes=[3, 7])
    path.write_text("7 3\n# isolated: 4\n")
    with pytest.raises(GraphFileError, match="the file lists nodes of its own"):
        read_graph(path, nodes=[3, 4, 7])
    with pytest.raises(GraphFileError, match="node_weight is a column of the table of nodes"):
        read_graph(path, node_weight="price")


@pytest.mark.parametrize("label", ["a b", "a#", "%", "1.5", "", "a{"])
def test_words_that_would_not_come_back_are_refused(label: str) -> None:
    with pytest.raises(InputError, match=r"edge list (names nodes by words|cannot hold)"):
        write_edge_list(Graph.from_edges([[0], [1]], node_labels=["x", label]))


def test_many_isolated_nodes_take_several_lines(path: Path) -> None:
    graph = Graph.from_edges([[0], [1]], 1002, node_labels=np.arange(5, 1007))
    content = write_edge_list(graph)
    assert content.count(b"# isolated: ") == 10
    assert max(map(len, content.splitlines())) < 700
    assert read(path, content.decode()).equals(graph)


def test_unsorted_labels_come_back_sorted(path: Path) -> None:
    graph = read(path, write_edge_list(Graph.from_edges([[0, 1], [1, 2]], node_labels=[8, 3, 5])).decode())
    assert graph.labels.tolist() == [3, 5, 8]
    assert graph.edges.tolist() == [[0, 0], [1, 2]]


@pytest.mark.parametrize("label", [-1, 2**31])
def test_labels_out_of_range_are_refused(label: int) -> None:
    with pytest.raises(ValueError, match=f"names nodes by integers in 0..2147483647, not {label}$"):
        write_edge_list(Graph.from_edges([[0], [1]], node_labels=[0, label]))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(seed=st.integers(0, 10**6), weighted=st.booleans())
def test_networkx_reads_and_writes_the_same(path: Path, seed: int, weighted: bool) -> None:
    theirs = nx.gnm_random_graph(9, 14, seed=seed)
    theirs.remove_nodes_from(list(nx.isolates(theirs)))
    random = np.random.default_rng(seed)
    nx.set_edge_attributes(
        theirs, {edge: float(random.normal()) if weighted else 1.0 for edge in theirs.edges}, "weight"
    )
    nx.write_edgelist(theirs, path, data=["weight"] if weighted else False)
    ours = read_edge_list(path)
    assert ours.labels.tolist() == sorted(theirs)
    path.write_bytes(write_edge_list(ours))
    again = nx.read_edgelist(path, nodetype=int, data=[("weight", float)] if weighted else False)
    assert nx.utils.graphs_equal(again, theirs if weighted else nx.Graph(theirs.edges))


def test_attributes_in_braces_are_told_how_to_leave_out(tmp_path: Path) -> None:
    (tmp_path / "a.edgelist").write_text("0 1\n1 2 {}\n")
    with pytest.raises(GraphFileError, match=r"a\.edgelist:2: attributes in braces are not read; with networkx"):
        read_graph(tmp_path / "a.edgelist")
    (tmp_path / "b.edgelist").write_text("# {}\n0 1\n")
    assert read_graph(tmp_path / "b.edgelist").num_edges == 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(seed=st.integers(0, 10**6), named=st.booleans())
def test_networkx_writes_adjacency_lists_that_are_read(tmp_path: Path, seed: int, named: bool) -> None:
    theirs = nx.gnm_random_graph(9, 14, seed=seed)
    if named:
        theirs = nx.relabel_nodes(theirs, {node: f"node_{node}" for node in theirs})
    nx.write_adjlist(theirs, tmp_path / "a.adjlist")
    ours = read_graph(tmp_path / "a.adjlist")
    labels = ours.labels.tolist()
    assert set(labels) == set(theirs)
    assert {frozenset((labels[u], labels[v])) for u, v in ours.edges.T.tolist()} == set(map(frozenset, theirs.edges))
    write_graph(ours, tmp_path / "b.adjlist")
    again = nx.read_adjlist(tmp_path / "b.adjlist", nodetype=str if named else int)
    assert nx.utils.graphs_equal(nx.Graph(again.edges), nx.Graph(theirs.edges))


def test_neighbours_may_be_listed_at_both_ends(tmp_path: Path) -> None:
    (tmp_path / "a.adjlist").write_text("# comment\n2 0 1\n0 2\n1 2 % more\n5\n")
    graph = read_graph(tmp_path / "a.adjlist")
    assert graph.labels.tolist() == [0, 1, 2, 5]
    assert graph.edges.tolist() == [[0, 1], [2, 2]]
