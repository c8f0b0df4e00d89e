"""Read and write GraphML: nodes and edges as XML elements, undirected only.

Node and edge weights are the data of keys with the name ``weight``; other data, and elements of other vocabularies, are
skipped. The reader streams, and refuses document types and with them every entity a file could declare.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from annealco.graph.errors import InputError
from annealco.graph.formats.assemble import assemble
from annealco.graph.formats.graphml_elements import ElementReader, GraphElement
from annealco.graph.formats.lines import number_text
from annealco.graph.formats.text import Text, read_text
from annealco.graph.graph import Graph
from annealco.graph.segments import FloatArray
from annealco.graph.validation import object_array

_INTEGER = re.compile("0|-?[1-9][0-9]{0,18}")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_OPENING = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
"""
_KEY = '  <key id="{kind}_weight" for="{kind}" attr.name="weight" attr.type="double"/>\n'


def read_graphml(path: Path) -> Graph:
    """Read the graphs of a GraphML file.

    Raises:
        GraphFileError: naming the line and the rule it breaks.
    """
    text = read_text(path)
    reader = ElementReader(text)
    try:
        reader.parser.Parse(text.content, True)
    except expat.ExpatError as error:
        raise text.error(f"not well-formed XML: {expat.ErrorString(error.code)}", line=error.lineno) from None
    if not reader.graphs:
        raise text.error("the file holds no graph: it has no <graph> element")
    return _join(text, reader.graphs)


def _join(text: Text, parts: list[GraphElement]) -> Graph:
    sizes = [len(part.nodes) for part in parts]
    node_ptr = np.cumsum([0, *sizes])
    names = _labels([name for part in parts for name in part.names()])
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


def _labels(names: list[str]) -> NDArray[np.int64] | NDArray[np.object_]:
    """Return ids as 64-bit integers if all of them are written as such, and as text otherwise."""
    return np.array(list(map(int, names)), dtype=np.int64) if _are_integers(names) else object_array(names)


def _are_integers(names: list[str]) -> bool:
    return all(_INTEGER.fullmatch(name) and -(2**63) <= int(name) < 2**63 for name in names)


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
    for number in range(graph.num_graphs):
        parts.append(f'  <graph id="G{number}" edgedefault="undirected">\n')
        parts += nodes[graph.node_ptr[number] : graph.node_ptr[number + 1]]
        parts += edges[graph.edge_ptr[number] : graph.edge_ptr[number + 1]]
        parts.append("  </graph>\n")
    return "".join([*parts, "</graphml>\n"]).encode()


def _check_labels(labels: list[int | str]) -> None:
    """Raise if text would come back as integers, as it does if all of it looks so."""
    if labels and isinstance(labels[0], str) and _are_integers([str(label) for label in labels]):
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
    """Return one line an element, with its weight unless all are 1."""
    if np.all(weight == 1):
        return [f"    {opening}/>\n" for opening in openings]
    data = map(number_text, weight.tolist())
    line = f'    %s><data key="{kind}_weight">%s</data></{kind}>\n'
    return list(map(line.__mod__, zip(openings, data, strict=True)))
