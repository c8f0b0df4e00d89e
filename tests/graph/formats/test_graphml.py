from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annealco.errors import GraphFileError, InputError
from annealco.graph.formats import FORMATS, Content, read_graph, write_graph
from annealco.graph.formats.graphml import ElementReader, read_graphml, write_graphml
from annealco.graph.formats.text import Text
from annealco.graph.graph import Graph
from tests.graph.formats.strategies import holdable

SINGLE = FORMATS["graphml"].holds & ~Content.SEVERAL_GRAPHS
SAME_PATH = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.graphml"


def read(path: Path, content: str) -> Graph:
    path.write_text(content, encoding="utf-8")
    return read_graphml(path)


def in_graph(content: str, keys: str = "") -> str:
    return f'<graphml>{keys}<graph edgedefault="undirected">{content}</graph></graphml>'


def test_weights_defaults_and_foreign_content(path: Path) -> None:
    graph = read(
        path,
        """<?xml version="1.0" encoding="utf-8" standalone="yes"?>
        <!-- a comment --><?a processing instruction?>
        <g:graphml xmlns:g="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
          <g:desc>text</g:desc>
          <g:key id="w" for="node" attr.name="weight" attr.type="double"><g:default> 2.5 </g:default></g:key>
          <g:key id="c" for="node" attr.name="colour"><g:default>red</g:default></g:key>
          <g:key id="e" for="edge" attr.name="weight"/>
          <g:data key="c">graphml</g:data>
          <g:graph id="G" edgedefault="undirected" parse.nodes="3">
            <g:data key="c">blue</g:data>
            <g:edge source="b" target="a" directed="false"><g:data key="e">-7</g:data></g:edge>
            <g:node id="a"><g:data key="c"><y:Shape><y:node id="x"/><g:node/></y:Shape></g:data></g:node>
            <g:node id="b"><g:data key="w">0</g:data></g:node>
            <g:node id="&lt;c&#x26;"/>
            <g:edge id="e2" source="&lt;c&amp;" target="a"><y:Line/></g:edge>
          </g:graph>
        </g:graphml>""",
    )
    assert graph.labels.tolist() == ["a", "b", "<c&"]
    assert graph.node_weight.tolist() == [2.5, 0, 2.5]
    assert graph.edges.tolist() == [[0, 0], [1, 2]]
    assert graph.edge_weight.tolist() == [-7, 1]


def test_a_key_for_all_serves_nodes_and_edges(path: Path) -> None:
    keys = '<key id="w" attr.name="weight"><default>3</default></key><key id="v" for="graph" attr.name="weight"/>'
    graph = read(path, in_graph('<node id="a"/><node id="b"/><edge source="a" target="b"/>', keys))
    assert graph.node_weight.tolist() == [3, 3]
    assert graph.edge_weight.tolist() == [3]


@pytest.mark.parametrize(
    ("ids", "labels"),
    [
        (["0", "1", "2"], None),
        (["2", "1", "0"], [2, 1, 0]),
        (["7", "-3", "0"], [7, -3, 0]),
        (["0", "01"], ["0", "01"]),
        (["0", "-0"], ["0", "-0"]),
        (["0", "n1"], ["0", "n1"]),
        (["n0", "n1"], ["n0", "n1"]),
        (["1" * 30, "2"], ["1" * 30, "2"]),
        ([], None),
    ],
)
def test_ids_are_integers_if_all_are_written_so(ids: list[str], labels: list[object] | None, path: Path) -> None:
    graph = read(path, in_graph("".join(f'<node id="{name}"/>' for name in ids)))
    assert (None if graph.node_labels is None else graph.node_labels.tolist()) == labels


def test_several_graphs_keep_their_nodes_apart(path: Path) -> None:
    graph = Graph.batch([Graph.from_edges([[0], [1]]), Graph.from_edges([], 0), Graph.from_edges([[0, 1], [1, 2]], 4)])
    again = read(path, write_graphml(graph).decode())
    assert again.equals(graph)
    assert again.node_labels is None
    with pytest.raises(GraphFileError, match=r":3: the edge's end 'b' is not a node of its graph$"):
        read(
            path,
            '<graphml>\n<graph edgedefault="undirected"><node id="b"/></graph>\n'
            '<graph edgedefault="undirected"><node id="a"/><edge source="a" target="b"/></graph></graphml>',
        )


@SAME_PATH
@given(holdable(SINGLE))
def test_networkx_reads_the_same(path: Path, graph: Graph) -> None:
    path.write_bytes(write_graphml(graph))
    theirs = nx.read_graphml(path)
    names = [str(label) for label in graph.labels.tolist()]
    assert list(theirs) == names
    assert [theirs.nodes[name].get("weight", 1.0) for name in names] == graph.node_weight.tolist()
    edges = {frozenset((names[u], names[v])) for u, v in graph.edges.T.tolist()}
    assert {frozenset(edge) for edge in theirs.edges} == edges
    weights = [theirs.edges[names[u], names[v]].get("weight", 1.0) for u, v in graph.edges.T.tolist()]
    assert weights == graph.edge_weight.tolist()


