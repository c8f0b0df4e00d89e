"""Read and write edge lists, a line ``u v`` or ``u v weight`` per edge, and adjacency lists, a line per node.

``#`` and ``%`` begin a comment that runs to the end of the line. Nodes are named by non-negative integers, or all by
words that are no numbers. Nodes are those that occur: integers in ascending order, words in the order of their first
occurrence. Those without edges are listed in comments ``# isolated: 3 7 12``, and node weights are in comments
``# weight: 3 2.5``; other programs skip both.

A line of an adjacency list is a node and its neighbours; an edge is listed at one of its ends, or at both.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from itertools import chain, count, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annealco import _core
from annealco.arrays import FloatArray, IntArray
from annealco.errors import InputError
from annealco.graph.construction import WEIGHT, NodeTable
from annealco.graph.formats.assemble import assemble, from_listed_edges, single_offsets
from annealco.graph.formats.edge_tables import find_nodes, labelled_graph
from annealco.graph.formats.text import (
    NUMBER,
    Text,
    Tokens,
    check_text_labels,
    edge_lines,
    newlines,
    node_ids,
    number_text,
    numbers,
    only_digits,
    read_text,
    row_starts,
    split,
    token_table,
)
from annealco.graph.graph import Graph
from annealco.graph.normalisation import MAX_NODES, object_array

_PATTERNS = {2: "u v", 3: "u v weight"}
_COMMENT = re.compile(rb"[#%][^\n]*")
_ISOLATED = re.compile(rb"(?m)^[ \t]*#[ \t]*isolated:([^\n]*)")
_WEIGHT = re.compile(rb"(?m)^[ \t]*#[ \t]*weight:([^\n]*)")
_NUMBER = re.compile(NUMBER)
_NO_WORD = re.compile(r"[\s#%]")
_IDS_PER_LINE = 100


def read_edge_list(path: Path, *, node_weight: Any = WEIGHT, nodes: Any = None) -> Graph:
    """Read an edge list.

    Args:
        path: the file.
        node_weight: column of the table of nodes that holds their weights; None to ignore weights.
        nodes: a table of all nodes, a file or what `as_graph` takes; by default the nodes are those that occur.

    Raises:
        GraphFileError: naming the line and the rule it breaks.
    """
    text = read_text(path)
    table = find_nodes(nodes, node_weight, text.path)
    found = None
    if table is None and (node_weight is None or _WEIGHT.search(text.content) is None):
        found = _core.read_edge_list(text.content, _core.Clock())
    graph = None
    if found is not None:
        names = found.names.astype(np.int64)
        graph = from_listed_edges(text.path, found.edges, names, keep_names=_has_gaps(names))
    return read_tokens(text, table, ignore_weights=node_weight is None) if graph is None else graph


def _has_gaps(names: IntArray) -> bool:
    """Tell whether ascending names differ from 0..n-1."""
    return bool(names[-1] != len(names) - 1)


def read_tokens(text: Text, nodes: NodeTable | None = None, *, ignore_weights: bool = False) -> Graph:
    """Read a file token by token, where it names nodes by words, breaks a rule or has unusual blanks or numbers."""
    if (brace := text.content.find(b"{")) >= 0 and b"{" in text.without(_COMMENT, b"#", b"%").content:
        rule = "attributes in braces are not read; with networkx, write_weighted_edgelist or data=False leaves them out"
        raise text.error(rule, line=text.line_at(brace))
    tokens = split(text.without(_COMMENT, b"#", b"%"))
    first = row_starts(tokens)
    line = tokens.line[first[:-1]]
    _check_separator(tokens, first)
    table = token_table(text, first[:-1], np.diff(first), line, _PATTERNS)
    alone, weighted = _listed(text, _ISOLATED), _weight_lines(text)
    if not len(table) and not len(alone) and not len(weighted) and nodes is None:
        raise text.error("the file holds no graph: it has neither edges nor isolated nodes")
    ends = table[:, :2].reshape(-1)
    listed = [(tokens, ends), (alone, np.arange(len(alone))), (weighted, np.arange(0, len(weighted), 2))]
    parts: list[Any] = [_words(part) for part in listed] if _are_words(listed) else [_ids(part) for part in listed]
    edge_weight = _weights(tokens, table[:, 2]) if table.shape[1] > 2 else None
    if nodes is not None:
        if len(alone) or len(weighted):
            raise text.error("the file lists nodes of its own (# isolated:, # weight:), so it takes no table of nodes")
        labels = [str(label) for label in parts[0]]
        return labelled_graph(text, labels[0::2], labels[1::2], line, edge_weight=edge_weight, nodes=nodes)
    names, place = _number(parts)
    return assemble(
        text.path,
        place[: len(ends)].reshape(-1, 2).T,
        node_ptr=single_offsets(len(names)),
        names=names,
        keep_names=isinstance(names[0], str) or _has_gaps(names),
        edge_line=line,
        edge_weight=edge_weight,
        **{} if ignore_weights else _node_weights(weighted, place[len(ends) + len(alone) :], len(names)),
    )


def _check_separator(tokens: Tokens, first: IntArray) -> None:
    """Raise for a line of one word that has commas or semicolons in it."""
    for row in np.flatnonzero(np.diff(first) == 1)[:1]:
        word = tokens.word(int(first[row]))
        if re.search("[,;]", word):
            rule = f"{word!r} is one word; columns are separated by blanks, or by commas in a file .csv"
            raise tokens.error(int(first[row]), rule)


def _are_words(parts: list[tuple[Tokens, IntArray]]) -> bool:
    """Tell nodes that are named by words from those named by integers; raise if there are both.

    Args:
        parts: tokens, and the positions of those that name nodes.
    """
    whole = [only_digits(tokens)[where] for tokens, where in parts]
    digits = np.concatenate(whole)
    if digits.all():
        return False
    for (tokens, where), plain in zip(parts, whole, strict=True):
        for token in where[~plain & _begins_as_number(tokens)[where]].tolist():
            if _NUMBER.fullmatch(tokens.word(token)):
                raise tokens.error(token, f"node id {tokens.word(token)!r} is not an integer in 0..{MAX_NODES}")
    if digits.any():
        # The first label decides which of the others is told.
        for (tokens, where), plain in zip(parts, whole, strict=True):
            for token in where[plain != digits[0]][:1].tolist():
                kind = "a word, the first is an integer" if digits[0] else "an integer, the first is a word"
                rule = f"node {tokens.word(token)!r} is {kind}; name all nodes by integers or all by words"
                raise tokens.error(token, f"{rule}, or use a file .csv, which takes both as text")
    return True


def _begins_as_number(tokens: Tokens) -> NDArray[np.bool_]:
    characters = np.frombuffer(tokens.text.content, np.uint8)[tokens.start]
    return np.isin(characters, np.frombuffer(b"+-.0123456789", np.uint8))


def _ids(part: tuple[Tokens, IntArray]) -> IntArray:
    tokens, where = part
    return node_ids(tokens, numbers(tokens), where)


def _words(part: tuple[Tokens, IntArray]) -> list[str]:
    tokens, where = part
    words = b"\n".join(tokens.text.content.split()).decode().split("\n")
    return [words[token] for token in where.tolist()]


def _weights(tokens: Tokens, where: IntArray) -> FloatArray:
    """Return tokens as finite numbers."""
    words = tokens.text.content.split()
    column = split(Text(tokens.text.path, b" ".join([words[token] for token in where.tolist()])))
    return numbers(replace(column, line=tokens.line[where]))


def _number(parts: list[Any]) -> tuple[NDArray[Any], IntArray]:
    """Number nodes: integers ascend, words come in the order of their first occurrence."""
    if isinstance(parts[0], list):
        words = list(chain.from_iterable(parts))
        number: dict[str, int] = defaultdict(count().__next__)
        place = np.fromiter(map(number.__getitem__, words), np.int64, len(words))
        return object_array(list(number)), place
    names, place = np.unique(np.concatenate(parts), return_inverse=True)
    return names, place


def _node_weights(weighted: Tokens, nodes: IntArray, num_nodes: int) -> dict[str, Any]:
    """Return the weights of nodes, [num_nodes], with the line of each; nothing where there are none."""
    if not len(weighted):
        return {}
    once = np.unique(nodes, return_index=True)[1]
    if len(once) < len(nodes):
        row = int(np.setdiff1d(np.arange(len(nodes)), once)[0])
        raise weighted.error(2 * row, f"node {weighted.word(2 * row)} already has a weight")
    weight, line = np.ones(num_nodes), np.zeros(num_nodes, dtype=np.int64)
    weight[nodes] = _weights(weighted, np.arange(1, len(weighted), 2))
    line[nodes] = weighted.line[0::2]
    return {"node_weight": weight, "node_line": line}


def _weight_lines(text: Text) -> Tokens:
    """Return the tokens of the comments with node weights: a node and its weight in each."""
    tokens = _listed(text, _WEIGHT)
    starts = row_starts(tokens)
    wrong = np.flatnonzero(np.diff(starts) != 2)
    if len(wrong):
        raise tokens.error(int(starts[wrong[0]]), "the weight of a node is '# weight: node weight'")
    return tokens


def _listed(text: Text, pattern: re.Pattern[bytes]) -> Tokens:
    """Return the tokens in comments of a kind, with the lines that they have in the text."""
    found = list(pattern.finditer(text.content)) if b"#" in text.content else []
    tokens = split(Text(text.path, b"\n".join(match[1] for match in found)))
    lines = np.searchsorted(newlines(text), [match.start(1) for match in found]) + 1
    return replace(tokens, line=lines[tokens.line - 1])


def write_edge_list(graph: Graph) -> bytes:
    r"""Return a graph as an edge list.

    Example:
        >>> write_edge_list(Graph.from_edges([[0], [2]], 4, node_weight=[1, 1, 2.5, 1]))
        b'# isolated: 1 3\n# weight: 2 2.5\n0 2\n'
    """
    labels = _writable_labels(graph, "an edge list")
    alone = labels[graph.degree == 0]
    chunks = [alone[start : start + _IDS_PER_LINE] for start in range(0, len(alone), _IDS_PER_LINE)]
    isolated = "".join(f"# isolated: {' '.join(map(str, chunk))}\n" for chunk in chunks)
    heavy = np.flatnonzero(graph.node_weight != 1)
    weights = map(number_text, graph.node_weight[heavy].tolist())
    listed = "".join(map("# weight: %s %s\n".__mod__, zip(labels[heavy].tolist(), weights, strict=True)))
    return (isolated + listed + edge_lines(graph, labels)).encode()


def _writable_labels(graph: Graph, what: str) -> NDArray[Any]:
    """Return the labels of nodes, [num_nodes], if each is a word or an id that is read back."""
    labels = graph.labels.tolist()
    if labels and isinstance(labels[0], str):
        check_text_labels(labels, what)
        for label in labels:
            if _NO_WORD.search(label) or "{" in label or _NUMBER.fullmatch(label):
                raise InputError(f"{what} names nodes by words without blanks, # and %, not {label[:40]!r}")
        return object_array(labels)
    ids = np.array(labels, dtype=np.int64)
    wrong = (ids < 0) | (ids > MAX_NODES)
    if wrong.any():
        raise InputError(f"{what} names nodes by integers in 0..{MAX_NODES}, not {ids[wrong][0]}")
    return ids


def read_adjacency_list(path: Path) -> Graph:
    """Read an adjacency list: in each line a node and its neighbours, each edge at one of its ends or at both.

    Raises:
        GraphFileError: naming the line and the rule it breaks.
    """
    text = read_text(path)
    tokens = split(text.without(_COMMENT, b"#", b"%"))
    if not len(tokens):
        raise text.error("the file holds no graph: it has no nodes")
    first = row_starts(tokens)
    listed = (tokens, np.arange(len(tokens)))
    names, place = _number([_words(listed) if _are_words([listed]) else _ids(listed)])
    owner = np.repeat(first[:-1], np.diff(first))
    other = np.setdiff1d(np.arange(len(tokens)), first[:-1])
    ends = np.stack([place[owner[other]], place[other]])
    kept = _listed_once(ends, len(names))
    return assemble(
        text.path,
        ends[:, kept],
        node_ptr=single_offsets(len(names)),
        names=names,
        keep_names=isinstance(names[0], str) or _has_gaps(names),
        edge_line=tokens.line[other][kept],
    )


def _listed_once(ends: IntArray, num_nodes: int) -> NDArray[np.bool_]:
    """Tell which arcs to keep, so that an edge that is listed at both ends is no duplicate, [num_arcs]."""
    forth, back = ends[0] * num_nodes + ends[1], ends[1] * num_nodes + ends[0]
    return np.asarray((ends[0] <= ends[1]) | ~np.isin(forth, back))


def write_adjacency_list(graph: Graph) -> bytes:
    r"""Return a graph as an adjacency list, each edge at its end with the smaller number.

    Example:
        >>> write_adjacency_list(Graph.from_edges([[0, 0], [1, 2]], 4))
        b'0 1 2\n1\n2\n3\n'
    """
    labels = list(map(str, _writable_labels(graph, "an adjacency list").tolist()))
    bounds = np.searchsorted(graph.edges[0], np.arange(graph.num_nodes + 1)).tolist()
    heads = [labels[node] for node in graph.edges[1].tolist()]
    lines = [
        " ".join([label, *heads[start:stop]]) for label, (start, stop) in zip(labels, pairwise(bounds), strict=True)
    ]
    return "".join(f"{line}\n" for line in lines).encode()
