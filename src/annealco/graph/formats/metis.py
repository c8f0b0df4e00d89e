"""Read and write METIS graphs: ``n m [fmt [ncon]]``, then one line per node with its neighbours, numbered from 1.

``fmt`` has up to three digits: node sizes (not supported), node weights, edge weights. A line is the node's weight, if
there are node weights, then its neighbours, each followed by the edge's weight, if there are edge weights. An empty
line is a node without edges. Lines that begin with ``%`` are comments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from annealco import _core
from annealco.arrays import IntArray
from annealco.graph.formats.assemble import assemble, fold, from_listed_edges, from_one, single_offsets
from annealco.graph.formats.text import (
    Text,
    Tokens,
    check_num_nodes,
    find_header,
    newlines,
    number_text,
    numbered_from_one,
    numbers,
    parse_count,
    read_text,
    split,
    split_first_line,
)
from annealco.graph.graph import Graph

_COMMENT = re.compile(rb"(?m)^[ \t]*%[^\n]*")
_DIRECTED = "directed: node {tail} lists {head}, but is not listed back"


@dataclass(frozen=True)
class _Header:
    num_nodes: int
    num_edges: int
    node_weights: bool
    edge_weights: bool
    line: int


@dataclass(frozen=True)
class _Entries:
    """What the node lines hold, as positions of tokens: weights of nodes, and neighbours with their node and weight."""

    node_weight: IntArray | None
    neighbour: IntArray
    node: IntArray
    edge_weight: IntArray | None


def read_metis(path: Path) -> Graph:
    """Read a METIS graph.

    Raises:
        GraphFileError: naming the line and the rule it breaks.
    """
    text = read_text(path)
    head = find_header(text, _COMMENT)
    graph = None if head is None else _read_by_core(text, *head)
    return read_tokens(text) if graph is None else graph


def _read_by_core(text: Text, words: list[str], line: int, begin: int) -> Graph | None:
    """Return the graph of a file that the core understands and that breaks no rule, or None."""
    header = _parse_header(text, words, line)
    found = _core.read_metis(
        text.content, begin, header.num_nodes, header.node_weights, header.edge_weights, _core.Clock()
    )
    if found is None:
        return None
    weight = found.node_weights if header.node_weights else None
    graph = from_listed_edges(text.path, found.edges, from_one(header.num_nodes), node_weight=weight)
    if graph is not None:
        loops = int(np.count_nonzero(found.edges.one == found.edges.two))
        _check_num_edges(text, header, found.edges.num_listed, loops, graph.num_edges)
    return graph


def read_tokens(text: Text) -> Graph:
    """Read a file token by token, where it breaks a rule or has unusual blanks or numbers."""
    header, body = _split_header(text)
    node_line = _node_lines(text, header)
    tokens = split(body)
    values = numbers(tokens)
    entries = _entries(tokens, header, node_line)
    heads = numbered_from_one(tokens, values, entries.neighbour, header.num_nodes, "neighbour")
    arcs = np.stack([entries.node, heads])
    weight = None if entries.edge_weight is None else values[entries.edge_weight]
    line = tokens.line[entries.neighbour]
    rule = _DIRECTED if weight is None else f"{_DIRECTED} with the same weight"
    ends, edge_weight, edge_line = fold(text, arcs, weight, line, header.num_nodes, rule=rule)
    graph = assemble(
        text.path,
        ends,
        node_ptr=single_offsets(header.num_nodes),
        names=from_one(header.num_nodes),
        edge_line=edge_line,
        edge_weight=edge_weight,
        node_line=node_line,
        node_weight=None if entries.node_weight is None else values[entries.node_weight],
    )
    loops = int(np.count_nonzero(arcs[0] == arcs[1]))
    _check_num_edges(text, header, arcs.shape[1], loops, graph.num_edges)
    return graph


def _split_header(text: Text) -> tuple[_Header, Text]:
    """Return the header and the text after it, in which comments and the header are blank lines."""
    words, line, body = split_first_line(text.without(_COMMENT, b"%"))
    if not words:
        raise text.error("the file holds no graph: it has no header 'n m'")
    return _parse_header(text, words, line), body


def _parse_header(text: Text, words: list[str], line: int) -> _Header:
    if not 2 <= len(words) <= 4:
        raise text.error(f"the header must be 'n m [fmt [ncon]]', this one has {len(words)} words", line=line)
    num_nodes = parse_count(text, words[0], "the number of nodes", line=line)
    check_num_nodes(text.path, num_nodes, len(text.content), line=line)
    num_edges = parse_count(text, words[1], "the number of edges", line=line)
    digits = words[2] if len(words) > 2 else "0"
    if re.fullmatch("[01]{1,3}", digits) is None:
        raise text.error(f"fmt must be up to three digits 0 or 1, not {digits[:40]!r}", line=line)
    sizes, node_weights, edge_weights = (digit == "1" for digit in digits.zfill(3))
    if sizes:
        raise text.error(f"node sizes (fmt {digits}) are not supported", line=line)
    if len(words) > 3 and parse_count(text, words[3], "ncon", line=line) != 1:
        raise text.error(f"one weight a node is supported, not ncon {words[3]}", line=line)
    return _Header(num_nodes, num_edges, node_weights, edge_weights, line)


def _node_lines(text: Text, header: _Header) -> IntArray:
    """Return the line of each node, [num_nodes]: those after the header, comments left out, blank ones counted."""
    ends = newlines(text)
    is_node = np.ones(len(ends) + (not text.content.endswith(b"\n")), dtype=np.bool_)
    is_node[: header.line] = False
    if b"%" in text.content:
        comments = [found.start() for found in _COMMENT.finditer(text.content)]
        is_node[np.searchsorted(ends, comments)] = False
    lines = np.flatnonzero(is_node) + 1
    if len(lines) < header.num_nodes:
        rule = f"{header.num_nodes} nodes are declared, but {len(lines)} lines follow"
        raise text.error(rule, line=header.line)
    return lines[: header.num_nodes]


def _entries(tokens: Tokens, header: _Header, node_line: IntArray) -> _Entries:
    """Tell the weights of nodes, the neighbours and the weights of edges apart."""
    node = np.searchsorted(node_line, tokens.line)
    if len(node) and node[-1] == header.num_nodes:
        token = int(np.searchsorted(node, header.num_nodes))
        raise tokens.error(token, f"the lines of all {header.num_nodes} nodes are over, but more follows")
    count = np.bincount(node, minlength=header.num_nodes)
    first = np.cumsum(count) - count
    if header.node_weights and not count.all():
        lone = int(np.argmin(count))
        raise tokens.text.error(f"node {lone + 1} has no weight, which fmt announces", line=int(node_line[lone]))
    place = np.arange(len(tokens)) - first[node] - header.node_weights
    if not header.edge_weights:
        neighbour = np.flatnonzero(place >= 0)
        return _Entries(first if header.node_weights else None, neighbour, node[neighbour], None)
    odd = (count - header.node_weights) % 2 == 1
    if odd.any():
        lone = int(np.argmax(odd))
        rule = f"node {lone + 1} must have a weight after each neighbour, which fmt announces"
        raise tokens.text.error(rule, line=int(node_line[lone]))
    neighbour = np.flatnonzero((place >= 0) & (place % 2 == 0))
    return _Entries(first if header.node_weights else None, neighbour, node[neighbour], neighbour + 1)


def _check_num_edges(text: Text, header: _Header, listed: int, loops: int, distinct: int) -> None:
    """Raise unless the header counts the distinct edges, or the listed ones with or without the self-loops."""
    if header.num_edges not in (distinct, (listed - loops) // 2, (listed + loops) // 2):
        rule = f"{header.num_edges} edges are declared, but the file lists {distinct}"
        raise text.error(rule, line=header.line)


def write_metis(graph: Graph) -> bytes:
    r"""Return a graph in METIS's format.

    Example:
        >>> write_metis(Graph.from_edges([[0], [2]], 3, node_weight=[2, 1, 1]))
        b'3 1 10\n2 3\n1\n1 1\n'
    """
    node_weights, edge_weights = np.any(graph.node_weight != 1), np.any(graph.edge_weight != 1)
    words = list(map(str, (graph.indices + 1).tolist()))
    if edge_weights:
        weights = map(number_text, graph.edge_weight[graph.edge_of_index].tolist())
        words = [f"{word} {weight}" for word, weight in zip(words, weights, strict=True)]
    bounds = graph.indptr.tolist()
    lines = [" ".join(words[start:stop]) for start, stop in pairwise(bounds)]
    if node_weights:
        weights = map(number_text, graph.node_weight.tolist())
        lines = [f"{weight} {line}".rstrip() for weight, line in zip(weights, lines, strict=True)]
    kind = {(False, False): "", (False, True): " 1", (True, False): " 10", (True, True): " 11"}
    header = f"{graph.num_nodes} {graph.num_edges}{kind[bool(node_weights), bool(edge_weights)]}"
    return "".join(f"{line}\n" for line in [header, *lines]).encode()