@SAME_PATH
@given(seed=st.integers(0, 10**6), words=st.booleans(), pretty=st.booleans())
def test_what_networkx_wrote_is_read(path: Path, seed: int, words: bool, pretty: bool) -> None:
    theirs = nx.gnm_random_graph(7, 9, seed=seed)
    random = np.random.default_rng(seed)
    # NetworkX writes one key for each type of a weight.
    for place, edge in enumerate(theirs.edges):
        theirs.edges[edge]["weight"] = float(random.normal()) if place % 2 else place
    for node in list(theirs)[:4]:
        theirs.nodes[node].update(weight=node + 0.5, colour="red")
    theirs = nx.relabel_nodes(theirs, {node: f"<{node}>" if words else node + 5 for node in theirs})
    nx.write_graphml(theirs, path, prettyprint=pretty)
    ours = read_graphml(path)
    assert ours.labels.tolist() == list(theirs)
    assert ours.node_weight.tolist() == [theirs.nodes[node].get("weight", 1) for node in theirs]
    labels = ours.labels.tolist()
    found = {
        frozenset((labels[u], labels[v])): w for (u, v), w in zip(ours.edges.T.tolist(), ours.edge_weight, strict=True)
    }
    assert found == {frozenset(edge): weight for *edge, weight in theirs.edges(data="weight")}


def test_igraph_reads_and_writes_the_same(path: Path) -> None:
    graph = Graph.from_edges(
        [[0, 1], [1, 2]], 4, edge_weight=[2.5, -1], node_weight=[1, 2, 0.125, 4], node_labels=["a", 'q"<', "c", "d"]
    )
    path.write_bytes(write_graphml(graph))
    theirs = igraph.Graph.Read_GraphML(str(path))
    assert not theirs.is_directed()
    assert theirs.vs["id"] == ["a", 'q"<', "c", "d"]
    assert theirs.get_edgelist() == [(0, 1), (1, 2)]
    assert theirs.es["weight"] == [2.5, -1]
    assert theirs.vs["weight"] == [1, 2, 0.125, 4]
    del theirs.vs["id"]
    theirs.write_graphml(str(path))
    again = read_graphml(path)
    assert again.labels.tolist() == ["n0", "n1", "n2", "n3"]
    assert again.edges.tolist() == graph.edges.tolist()
    assert again.edge_weight.tolist() == [2.5, -1]
    assert again.node_weight.tolist() == [1, 2, 0.125, 4]


@given(holdable(FORMATS["graphml"].holds))
def test_another_parser_finds_well_formed_xml(graph: Graph) -> None:
    space = "{http://graphml.graphdrawing.org/xmlns}"
    root = ET.fromstring(write_graphml(graph))
    assert root.tag == f"{space}graphml"
    assert len(root.findall(f"{space}graph")) == graph.num_graphs
    ids = [node.get("id") for node in root.iter(f"{space}node")]
    assert ids == [str(label) for label in graph.labels.tolist()]


def test_labels_keep_line_ends_and_quotes_but_not_control_characters(path: Path) -> None:
    labels = ["a\nb", "\t", "'\"", " a ", "", "]]>"]
    assert read(path, write_graphml(Graph.from_edges([], 6, node_labels=labels)).decode()).labels.tolist() == labels
    for label in ["\x00", "\x1b", "\ud800", "\uffff"]:
        with pytest.raises(InputError, match="has a character that XML does not allow"):
            write_graphml(Graph.from_edges([], 1, node_labels=[label]))


def test_labels_come_back_as_what_they_were_or_are_refused(tmp_path: Path) -> None:
    large = Graph.from_edges([[0], [1]], node_labels=[2**62, -1])
    write_graph(large, tmp_path / "a.graphml")
    assert read_graph(tmp_path / "a.graphml").labels.tolist() == [2**62, -1]
    digits = Graph.from_edges([[0], [1]], node_labels=["7", "8"])
    with pytest.raises(GraphFileError, match="digits in text"):
        write_graph(digits, tmp_path / "b.graphml")


KEY = '<key id="w" for="node" attr.name="weight"/>\n<key id="e" for="edge" attr.name="weight"/>\n'
NODE = '<node id="a"/>'


def parse(content: str) -> ElementReader:
    reader = ElementReader(Text("a", content.encode()))
    reader.parser.Parse(content.encode(), True)
    return reader


def graph(content: str, attributes: str = 'edgedefault="undirected"') -> str:
    return f"<graphml>\n{KEY}<graph {attributes}>\n{content}\n</graph></graphml>"


