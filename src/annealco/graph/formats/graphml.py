"""Read and write GraphML: nodes and edges as XML elements, undirected only.

Node and edge weights are the data of keys with the name ``weight``, or another that a user gives; other data, and
elements of other vocabularies, are skipped. The reader collects nodes, edges and weights while the XML is parsed; it
refuses document types, and with them every entity that a file could declare.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any
from xml.parsers import expat

import numpy as np

from annealco.arrays import FloatArray, IntArray
from annealco.errors import GraphFileError, InputError
from annealco.graph.construction import WEIGHT, DefaultName
from annealco.graph.formats.assemble import assemble
from annealco.graph.formats.text import Text, are_integers, label_array, number, number_text, read_text, typed_labels
from annealco.graph.graph import Graph
from annealco.graph.interop import unknown_name

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_OPENING = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
"""
_NAMESPACE = "http://graphml.graphdrawing.org/"
_UNSUPPORTED = {"hyperedge", "endpoint", "port", "locator"}
_SKIPPED = "-"
_FREE = {_SKIPPED, "data", "default"}
_ENCODINGS = {"utf-8", "utf8", "ascii", "us-ascii"}
_KEY = '  <key id="{kind}_weight" for="{kind}" attr.name="weight" attr.type="double"/>\n'

Attributes = dict[str, str]
Action = Callable[[Attributes], None]


def read_graphml(path: Path, *, node_weight: Any = WEIGHT, edge_weight: Any = WEIGHT) -> Graph:
    """Read the graphs of a GraphML file.

    Args:
        path: the file.
        node_weight: name of the key of the node weights; None to ignore weights.
        edge_weight: name of the key of the edge weights, likewise.

    Raises:
        GraphFileError: naming the line and the rule it breaks.
    """
    text = read_text(path)
    reader = ElementReader(text, {"node": node_weight, "edge": edge_weight})
    try:
        reader.parser.Parse(text.content, True)
    except expat.ExpatError as error:
        raise text.error(f"not well-formed XML: {expat.ErrorString(error.code)}", line=error.lineno) from None
    if not reader.graphs:
        raise text.error("the file holds no graph: it has no <graph> element")
    reader.check_names()
    return _join(text, reader.graphs)


def _join(text: Text, parts: list[GraphElement]) -> Graph:
    sizes = [len(part.nodes) for part in parts]
    node_ptr = np.cumsum([0, *sizes])
    names = label_array(typed_labels([name for part in parts for name in part.names()]))
    shifted = [part.ends(text) + start for part, start in zip(parts, node_ptr, strict=False)]
    return assemble(
        text.path,
        np.concatenate(shifted, axis=1),
        node_ptr=node_ptr,
        names=names,
        keep_names=not np.array_equal(names, np.concatenate([np.arange(size) for size in sizes])),
        edge_line=np.concatenate([np.array(part.edge_line, dtype=np.int64) for part in parts]),
        edge_weight=np.concatenate([part.edge_weights.filled(len(part.tail)) for part in parts]),
        node_weight=np.concatenate([part.node_weights.filled(len(part.nodes)) for part in parts]),
    )


@dataclass
class WeightElements:
    """Collect the weights that elements of one kind were given; ``default`` where none was."""

    default: float
    element: array[int] = field(default_factory=lambda: array("q"))
    value: array[float] = field(default_factory=lambda: array("d"))

    def filled(self, num_elements: int) -> FloatArray:
        """Return the weights of all elements, [num_elements]."""
        weight = np.full(num_elements, self.default)
        weight[np.array(self.element, dtype=np.int64)] = np.array(self.value)
        return weight


