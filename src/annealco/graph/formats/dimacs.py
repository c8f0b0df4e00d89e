"""Read and write DIMACS and PACE graphs: ``p edge N M``, then ``e u v [weight]`` with nodes numbered from 1.

| line | meaning |
|---|---|
| ``c ...`` | comment |
| ``p WORD N M`` | first line: the number of nodes and of edges |
| ``e u v [weight]``, or ``u v [weight]`` as in PACE files | an edge |
| ``n u weight``, or ``v u weight`` as in weighted clique files | the weight of a node; 1 without it |
| ``a u v weight`` | an arc of a shortest-path file, ``p sp``; both directions must be listed |
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from annealco import _core
from annealco.arrays import FloatArray, IntArray, occurrences
from annealco.graph.formats.assemble import assemble, fold, from_listed_edges, from_one, single_offsets
from annealco.graph.formats.text import (
    Text,
    Tokens,
    check_num_nodes,
    drop_letters,
    edge_lines,
    number_text,
    numbered_from_one,
    numbers,
    parse_count,
    read_text,
    row_starts,
    split,
    token_column,
    token_table,
)
from annealco.graph.graph import Graph

WORDS = "edge col clq mis vc ds td tdp tw tww cep sp"
"""What may follow ``p``; these words all announce a plain graph, and ``sp`` one given by arcs."""

_COMMENT = re.compile(rb"(?m)^[ \t]*c[^\n]*")
_HEADER = re.compile(rb"(?m)^[ \t]*p(?![^ \t\n])[^\n]*")
_BARE = ord("e")
_DIRECTED = "directed: the arc {tail} {head} has no reverse {head} {tail} of the same weight"


@dataclass(frozen=True)
class _Header:
    word: str
    num_nodes: int
    num_edges: int
    line: int


@dataclass(frozen=True)
class _Rows:
    """The lines after the header: their letter (``e`` for bare ones), first number, count of numbers, line number."""

    letter: NDArray[np.uint8]
    first: IntArray
    count: IntArray
    line: IntArray

    def table(self, text: Text, letters: bytes, patterns: dict[int, str]) -> tuple[IntArray, IntArray]:
        """Return the numbers of the rows with one of the letters, [num_rows, width], and their lines."""
        picked = np.isin(self.letter, list(letters))
        line = self.line[picked]
        return token_table(text, self.first[picked], self.count[picked], line, patterns), line


def read_dimacs(path: Path) -> Graph:
    """Read a DIMACS or PACE graph.

    Raises:
        GraphFileError: naming the line and the rule it breaks.
    """
    text = read_text(path)
    found = _core.read_dimacs(text.content, _core.Clock())
    graph = None if found is None else _read_by_core(text, found)
    return read_tokens(text) if graph is None else graph


def _read_by_core(text: Text, found: _core.DimacsFile) -> Graph | None:
    """Return the graph of a file that the core understood, or None where a rule about the graph is broken."""
    if found.word not in WORDS.split():
        return None
    header = _Header(found.word, found.num_nodes, found.num_edges, found.header_line)
    check_num_nodes(text.path, header.num_nodes, len(text.content) - found.comment_bytes, line=header.line)
    node_weight = None
    if len(found.weighted_nodes):
        if occurrences(found.weighted_nodes, header.num_nodes).max() > 1:
            return None
        node_weight = np.ones(header.num_nodes)
        node_weight[found.weighted_nodes] = found.node_weights
    graph = from_listed_edges(text.path, found.edges, from_one(header.num_nodes), node_weight=node_weight)
    if graph is not None:
        _check_num_edges(text, header, found.edges.num_listed, graph.num_edges)
    return graph


def read_tokens(text: Text) -> Graph:
    """Read a file token by token, where it breaks a rule or has unusual blanks or numbers."""
    header, body = _split_header(text)
    tokens, rows = _split_rows(split(body), header)
    values = numbers(tokens)
    if header.word == "sp":
        table, line = rows.table(body, b"a", {3: "a u v weight"})
    else:
        table, line = rows.table(body, b"e", {2: "e u v", 3: "e u v weight"})
    ends = numbered_from_one(tokens, values, table[:, :2], header.num_nodes).T
    edge_weight = token_column(values, table, 2)
    if header.word == "sp":
        ends, edge_weight, line = fold(body, ends, edge_weight, line, header.num_nodes, rule=_DIRECTED)
    node_weight, node_line = _node_weights(tokens, values, rows, header.num_nodes)
    graph = assemble(
        body.path,
        ends,
        node_ptr=single_offsets(header.num_nodes),
        names=from_one(header.num_nodes),
        edge_line=line,
        edge_weight=edge_weight,
        node_weight=node_weight,
        node_line=node_line,
    )
    _check_num_edges(body, header, len(table), graph.num_edges)
    return graph


def _split_header(text: Text) -> tuple[_Header, Text]:
    """Return the header and the text after it, in which comments and the header are blank lines."""
    text = text.without(_COMMENT, b"c")
    content = text.content
    found = _HEADER.search(content)
    before = content[: found.start() if found else len(content)]
    if before.strip():
        early = len(before) - len(before.lstrip())
        raise text.error("the first line must be 'p WORD N M' (or a comment 'c ...')", line=text.line_at(early))
    if found is None:
        raise text.error("the file holds no graph: it has no line 'p WORD N M'")
    line = text.line_at(found.start())
    second = _HEADER.search(content, found.end())
    if second is not None:
        raise text.error("there must be one 'p' line, this is the second", line=text.line_at(second.start()))
    return _parse_header(text, found[0], line), Text(text.path, b"\n" * before.count(b"\n") + content[found.end() :])


def _parse_header(text: Text, header: bytes, line: int) -> _Header:
    words = header.decode().split()
    if len(words) != 4:
        raise text.error(f"the 'p' line must be 'p WORD N M', this one has {len(words)} words", line=line)
    if words[1] not in WORDS.split():
        rule = f"unknown word {words[1][:40]!r} in the 'p' line; choose one of {', '.join(WORDS.split())}"
        raise text.error(rule, line=line)
    num_nodes = parse_count(text, words[2], "the number of nodes", line=line)
    check_num_nodes(text.path, num_nodes, len(text.content), line=line)
    return _Header(words[1], num_nodes, parse_count(text, words[3], "the number of edges", line=line), line)


def _split_rows(tokens: Tokens, header: _Header) -> tuple[Tokens, _Rows]:
    """Take the letters off the rows, and return what is left and the rows."""
    starts = row_starts(tokens)
    leading = starts[:-1]
    characters = np.frombuffer(tokens.text.content, np.uint8)[tokens.start[leading]]
    bare = np.isin(characters, list(b"" if header.word == "sp" else b"+-.0123456789"))
    known = np.isin(characters, list(b"a" if header.word == "sp" else b"env"))
    wrong = ~bare & ~(known & (tokens.stop[leading] - tokens.start[leading] == 1))
    if wrong.any():
        token = int(leading[np.argmax(wrong)])
        kinds = "'a'" if header.word == "sp" else "'e', 'n', 'v' or a node"
        rule = f"after 'p {header.word}' a line must begin with {kinds}, not {tokens.word(token)!r}"
        raise tokens.error(token, rule)
    lettered = np.zeros(len(tokens), dtype=np.bool_)
    lettered[leading[~bare]] = True
    dropped = np.concatenate([[0], np.cumsum(~bare)])
    rows = _Rows(
        letter=np.where(bare, _BARE, characters).astype(np.uint8),
        first=leading - dropped[:-1],
        count=np.diff(starts - dropped),
        line=tokens.line[leading],
    )
    return drop_letters(tokens, lettered), rows


def _node_weights(
    tokens: Tokens, values: FloatArray, rows: _Rows, num_nodes: int
) -> tuple[FloatArray | None, IntArray]:
    """Return the node weights, [num_nodes], and the line of each."""
    table, line = rows.table(tokens.text, b"nv", {2: "n u weight"})
    node_line = np.zeros(num_nodes, dtype=np.int64)
    if not len(table):
        return None, node_line
    nodes = numbered_from_one(tokens, values, table[:, 0], num_nodes)
    once = np.zeros(len(nodes), dtype=np.bool_)
    once[np.unique(nodes, return_index=True)[1]] = True
    if not once.all():
        row = int(np.argmin(once))
        raise tokens.text.error(f"node {nodes[row] + 1} already has a weight", line=int(line[row]))
    weight = np.ones(num_nodes)
    weight[nodes] = values[table[:, 1]]
    node_line[nodes] = line
    return weight, node_line


def _check_num_edges(text: Text, header: _Header, listed: int, distinct: int) -> None:
    """Raise unless the header counts the lines or the distinct edges: published files do the one or the other."""
    if header.num_edges not in (listed, distinct):
        what = "arcs" if header.word == "sp" else "edges"
        rule = f"{header.num_edges} {what} are declared, but the file lists {listed} ({distinct} distinct)"
        raise text.error(rule, line=header.line)


def write_dimacs(graph: Graph) -> bytes:
    r"""Return a graph as ``p edge``.

    Example:
        >>> write_dimacs(Graph.from_edges([[0], [1]], 2, node_weight=[3, 1]))
        b'p edge 2 1\nn 1 3\ne 1 2\n'
    """
    weighted = np.flatnonzero(graph.node_weight != 1)
    weights = map(number_text, graph.node_weight[weighted].tolist())
    nodes = "".join(map("n %d %s\n".__mod__, zip((weighted + 1).tolist(), weights, strict=True)))
    header = f"p edge {graph.num_nodes} {graph.num_edges}\n"
    return (header + nodes + edge_lines(graph, from_one(graph.num_nodes), prefix="e ")).encode()


def write_pace(graph: Graph) -> bytes:
    r"""Return a graph as PACE's ``p ds``, which has no weights.

    Example:
        >>> write_pace(Graph.from_edges([[0], [1]], 2))
        b'p ds 2 1\n1 2\n'
    """
    header = f"p ds {graph.num_nodes} {graph.num_edges}\n"
    return (header + edge_lines(graph, from_one(graph.num_nodes))).encode()
