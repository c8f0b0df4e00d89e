"""Read and write Matrix Market files: a square sparse matrix, symmetric or stored in full, is an adjacency matrix.

Every stored entry is an edge, even one of weight 0; ``pattern`` matrices have weight 1. Entries on the diagonal are
self-loops. The entries are read by the tokeniser of the other formats and not by SciPy, whose reader neither tells
the line of an entry nor leaves duplicates apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from annealco import _core
from annealco.graph.formats.assemble import assemble, fold, from_listed_edges, from_one, single_offsets
from annealco.graph.formats.text import (
    Text,
    check_num_nodes,
    edge_lines,
    find_header,
    numbered_from_one,
    numbers,
    parse_count,
    read_text,
    row_starts,
    split,
    split_first_line,
    token_column,
    token_table,
)
from annealco.graph.graph import Graph

_BANNER = "%%MatrixMarket matrix coordinate FIELD SYMMETRY"
_COMMENT = re.compile(rb"(?m)^[ \t]*%[^\n]*")
_FIELDS = {"pattern": {2: "row column"}, "real": {3: "row column value"}, "integer": {3: "row column value"}}
# SciPy writes this for matrices of unsigned integers.
_FIELDS["unsigned-integer"] = _FIELDS["integer"]
_SYMMETRIES = ("symmetric", "general")
_DIRECTED = "directed: the matrix is not symmetric, entry {tail} {head} has no equal entry {head} {tail}"


@dataclass(frozen=True)
class _Header:
    field: str
    symmetry: str
    num_nodes: int
    num_entries: int
    line: int


def read_matrix_market(path: Path) -> Graph:
    """Read a symmetric matrix as a graph.

    Raises:
        GraphFileError: naming the line and the rule it breaks.
    """
    text = read_text(path)
    field, symmetry = _parse_banner(text)
    head = find_header(text, _COMMENT)
    graph = None if head is None else _read_by_core(text, _parse_size(text, field, symmetry, *head[:2]), head[2])
    return read_tokens(text) if graph is None else graph


def _read_by_core(text: Text, header: _Header, begin: int) -> Graph | None:
    """Return the graph of a file that the core understands and that breaks no rule, or None."""
    weighted, general = header.field != "pattern", header.symmetry == "general"
    found = _core.read_entries(text.content, begin, header.num_nodes, weighted, general, _core.Clock())
    if found is None or found.num_listed != header.num_entries:
        return None
    return from_listed_edges(text.path, found, from_one(header.num_nodes))


def read_tokens(text: Text) -> Graph:
    """Read a file token by token, where it breaks a rule or has unusual blanks, comments or numbers."""
    header, body = _split_header(text)
    tokens = split(body)
    values = numbers(tokens)
    first = row_starts(tokens)
    line = tokens.line[first[:-1]]
    table = token_table(body, first[:-1], np.diff(first), line, _FIELDS[header.field])
    if len(table) != header.num_entries:
        rule = f"{header.num_entries} entries are declared, but the file lists {len(table)}"
        raise body.error(rule, line=header.line)
    ends = numbered_from_one(tokens, values, table[:, :2], header.num_nodes, "row or column").T
    weight = token_column(values, table, 2)
    if header.symmetry == "general":
        ends, weight, line = fold(body, ends, weight, line, header.num_nodes, rule=_DIRECTED)
    return assemble(
        body.path,
        ends,
        node_ptr=single_offsets(header.num_nodes),
        names=from_one(header.num_nodes),
        edge_line=line,
        edge_weight=weight,
    )


def _split_header(text: Text) -> tuple[_Header, Text]:
    """Return the header and the text after it, in which comments and the header are blank lines."""
    field, symmetry = _parse_banner(text)
    words, line, body = split_first_line(text.without(_COMMENT, b"%"))
    return _parse_size(text, field, symmetry, words, line), body


def _parse_size(text: Text, field: str, symmetry: str, words: list[str], line: int) -> _Header:
    if len(words) != 3:
        raise text.error(f"the size line must be 'rows columns entries', this one has {len(words)} words", line=line)
    rows, width, entries = (parse_count(text, word, "a size", line=line) for word in words)
    if rows != width:
        raise text.error(f"an adjacency matrix is square, this one is {rows} × {width}", line=line)
    check_num_nodes(text.path, rows, len(text.content), line=line)
    return _Header(field, symmetry, rows, entries, line)


def _parse_banner(text: Text) -> tuple[str, str]:
    """Return field and symmetry."""
    words = text.content.partition(b"\n")[0].decode().lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise text.error(f"the first line must be {_BANNER!r}", line=1)
    for kind, word, choices in (
        ("storage", words[2], ("coordinate",)),
        ("field", words[3], tuple(_FIELDS)),
        ("symmetry", words[4], _SYMMETRIES),
    ):
        if word not in choices:
            rule = f"{kind} {word[:40]!r} is not supported; it must be {' or '.join(choices)}"
            raise text.error(rule, line=1)
    return words[3], words[4]


def write_matrix_market(graph: Graph) -> bytes:
    r"""Return a graph as a symmetric matrix, of which the lower triangle is stored.

    Example:
        >>> print(write_matrix_market(Graph.from_edges([[0], [2]], 3)).decode(), end="")
        %%MatrixMarket matrix coordinate pattern symmetric
        3 3 1
        3 1
    """
    weighted = bool(np.any(graph.edge_weight != 1))
    header = _BANNER.replace("FIELD", "real" if weighted else "pattern").replace("SYMMETRY", "symmetric")
    size = f"{graph.num_nodes} {graph.num_nodes} {graph.num_edges}\n"
    lines = edge_lines(graph, from_one(graph.num_nodes), larger_first=True)
    return f"{header}\n{size}{lines}".encode()