@dataclass
class GraphElement:
    """Collect the nodes and edges of one ``<graph>``.

    Attributes:
        node_weights: weights of the nodes.
        edge_weights: weights of the edges.
        numbers: a number for every node id that occurred, in the order of occurrence.
        nodes: the line of every ``<node>``, by the number of its id.
        tail: [num_edges] number of the source's id.
        head: [num_edges] number of the target's id.
        edge_line: [num_edges] line of each edge.
    """

    node_weights: WeightElements
    edge_weights: WeightElements
    numbers: defaultdict[str, int] = field(default_factory=lambda: defaultdict(count().__next__))
    nodes: dict[int, int] = field(default_factory=dict)
    tail: array[int] = field(default_factory=lambda: array("q"))
    head: array[int] = field(default_factory=lambda: array("q"))
    edge_line: array[int] = field(default_factory=lambda: array("q"))

    def names(self) -> list[str]:
        """Return the ids of the nodes, in their order."""
        ids = list(self.numbers)
        return [ids[number] for number in self.nodes]

    def ends(self, text: Text) -> IntArray:
        """Return the edges between positions of nodes, [2, num_edges]; edges may come before their nodes."""
        position = np.full(len(self.numbers), -1)
        position[list(self.nodes)] = np.arange(len(self.nodes))
        ids = np.array([self.tail, self.head], dtype=np.int64)
        ends = position[ids]
        lost = ends < 0
        if lost.any():
            edge = int(np.argmax(lost.any(axis=0)))
            name = list(self.numbers)[ids[:, edge][lost[:, edge]][0]]
            raise text.error(f"the edge's end {name[:40]!r} is not a node of its graph", line=self.edge_line[edge])
        return ends