@pytest.mark.parametrize(
    ("content", "line", "rule"),
    [
        ("<gexf/>", 1, "the outermost element must be <graphml>, not <gexf>"),
        (
            '<graphml xmlns="http://gexf.net">\n</graphml>',
            1,
            "the outermost element must be <graphml>, not <http://gexf",
        ),
        ('<!DOCTYPE graphml [<!ENTITY a "b">]><graphml/>', 1, "a document type .* is not allowed"),
        ('<!DOCTYPE graphml SYSTEM "http://localhost/x.dtd"><graphml/>', 1, "a document type .* is not allowed"),
        ('<?xml version="1.0" encoding="latin1"?><graphml/>', 1, "the encoding must be UTF-8, not 'latin1'"),
        (graph("", 'edgedefault="directed"'), 4, "directed: edgedefault='directed' is not supported"),
        (graph("", ""), 4, "directed: a graph without edgedefault is not supported; it must be 'undirected'"),
        (graph('<edge source="a" target="b" directed="true"/>'), 5, "directed: the edge from 'a' to 'b' must not be"),
        (graph('<edge source="a"/>'), 5, "an <edge> must have a source and a target"),
        (graph("<node/>"), 5, "a <node> must have an id"),
        (graph(f"{NODE}\n{NODE}"), 6, "node 'a' already occurs in line 5"),
        (graph('<node id="a">\n<graph edgedefault="undirected"/></node>'), 6, "nested graphs are not supported"),
        (graph("<graph/>"), 5, "nested graphs are not supported"),
        (graph('<hyperedge><endpoint node="a"/></hyperedge>'), 5, "<hyperedge> is not supported"),
        (graph('<node id="a"><port name="p"/></node>'), 5, "<port> is not supported"),
        (graph("<locator/>"), 5, "<locator> is not supported"),
        (graph("<vertex/>"), 5, "<vertex> must not stand inside <graph>"),
        (f"<graphml>{NODE}</graphml>", 1, "<node> must not stand inside <graphml>"),
        (graph('<node id="a"><data key="x">1</data></node>'), 5, "the key 'x' of this <data> is not declared"),
        (graph('<node id="a"><data>1</data></node>'), 5, "the key '' of this <data> is not declared"),
        (graph('<node id="a"><data key="w">\n1_0</data></node>'), 6, r"the weight '\\n1_0' is not a finite number"),
        (graph('<node id="a"><data key="w"/></node>'), 5, "the weight '' is not a finite number"),
        (graph('<edge source="a" target="b"><data key="e">inf</data></edge>'), 5, "the weight 'inf' is not a finite"),
        (graph('<node id="a"><data key="w">-1</data></node>'), 5, "node weights must not be negative, this one is -1"),
        (
            graph('<node id="a"><data key="w">1</data><data key="w">1</data></node>'),
            5,
            "the <node> already has a weight",
        ),
        (
            graph('<node id="a"><data key="w">1<desc/>2</data></node>'),
            5,
            "a weight must be a number alone, without <desc>",
        ),
        ("<graphml><key/></graphml>", 1, "a <key> must have an id of its own"),
        (f"<graphml>{KEY}{KEY}</graphml>", 3, "a <key> must have an id of its own"),
        (
            f'<graphml><graph edgedefault="undirected"/>\n{KEY}</graphml>',
            2,
            "the <key> of the weights must come before",
        ),
        (
            '<graphml><key id="w" for="node" attr.name="weight"><default>-2</default></key></graphml>',
            1,
            "node weights must not be negative, the default is -2",
        ),
        (
            '<graphml><key id="v" attr.name="weight"><default>2</default></key>\n'
            '<key id="w" for="edge" attr.name="weight"><default>3</default></key></graphml>',
            2,
            "edge weights have two defaults, 2 and 3",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_line(content: str, line: int, rule: str) -> None:
    with pytest.raises(GraphFileError, match=f"^a:{line}: {rule}"):
        parse(content)


def test_edges_may_come_before_their_nodes() -> None:
    reader = parse(graph('<edge source="b" target="a"/><node id="a"/><node id="b"/>'))
    [part] = reader.graphs
    assert part.names() == ["a", "b"]
    assert part.ends(Text("a", b"")).tolist() == [[1], [0]]


def test_an_edge_without_its_node_is_an_error_with_its_line() -> None:
    [part] = parse(graph(f'{NODE}\n<edge source="a" target="b"/>')).graphs
    with pytest.raises(GraphFileError, match=r"^a:6: the edge's end 'b' is not a node of its graph$"):
        part.ends(Text("a", b""))


def test_weights_are_taken_from_the_text_of_their_own_element() -> None:
    inner = '<node id="a">7<data key="w">1<!-- or --> 2</data>8</node><node id="b"/><node id="c">'
    [part] = parse(graph(inner.replace(" 2", "2") + '<data key="w">4e0</data></node>')).graphs
    assert part.node_weights.filled(3).tolist() == [12, 1, 4]
    assert part.edge_weights.filled(0).tolist() == []


def test_other_data_may_hold_anything() -> None:
    foreign = '<node id="x"><data key="w">5</data><graph/></node><port/>'
    other = '<key id="c" for="node" attr.name="colour"/>'
    [part] = parse(graph(f'<node id="a"><data key="c">{foreign}</data></node>').replace(KEY, KEY + other)).graphs
    assert part.names() == ["a"]
    assert part.node_weights.filled(1).tolist() == [1]
