"""Read and write edge lists: a line ``u v`` or ``u v weight`` per edge, nodes named by non-negative integers.

``#`` and ``%`` begin a comment that runs to the end of the line. Nodes are those that occur, in ascending order; those
without edges are listed in comments ``# isolated: 3 7 12``, which other programs skip.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from annealco import _core
from annealco.arrays import IntArray
from annealco.errors import InputError
from annealco.graph.formats.assemble import assemble, from_listed_edges, single_offsets
from annealco.graph.formats.text import (
    Text,
    edge_lines,
    newlines,
    node_ids,
    numbers,
    read_text,
    row_starts,
    split,
    token_column,
    token_table,
)
from annealco.graph.graph import Graph
from annealco.graph.normalisation import MAX_NODES

_PATTERNS = {2: "u v", 3: "u v weight"}
_COMMENT = re.compile(rb"[#%][^\n]*")
_ISOLATED = re.compile(rb"(?m)^[ \t]*#[ \t]*isolated:([^\n]*)")
_IDS_PER_LINE = 100


def read_edge_list(path: Path) -> Graph:
    """Read an edge list.

    Raises:
        GraphFileError: naming the line and the rule it breaks.
    """
    text = read_text(path)
    found = _core.read_edge_list(text.content, _core.Clock())
    graph = None
    if found is not None:
        names = found.names.astype(np.int64)
        graph = from_listed_edges(text.path, found.edges, names, keep_names=_has_gaps(names))
    return read_tokens(text) if graph is None else graph


def _has_gaps(names: IntArray) -> bool:
    """Tell whether ascending names differ from 0..n-1."""
    return bool(names[-1] != len(names) - 1)


def read_tokens(text: Text) -> Graph:
    """Read a file token by token, where it breaks a rule or has unusual blanks, comments or numbers."""
    if (brace := text.content.find(b"{")) >= 0 and b"{" in text.without(_COMMENT, b"#", b"%").content:
        rule = "attributes in braces are not read; with networkx, write_weighted_edgelist or data=False leaves them out"
        raise text.error(rule, line=text.line_at(brace))
    tokens = split(text.without(_COMMENT, b"#", b"%"))
    values = numbers(tokens)
    first = row_starts(tokens)
    line = tokens.line[first[:-1]]
    table = token_table(text, first[:-1], np.diff(first), line, _PATTERNS)
    ids = node_ids(tokens, values, table[:, :2])
    names, place = np.unique(np.concatenate([ids.ravel(), _isolated_ids(text)]), return_inverse=True)
    if not len(names):
        raise text.error("the file holds no graph: it has neither edges nor isolated nodes")
    return assemble(
        text.path,
        place[: ids.size].reshape(-1, 2).T,
        node_ptr=single_offsets(len(names)),
        names=names,
        keep_names=_has_gaps(names),
        edge_line=line,
        edge_weight=token_column(values, table, 2),
    )


def _isolated_ids(text: Text) -> IntArray:
    """Return the ids in the comments that list nodes without edges."""
    found = list(_ISOLATED.finditer(text.content)) if b"isolated:" in text.content else []
    tokens = split(Text(text.path, b"\n".join(match[1] for match in found)))
    lines = np.searchsorted(newlines(text), [match.start(1) for match in found]) + 1
    tokens = replace(tokens, line=lines[tokens.line - 1])
    return node_ids(tokens, numbers(tokens), np.arange(len(tokens)))


def write_edge_list(graph: Graph) -> bytes:
    r"""Return a graph as an edge list.

    Example:
        >>> write_edge_list(Graph.from_edges([[0], [2]], 4))
        b'# isolated: 1 3\n0 2\n'
    """
    labels = np.array(graph.labels.tolist(), dtype=np.int64)
    wrong = (labels < 0) | (labels > MAX_NODES)
    if wrong.any():
        raise InputError(f"an edge list names nodes by integers in 0..{MAX_NODES}, not {labels[wrong][0]}")
    alone = labels[graph.degree == 0]
    chunks = [alone[start : start + _IDS_PER_LINE] for start in range(0, len(alone), _IDS_PER_LINE)]
    isolated = "".join(f"# isolated: {' '.join(map(str, chunk))}\n" for chunk in chunks)
    return (isolated + edge_lines(graph, labels)).encode()