class ElementReader:
    """Follow the elements of a GraphML file; ``graphs`` grows as ``parser`` is fed.

    Its state is the path of open elements, the keys that mean weights, and the text of the open ``<data>``.
    """

    def __init__(
        self, text: Text, names: Mapping[str, Any] = MappingProxyType({"node": WEIGHT, "edge": WEIGHT})
    ) -> None:
        self.graphs: list[GraphElement] = []
        self.parser = expat.ParserCreate("utf-8", " ")
        self._text = text
        self._names = names
        self._found: dict[str, dict[str, None]] = {"node": {}, "edge": {}}
        self._path = [""]
        self._steps: dict[tuple[str, str], tuple[str, Action]] = {}
        self._weight_of: dict[str, tuple[str, ...]] = {}
        self._defaults: dict[str, float] = {}
        self._key_kinds: tuple[str, ...] = ()
        self._words: list[str] = []
        self._depth = 0
        self._weights = WeightElements(1.0)
        self._element = 0
        self._receive: Callable[[float], None] = self._receive_default
        self._actions: dict[tuple[str, str], Action] = {
            ("", "graphml"): self._skip,
            ("graphml", "key"): self._start_key,
            ("key", "default"): self._start_default,
            ("graphml", "graph"): self._start_graph,
            ("graph", "node"): self._start_node,
            ("graph", "edge"): self._start_edge,
            ("node", "data"): self._start_node_data,
            ("edge", "data"): self._start_edge_data,
        }
        self.parser.buffer_text = True
        self.parser.XmlDeclHandler = self._check_encoding
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end

    def _error(self, rule: str) -> GraphFileError:
        return self._text.error(rule, line=self.parser.CurrentLineNumber)

    def _check_encoding(self, _version: str, encoding: str | None, _standalone: int) -> None:
        if encoding is not None and encoding.lower() not in _ENCODINGS:
            raise self._error(f"the encoding must be UTF-8, not {encoding[:40]!r}")

    def _refuse_doctype(self, *_: object) -> None:
        raise self._error("a document type (<!DOCTYPE ...>) is not allowed")

    def _start(self, name: str, attributes: Attributes) -> None:
        if self._depth:
            raise self._error(f"a weight must be a number alone, without <{name.rpartition(' ')[2][:40]}>")
        local, action = self._steps.get((self._path[-1], name)) or self._learn_step(self._path[-1], name)
        self._path.append(local)
        action(attributes)

    def _learn_step(self, parent: str, name: str) -> tuple[str, Action]:
        """Return an element's name, without namespace if it is GraphML's, and what to do when it starts."""
        space, _, local = name.rpartition(" ")
        if space and not space.startswith(_NAMESPACE):
            local = name
        action = self._actions.get((parent, local))
        if action is None:
            self._check_place(parent, local)
        self._steps[parent, name] = (_SKIPPED, self._skip) if action is None else (local, action)
        return self._steps[parent, name]

    def _check_place(self, parent: str, local: str) -> None:
        """Raise if an element that is not known at its place must not be skipped there."""
        if not parent:
            raise self._error(f"the outermost element must be <graphml>, not <{local[:80]}>")
        foreign = " " in local or parent in _FREE
        if foreign or local == "desc" or (local == "data" and parent in {"graphml", "graph"}):
            return
        if local == "graph":
            raise self._error("nested graphs are not supported")
        if local in _UNSUPPORTED:
            raise self._error(f"<{local}> is not supported")
        raise self._error(f"<{local[:80]}> must not stand inside <{parent}>")

    def _skip(self, _: Attributes) -> None:
        """Do nothing: descriptions, data of graphs and foreign elements do not matter."""

    def _end(self, _name: str) -> None:
        if len(self._path) == self._depth:
            self._depth = 0
            self.parser.CharacterDataHandler = None
            word = "".join(self._words)
            value = number(word)
            if value is None:
                raise self._error(f"the weight {word[:40]!r} is not a finite number")
            self._receive(value)
        self._path.pop()

    def _expect(self, receive: Callable[[float], None]) -> None:
        """Give the text of the open element, as a number, to ``receive``; other text is never looked at."""
        self._words, self._depth, self._receive = [], len(self._path), receive
        self.parser.CharacterDataHandler = self._words.append

    def _start_key(self, attributes: Attributes) -> None:
        key, kind = attributes.get("id"), attributes.get("for", "all")
        if key is None or key in self._weight_of:
            raise self._error("a <key> must have an id of its own")
        kinds = {"all": ("node", "edge"), "node": ("node",), "edge": ("edge",)}.get(kind, ())
        name = attributes.get("attr.name")
        for each in kinds:
            self._found[each][str(name)] = None
        self._key_kinds = tuple(each for each in kinds if name is not None and name == self._names[each])
        self._weight_of[key] = self._key_kinds
        if self._key_kinds and self.graphs:
            raise self._error("the <key> of the weights must come before the graphs")

    def check_names(self) -> None:
        """Raise if a user names a key that is not declared."""
        for kind, name in self._names.items():
            given = name is not None and not isinstance(name, DefaultName)
            if given and name not in self._found[kind]:
                raise self._text.error(unknown_name(f"there is no <key> for {kind}s", name, list(self._found[kind])))

    def _start_default(self, _: Attributes) -> None:
        if self._key_kinds:
            self._expect(self._receive_default)

    def _receive_default(self, value: float) -> None:
        if value < 0 and "node" in self._key_kinds:
            raise self._error(f"node weights must not be negative, the default is {value:g}")
        for kind in self._key_kinds:
            if self._defaults.setdefault(kind, value) != value:
                raise self._error(f"{kind} weights have two defaults, {self._defaults[kind]:g} and {value:g}")

    def _start_graph(self, attributes: Attributes) -> None:
        direction = attributes.get("edgedefault")
        if direction != "undirected":
            said = "a graph without edgedefault" if direction is None else f"edgedefault={direction[:40]!r}"
            raise self._error(f"directed: {said} is not supported; it must be 'undirected'")
        node, edge = (WeightElements(self._defaults.get(kind, 1.0)) for kind in ("node", "edge"))
        self.graphs.append(GraphElement(node_weights=node, edge_weights=edge))

    def _start_node(self, attributes: Attributes) -> None:
        name, graph = attributes.get("id"), self.graphs[-1]
        if name is None:
            raise self._error("a <node> must have an id")
        key = graph.numbers[name]
        if key in graph.nodes:
            raise self._error(f"node {name[:40]!r} already occurs in line {graph.nodes[key]}")
        graph.nodes[key] = self.parser.CurrentLineNumber

    def _start_edge(self, attributes: Attributes) -> None:
        source, target = attributes.get("source"), attributes.get("target")
        if source is None or target is None:
            raise self._error("an <edge> must have a source and a target")
        if attributes.get("directed", "false") != "false":
            raise self._error(f"directed: the edge from {source[:40]!r} to {target[:40]!r} must not be directed")
        graph = self.graphs[-1]
        graph.tail.append(graph.numbers[source])
        graph.head.append(graph.numbers[target])
        graph.edge_line.append(self.parser.CurrentLineNumber)

    def _start_node_data(self, attributes: Attributes) -> None:
        graph = self.graphs[-1]
        self._start_data(attributes, "node", graph.node_weights, len(graph.nodes) - 1)

    def _start_edge_data(self, attributes: Attributes) -> None:
        graph = self.graphs[-1]
        self._start_data(attributes, "edge", graph.edge_weights, len(graph.tail) - 1)

    def _start_data(self, attributes: Attributes, kind: str, weights: WeightElements, element: int) -> None:
        kinds = self._weight_of.get(attributes.get("key", ""))
        if kinds is None:
            raise self._error(f"the key {attributes.get('key', '')[:40]!r} of this <data> is not declared")
        if kind in kinds:
            self._weights, self._element = weights, element
            self._expect(self._receive_weight)

    def _receive_weight(self, value: float) -> None:
        weights, element = self._weights, self._element
        if value < 0 and self._path[-2] == "node":
            raise self._error(f"node weights must not be negative, this one is {value:g}")
        if weights.element and weights.element[-1] == element:
            raise self._error(f"the <{self._path[-2]}> already has a weight")
        weights.element.append(element)
        weights.value.append(value)


