"""Read and write formats that other programs exchange: graph6, sparse6, JSON node-link, Pajek, GML and GEXF.

graph6 and sparse6 are McKay's (https://users.cecs.anu.edu.au/~bdm/data/formats.txt): a line of printable characters per
graph, each of six bits. JSON node-link is what ``networkx.node_link_data`` and D3 make. GML and GEXF are parsed by
networkx, whose errors become one that names the file; the other formats need no package.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annealco.arrays import FloatArray, IntArray
from annealco.errors import GraphFileError, InputError, did_you_mean
from annealco.graph.construction import WEIGHT, check_one_type, from_labelled
from annealco.graph.formats.assemble import assemble, find_unmatched, single_offsets
from annealco.graph.formats.text import (
    Text,
    check_num_nodes,
    label_array,
    number,
    parse_count,
    read_text,
    typed_labels,
)
from annealco.graph.graph import Graph
from annealco.graph.interop import check_attribute, from_networkx
from annealco.optional import is_installed, missing

MOST_GRAPH6_NODES = 20_000
"""graph6 has a bit for each pair of nodes; larger graphs would take more than 32 MB."""

_HEADERS = (b">>graph6<<", b">>sparse6<<")
_REFUSED = {
    b"&": "directed: digraph6 is not supported",
    b";": "incremental sparse6 is not supported",
    b">>digraph6<<": "directed: digraph6 is not supported",
}


def read_graph6(path: Path) -> Graph:
    """Read the graphs of a file in graph6 or sparse6, which may be mixed: a line with ``:`` in front is sparse6.

    Raises:
        GraphFileError: naming the line and the rule it breaks.
    """
    text = read_text(path)
    sizes: list[int] = []
    ends: list[IntArray] = []
    lines: list[int] = []
    for line, row in enumerate(text.content.split(b"\n"), start=1):
        word = row.strip()
        for header in _HEADERS:
            word = word.removeprefix(header)
        if word:
            num_nodes, found = _decode(text, word, line)
            check_num_nodes(text.path, sum(sizes) + num_nodes, len(text.content), line=line)
            ends.append(found + sum(sizes))
            sizes.append(num_nodes)
            lines.append(line)
    if not sizes:
        raise text.error("the file holds no graph")
    return assemble(
        text.path,
        np.concatenate(ends, axis=1),
        node_ptr=np.cumsum([0, *sizes]),
        names=np.concatenate([np.arange(size) for size in sizes]),
        keep_names=False,
        edge_line=np.repeat(lines, [found.shape[1] for found in ends]),
    )


def _decode(text: Text, word: bytes, line: int) -> tuple[int, IntArray]:
    """Return the number of nodes and the edges, [2, num_edges], of a word in graph6 or sparse6."""
    for mark, rule in _REFUSED.items():
        if word.startswith(mark):
            raise text.error(rule, line=line)
    sparse = word.startswith(b":")
    values = np.frombuffer(word[sparse:], np.uint8).astype(np.int64) - 63
    if ((values < 0) | (values > 63)).any():
        letter = chr(int(values[(values < 0) | (values > 63)][0]) + 63)
        raise text.error(f"{letter!r} is no character of graph6", line=line)
    start = 1 if values[:1].tolist() != [63] else 4 if values[1:2].tolist() != [63] else 8
    digits = values[{1: 0, 4: 1, 8: 2}[start] : start]
    if len(values) < start:
        raise text.error("the number of nodes is cut off", line=line)
    num_nodes = int(sum(int(digit) << (6 * place) for place, digit in enumerate(digits[::-1].tolist())))
    bits = np.unpackbits(values[start:].astype(np.uint8)[:, None], axis=1)[:, 2:].ravel()
    return num_nodes, _sparse_edges(bits, num_nodes) if sparse else _dense_edges(text, bits, num_nodes, line)


def _dense_edges(text: Text, bits: NDArray[np.uint8], num_nodes: int, line: int) -> IntArray:
    """Return the edges of the upper triangle of an adjacency matrix, column by column."""
    pairs = num_nodes * (num_nodes - 1) // 2
    if len(bits) // 6 != (pairs + 5) // 6:
        rule = f"a graph of {num_nodes:,} nodes has {(pairs + 5) // 6:,} characters behind that number"
        raise text.error(f"{rule}, this one has {len(bits) // 6:,}", line=line)
    position = np.flatnonzero(bits[:pairs])
    # Column j begins at position j (j - 1) / 2; the root may be off by one.
    high = ((1 + np.sqrt(1 + 8 * position.astype(np.float64))) / 2).astype(np.int64)
    high -= high * (high - 1) // 2 > position
    high += high * (high + 1) // 2 <= position
    return np.stack([position - high * (high - 1) // 2, high])


def _sparse_edges(bits: NDArray[np.uint8], num_nodes: int) -> IntArray:
    """Return the edges of sparse6: pairs of a bit, which steps to the next node, and a node."""
    width = _node_bits(num_nodes)
    units = bits[: len(bits) // (width + 1) * (width + 1)].reshape(-1, width + 1)
    nodes = units[:, 1:].astype(np.int64) @ (1 << np.arange(width - 1, -1, -1, dtype=np.int64))
    current, found = 0, []
    for step, node in zip(units[:, 0].tolist(), nodes.tolist(), strict=True):
        current += step
        if node >= num_nodes or current >= num_nodes:
            break
        if node > current:
            current = node
        else:
            found.append((node, current))
    return np.array(found, dtype=np.int64).reshape(-1, 2).T


def _node_bits(num_nodes: int) -> int:
    return max(1, (num_nodes - 1).bit_length())


def write_graph6(graph: Graph) -> bytes:
    r"""Return graphs as graph6, one line each.

    Example:
        >>> write_graph6(Graph.from_edges([[0, 1], [1, 2]], 4))
        b'Cg\n'
    """
    lines = []
    for part in graph:
        if part.num_nodes > MOST_GRAPH6_NODES:
            raise InputError(f"graph6 takes a bit for each pair of nodes; choose sparse6 for {part.num_nodes:,} nodes")
        low, high = part.edges.astype(np.int64)
        bits = np.zeros(part.num_nodes * (part.num_nodes - 1) // 2, dtype=np.uint8)
        bits[high * (high - 1) // 2 + low] = 1
        lines.append(_encode_size(part.num_nodes) + _encode_bits(np.pad(bits, (0, -len(bits) % 6))))
    return b"".join(line + b"\n" for line in lines)


def write_sparse6(graph: Graph) -> bytes:
    r"""Return graphs as sparse6, one line each.

    Example:
        >>> write_sparse6(Graph.from_edges([[0, 1], [1, 2]], 4))
        b':Cd\n'
    """
    lines = []
    for part in graph:
        bits, last = _sparse_bits(part)
        width, rest = _node_bits(part.num_nodes), -len(bits) % 6
        if width < 6 and part.num_nodes == 1 << width and rest > width and last < part.num_nodes - 1:
            # Ones alone would be read as an edge of the last node.
            bits.append(0)
        bits += [1] * (-len(bits) % 6)
        lines.append(b":" + _encode_size(part.num_nodes) + _encode_bits(np.array(bits, dtype=np.uint8)))
    return b"".join(line + b"\n" for line in lines)


def _sparse_bits(graph: Graph) -> tuple[list[int], int]:
    """Return the bits of the edges in sparse6, and the node that they end at."""
    width, current = _node_bits(graph.num_nodes), 0
    bits: list[int] = []

    def add(step: int, node: int) -> None:
        bits.append(step)
        bits.extend((node >> place) & 1 for place in range(width - 1, -1, -1))

    for high, low in sorted(zip(graph.edges[1].tolist(), graph.edges[0].tolist(), strict=True)):
        step = 0
        if high == current + 1:
            step = 1
        elif high > current:
            add(1, high)
        current = high
        add(step, low)
    return bits, current


def _encode_size(num_nodes: int) -> bytes:
    places = 1 if num_nodes < 63 else 3 if num_nodes < 2**18 - 2**12 else 6
    digits = [(num_nodes >> (6 * place)) & 63 for place in range(places - 1, -1, -1)]
    return b"~" * {1: 0, 3: 1, 6: 2}[places] + bytes(digit + 63 for digit in digits)


def _encode_bits(bits: NDArray[np.uint8]) -> bytes:
    values = bits.reshape(-1, 6) @ (1 << np.arange(5, -1, -1, dtype=np.uint8))
    return bytes((values + 63).astype(np.uint8))


def read_node_link(path: Path, *, node_weight: Any = WEIGHT, edge_weight: Any = WEIGHT) -> Graph:
    """Read a graph in JSON: ``{"nodes": [{"id": ...}], "edges": [{"source": ..., "target": ...}]}``, or ``"links"``.

    Args:
        path: the file.
        node_weight: attribute of the node weights; None to ignore weights.
        edge_weight: attribute of the edge weights, likewise.

    Raises:
        GraphFileError: naming the line, or the place in the lists, and the rule it breaks.
    """
    text = read_text(path)
    nodes, edges = _node_link_lists(text, _parse_json(text))
    labels = [_label(text, each, "id", place) for each, place in nodes]
    number_of: dict[Any, int] = {}
    try:
        check_one_type(labels, text.path)
        for label, (_, place) in zip(labels, nodes, strict=True):
            if label in number_of:
                raise text.error(f"{place}: the id {label!r:.40} occurs twice")
            number_of[label] = len(number_of)
        ends = [[_end(text, each, key, place, number_of) for each, place in edges] for key in ("source", "target")]
        check_attribute("node", node_weight, [each for each, _ in nodes], text.path)
        check_attribute("edge", edge_weight, [each for each, _ in edges], text.path)
        return from_labelled(
            np.array(ends, dtype=np.int64).reshape(2, -1),
            labels,
            node_weight=[1 if node_weight is None else each.get(node_weight, 1) for each, _ in nodes],
            edge_weight=[1 if edge_weight is None else each.get(edge_weight, 1) for each, _ in edges],
            origin=text.path,
        )
    except GraphFileError:
        raise
    except InputError as error:
        raise text.error(error.rule) from None


def _parse_json(text: Text) -> Any:
    def refuse(word: str) -> None:
        raise ValueError(f"{word} is no number of JSON")

    try:
        return json.loads(text.content, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise text.error(f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}", line=error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise text.error(f"not JSON: {_in_one_line(error)}") from None


def _node_link_lists(text: Text, data: Any) -> list[list[tuple[dict[str, Any], str]]]:
    """Return the nodes and the edges, each with its place in the file."""
    if not isinstance(data, dict) or "nodes" not in data:
        raise text.error('the file holds no node-link graph: it must be {"nodes": [...], "edges": [...]}')
    keys = [key for key in ("edges", "links") if key in data]
    if len(keys) != 1:
        raise text.error(f"the edges must be either under 'edges' or under 'links', this file has {keys or 'neither'}")
    if data.get("directed", False) is not False:
        raise text.error(f"directed: 'directed' must be false, not {data['directed']!r:.40}")
    parts = []
    for key in ("nodes", keys[0]):
        if not isinstance(data[key], list):
            raise text.error(f"{key!r} must be a list")
        places = [f"{key}[{place}]" for place in range(len(data[key]))]
        for each, place in zip(data[key], places, strict=True):
            if not isinstance(each, dict):
                raise text.error(f"{place} must be an object, not {each!r:.40}")
        parts.append(list(zip(data[key], places, strict=True)))
    return parts


def _label(text: Text, found: Mapping[str, Any], key: str, place: str) -> Any:
    """Return the label under a key; lists stand for tuples, which JSON has not."""
    if found.get(key) is None:
        raise text.error(f"{place} has no {key!r}; {did_you_mean(key, found)}".rstrip("; "))
    label = _as_tuples(found[key])
    if isinstance(label, dict) or (isinstance(label, tuple) and "{" in str(label)):
        raise text.error(f"{place}: an object cannot be the {key!r} of a node")
    return label


def _as_tuples(value: Any) -> Any:
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value


def _end(text: Text, edge: Mapping[str, Any], key: str, place: str, number_of: Mapping[Any, int]) -> int:
    label = _label(text, edge, key, place)
    # 1, 1.0 and True are one key, but not one label.
    if label not in number_of or (number_of and type(label) is not type(next(iter(number_of)))):
        raise text.error(f"{place}: the {key} {label!r:.40} is no node; {did_you_mean(label, number_of)}".rstrip("; "))
    return number_of[label]


def write_node_link(graph: Graph) -> bytes:
    r"""Return a graph as JSON node-link data, with weights unless all are 1.

    Example:
        >>> write_node_link(Graph.from_edges([[0], [1]], edge_weight=[2.5])).splitlines()[-2]
        b'"edges": [{"source": 0, "target": 1, "weight": 2.5}]'
    """
    labels = [label if isinstance(label, str) else int(label) for label in graph.labels.tolist()]
    nodes: list[dict[str, Any]] = [{"id": label} for label in labels]
    edges: list[dict[str, Any]] = [
        {"source": labels[low], "target": labels[high]} for low, high in graph.edges.T.tolist()
    ]
    for items, weights in ((nodes, graph.node_weight), (edges, graph.edge_weight)):
        if np.any(weights != 1):
            for item, weight in zip(items, weights.tolist(), strict=True):
                item[WEIGHT] = weight
    parts = {"directed": False, "multigraph": False, "graph": {}, "nodes": nodes, "edges": edges}
    return ("{\n" + ",\n".join(f'"{key}": {json.dumps(value)}' for key, value in parts.items()) + "\n}\n").encode()


_VERTEX = re.compile(r'\s*(\S+)(?:\s+("[^"]*"|\S+))?')
_SECTIONS = ("*network", "*vertices", "*edges", "*arcs", "*edgeslist", "*arcslist")


@dataclass
class _Pajek:
    """What has been read of a Pajek file."""

    text: Text
    num_nodes: int = -1
    names: dict[int, str] = field(default_factory=dict)
    edges: list[tuple[int, int, float, int]] = field(default_factory=list)
    arcs: list[tuple[int, int, float, int]] = field(default_factory=list)

    def node(self, word: str, line: int) -> int:
        """Return the number of a node, from 0."""
        found = parse_count(self.text, word, "the number of a vertex", line=line)
        if not 1 <= found <= self.num_nodes:
            allowed = f"1..{self.num_nodes}" if self.num_nodes > 0 else "a network without vertices"
            raise self.text.error(f"vertex {found} is outside {allowed}", line=line)
        return found - 1

    def start(self, words: list[str], line: int) -> str:
        """Begin a section, and return its name."""
        section = words[0].lower()
        if section not in _SECTIONS:
            known = ", ".join(_SECTIONS)
            raise self.text.error(f"the section {words[0][:40]} is not supported; those read are {known}", line=line)
        if section == "*vertices":
            if self.num_nodes >= 0:
                raise self.text.error("there must be one *Vertices, this is the second", line=line)
            if len(words) != 2:
                rule = f"'*Vertices n' has one number, this line has {len(words) - 1} (two-mode networks are not read)"
                raise self.text.error(rule, line=line)
            self.num_nodes = parse_count(self.text, words[1], "the number of vertices", line=line)
            check_num_nodes(self.text.path, self.num_nodes, len(self.text.content), line=line)
        elif section != "*network" and self.num_nodes < 0:
            raise self.text.error(f"*Vertices must come before {words[0]}", line=line)
        return section

    def add_vertex(self, row: str, line: int) -> None:
        """Read a line ``number "label" ...``."""
        found = _VERTEX.match(row)
        node = self.node(found[1] if found else row, line)
        if node in self.names:
            raise self.text.error(f"vertex {node + 1} occurs twice", line=line)
        self.names[node] = str(node + 1) if found is None or found[2] is None else found[2].strip('"')

    def add_edge(self, words: list[str], line: int, found: list[tuple[int, int, float, int]]) -> None:
        """Read a line ``u v [weight] ...``."""
        if len(words) < 2:
            raise self.text.error("an edge is 'u v' or 'u v weight', this line has 1 word", line=line)
        weight = number(words[2]) if len(words) > 2 else 1.0
        if weight is None:
            raise self.text.error(f"the weight {words[2][:40]!r} is not a finite number", line=line)
        found.append((self.node(words[0], line), self.node(words[1], line), weight, line))

    def add_list(self, words: list[str], line: int, found: list[tuple[int, int, float, int]]) -> None:
        """Read a line ``u v w ...``: a node and its neighbours."""
        tail = self.node(words[0], line)
        found.extend((tail, self.node(word, line), 1.0, line) for word in words[1:])


def read_pajek(path: Path) -> Graph:
    """Read a Pajek network: ``*Vertices n`` with labels, then ``*Edges``; arcs must be listed in both directions.

    Raises:
        GraphFileError: naming the line and the rule it breaks.
    """
    file, section = _Pajek(read_text(path)), ""
    text = file.text
    for line, row in enumerate(text.content.decode().split("\n"), start=1):
        words = row.split()
        if not words or words[0].startswith("%"):
            continue
        if words[0].startswith("*"):
            section = file.start(words, line)
        elif section == "*vertices":
            file.add_vertex(row, line)
        elif section in ("*edges", "*arcs"):
            file.add_edge(words, line, file.edges if section == "*edges" else file.arcs)
        elif section in ("*edgeslist", "*arcslist"):
            file.add_list(words, line, file.edges if section == "*edgeslist" else file.arcs)
        else:
            raise text.error("the first section must be *Vertices", line=line)
    if file.num_nodes < 0:
        raise text.error("the file holds no network: it has no *Vertices")
    edges = [*file.edges, *_fold_arcs(file)]
    ends = np.array([edge[:2] for edge in edges], dtype=np.int64).reshape(-1, 2).T
    return _pajek_graph(file, ends, np.array([edge[2] for edge in edges]), np.array([edge[3] for edge in edges]))


def _fold_arcs(file: _Pajek) -> Iterator[tuple[int, int, float, int]]:
    """Return one arc of each pair of arcs that lead back and forth."""
    if not file.arcs:
        return iter(())
    ends = np.array([arc[:2] for arc in file.arcs], dtype=np.int64).T
    arc = find_unmatched(ends, np.array([each[2] for each in file.arcs]), file.num_nodes)
    if arc is not None:
        tail, head = ends[:, arc] + 1
        rule = f"directed: the arc {tail} {head} has no reverse {head} {tail} of the same weight"
        raise file.text.error(rule, line=file.arcs[arc][3])
    return (each for each in file.arcs if each[0] <= each[1])


def _pajek_graph(file: _Pajek, ends: IntArray, weight: FloatArray, line: IntArray) -> Graph:
    names = [file.names.get(node, str(node + 1)) for node in range(file.num_nodes)]
    if len(set(names)) < len(names):
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise file.text.error(f"two vertices have the label {twice[:40]!r}")
    labels = label_array(typed_labels(names))
    return assemble(
        file.text.path,
        ends,
        node_ptr=single_offsets(len(names)),
        names=labels,
        keep_names=not np.array_equal(labels, np.arange(len(names))),
        edge_line=line.astype(np.int64),
        edge_weight=weight.astype(np.float64),
    )


def read_gml(path: Path, *, node_weight: Any = WEIGHT, edge_weight: Any = WEIGHT) -> Graph:
    """Read a GML file through networkx; the labels of its nodes are labels here, or their ids where it has none.

    Args:
        path: the file.
        node_weight: attribute of the node weights; None to ignore weights.
        edge_weight: attribute of the edge weights, likewise.

    Raises:
        GraphFileError: naming the line, where networkx knows it, and the rule.
    """
    text = read_text(path)
    networkx = _import_networkx("GML")
    label = "label" if re.search(rb"\blabel\b", text.content) else "id"
    lines = text.content.decode().split("\n")
    graph = _parsed(text, lambda: networkx.parse_gml(lines, label=label))
    return _from_networkx(text, graph, node_weight, edge_weight)


def read_gexf(path: Path, *, node_weight: Any = WEIGHT, edge_weight: Any = WEIGHT) -> Graph:
    """Read a GEXF file through networkx; the ids of its nodes are the labels.

    Args:
        path: the file.
        node_weight: title of the attribute of the node weights; None to ignore weights.
        edge_weight: title of the attribute of the edge weights, likewise; ``weight`` is that of the edges themselves.

    Raises:
        GraphFileError: naming the line, where networkx knows it, and the rule.
    """
    text = read_text(path)
    for mark in (b"<!DOCTYPE", b"<!ENTITY"):
        if mark in text.content:
            line = text.line_at(text.content.index(mark))
            raise text.error("a document type (<!DOCTYPE ...>) is not allowed", line=line)
    networkx = _import_networkx("GEXF")
    graph = _parsed(text, lambda: networkx.read_gexf(io.BytesIO(text.content)))
    return _from_networkx(text, graph, node_weight, edge_weight)


def _import_networkx(what: str) -> Any:
    if not is_installed("networkx"):
        raise InputError(missing(f"reading {what}", "networkx", "formats"))
    import networkx as nx

    return nx


def _parsed(text: Text, parse: Callable[[], Any]) -> Any:
    """Return the graph that networkx makes of a file; whatever it raises is an error about the file."""
    try:
        return parse()
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 (networkx raises whatever its parsers stumble over)
        said = _in_one_line(error)
        place = re.search(r" at \((\d+), \d+\)", said) or re.search(r": line (\d+), column \d+", said)
        rule = said if place is None else said.replace(place[0], "")
        # The end of a file is behind its last line.
        line = None if place is None else min(int(place[1]), text.line_at(len(text.content.rstrip())))
        raise text.error(f"networkx cannot read it: {rule[:200]}", line=line) from None


def _in_one_line(error: BaseException) -> str:
    said = " ".join(str(error).split())
    return said if said and not isinstance(error, KeyError) else f"{type(error).__name__} {said}".rstrip()


def _from_networkx(text: Text, graph: Any, node_weight: Any, edge_weight: Any) -> Graph:
    if graph.is_directed():
        raise text.error("directed: the graph must be undirected")
    names = list(graph)
    try:
        check_one_type(names, text.path)
        found = from_networkx(graph, node_weight=node_weight, edge_weight=edge_weight, origin=text.path)
    except InputError as error:
        raise text.error(error.rule) from None
    typed = typed_labels(names) if all(isinstance(name, str) for name in names) else names
    numbered = typed == list(range(len(typed)))
    return replace(found, node_labels=None if numbered else label_array(typed))
