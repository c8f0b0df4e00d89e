from __future__ import annotations

import pytest

from annealco.graph.errors import GraphFileError
from annealco.graph.formats.graphml_elements import ElementReader
from annealco.graph.formats.text import Text

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