def write_graphml(graph: Graph) -> bytes:
    """Return graphs as GraphML, one element each, with weights unless all are 1.

    Example:
        >>> print(write_graphml(Graph.from_edges([[0], [1]], node_labels=["a", "b"])).decode(), end="")
        <?xml version="1.0" encoding="UTF-8"?>
        <graphml xmlns="http://graphml.graphdrawing.org/xmlns">
          <graph id="G0" edgedefault="undirected">
            <node id="a"/>
            <node id="b"/>
            <edge source="a" target="b"/>
          </graph>
        </graphml>
    """
    _check_labels(graph.labels.tolist())
    ids = np.array([_attribute(label) for label in graph.labels.tolist()], dtype=object)
    ends = zip(ids[graph.edges[0]].tolist(), ids[graph.edges[1]].tolist(), strict=True)
    nodes = _elements("node", [f"<node id={name}" for name in ids.tolist()], graph.node_weight)
    edges = _elements("edge", [f"<edge source={low} target={high}" for low, high in ends], graph.edge_weight)
    weights = {"node": graph.node_weight, "edge": graph.edge_weight}
    parts = [_OPENING, *(_KEY.format(kind=kind) for kind, weight in weights.items() if np.any(weight != 1))]
    for index in range(graph.num_graphs):
        parts.append(f'  <graph id="G{index}" edgedefault="undirected">\n')
        parts += nodes[graph.node_ptr[index] : graph.node_ptr[index + 1]]
        parts += edges[graph.edge_ptr[index] : graph.edge_ptr[index + 1]]
        parts.append("  </graph>\n")
    return "".join([*parts, "</graphml>\n"]).encode()


def _check_labels(labels: list[Any]) -> None:
    """Raise if text labels would be read back as integers, because all of them look like integers."""
    if labels and isinstance(labels[0], str) and are_integers(labels):
        raise InputError("GraphML would turn node labels that are digits in text into integers; convert them first")


def _attribute(label: int | str) -> str:
    """Return a label as an XML attribute in quotes."""
    text = str(label)
    if _NOT_XML.search(text):
        raise InputError(f"the node label {text[:40]!r} has a character that XML does not allow")
    # It imports the network modules of the standard library.
    from xml.sax.saxutils import quoteattr

    return quoteattr(text)


def _elements(kind: str, openings: list[str], weight: FloatArray) -> list[str]:
    """Return one line per element, with its weight unless all are 1."""
    if np.all(weight == 1):
        return [f"    {opening}/>\n" for opening in openings]
    data = map(number_text, weight.tolist())
    line = f'    %s><data key="{kind}_weight">%s</data></{kind}>\n'
    return list(map(line.__mod__, zip(openings, data, strict=True)))
