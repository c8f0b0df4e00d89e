"""Build the graph of what a reader found in a file, with errors in the file's own node names and line numbers.

Formats that list every edge in both directions are folded to one arc per edge first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from annealco import _core
from annealco.arrays import FloatArray, IntArray
from annealco.errors import GraphFileError, InputError
from annealco.graph.formats.text import Text
from annealco.graph.graph import Graph
from annealco.graph.normalisation import as_labels, as_weight, normalise, too_large, too_large_rule


def assemble(
    path: str,
    ends: IntArray,
    *,
    node_ptr: IntArray,
    names: NDArray[Any],
    edge_line: IntArray,
    edge_weight: FloatArray | None = None,
    node_line: IntArray | None = None,
    node_weight: FloatArray | None = None,
    keep_names: bool = True,
) -> Graph:
    """Build the graph, normalised by the one rule for all sources.

    Args:
        path: the file.
        ends: [2, num_edges] node numbers from 0, already known to be in range.
        node_ptr: [num_graphs + 1] node offsets.
        names: [num_nodes] what the file calls the nodes.
        edge_line: [num_edges] line of each edge.
        edge_weight: [num_edges], finite.
        node_line: [num_nodes] line of each node's weight.
        node_weight: [num_nodes], finite.
        keep_names: whether the names become node labels, or are the numbers 0..n-1 that a graph has anyway.
    """
    if node_weight is not None and node_line is not None and (node_weight < 0).any():
        node = int(np.argmax(node_weight < 0))
        rule = f"node weights must not be negative, node {names[node]} has {node_weight[node]:g}"
        raise GraphFileError(path, rule, line=int(node_line[node]))
    if edge_weight is not None and (edge := too_large(edge_weight)) is not None:
        rule = too_large_rule("edge", "-".join(map(str, names[ends[:, edge]])), edge_weight[edge])
        raise GraphFileError(path, rule, line=int(edge_line[edge]))
    if node_weight is not None and (heaviest := too_large(node_weight)) is not None:
        line = None if node_line is None else int(node_line[heaviest])
        raise GraphFileError(path, too_large_rule("node", str(names[heaviest]), node_weight[heaviest]), line=line)
    try:
        return Graph.from_edges(
            ends,
            node_ptr=node_ptr,
            edge_weight=edge_weight,
            node_weight=node_weight,
            node_labels=names if keep_names else None,
            origin=path,
        )
    except InputError as error:
        if error.edge is None:
            raise GraphFileError(path, error.rule) from None
        # The ids and the single weights have been checked, so this edge contradicts an earlier one.
        low, high = names[ends[:, error.edge]]
        rule = f"edge {low}-{high} occurs more than once with different weights"
        raise GraphFileError(path, rule, line=int(edge_line[error.edge])) from None


def from_listed_edges(
    path: str,
    edges: _core.ListedEdges,
    names: NDArray[Any],
    *,
    node_weight: FloatArray | None = None,
    keep_names: bool = True,
) -> Graph | None:
    """Build the graph of what the core read, normalised by the one rule for all sources.

    Args:
        path: the file.
        edges: node numbers from 0, already known to be in range, and weights.
        names: [num_nodes] what the file calls the nodes.
        node_weight: [num_nodes], finite.
        keep_names: whether the names become node labels, or are the numbers 0..n-1 that a graph has anyway.

    Returns:
        None where a rule is broken: the reader that knows the lines must say which.
    """
    offsets = single_offsets(len(names))
    try:
        weight = as_weight(edges.weights, len(edges.one), "edge", path) if len(edges.weights) else None
        kept, edge_weight = normalise(edges.one, edges.two, weight, len(names), path)
        return Graph(
            node_ptr=offsets,
            edges=kept,
            node_weight=as_weight(node_weight, len(names), "node", path),
            edge_weight=edge_weight,
            node_labels=as_labels(names, offsets, path) if keep_names else None,
        )
    except InputError:
        return None


def single_offsets(num_nodes: int) -> IntArray:
    """Return the node offsets of one graph, [2]."""
    return np.array([0, num_nodes], dtype=np.int64)


def from_one(num_nodes: int) -> IntArray:
    """Return the names of nodes in the formats that number them from 1, [num_nodes].

    They are kept as labels: an answer about such a file should use the numbers of the file.
    """
    return np.arange(1, num_nodes + 1)


def fold(
    text: Text,
    ends: IntArray,
    weight: FloatArray | None,
    line: IntArray,
    num_nodes: int,
    *,
    rule: str,
) -> tuple[IntArray, FloatArray | None, IntArray]:
    """Keep one arc of every edge, once every arc is known to have a reverse of the same weight.

    Args:
        text: the file, for the error.
        ends: [2, num_arcs] tail and head, from 0.
        weight: [num_arcs], or None where all are the same.
        line: [num_arcs] line of each arc.
        num_nodes: number of nodes.
        rule: the error for a directed graph, with ``{tail}`` and ``{head}``, which are numbered from 1.

    Returns:
        ends [2, num_edges], weight [num_edges] or None, and line [num_edges].
    """
    arc = find_unmatched(ends, weight, num_nodes)
    if arc is not None:
        tail, head = ends[:, arc] + 1
        raise text.error(rule.format(tail=tail, head=head), line=int(line[arc]))
    kept = ends[0] <= ends[1]
    return ends[:, kept], None if weight is None else weight[kept], line[kept]


def find_unmatched(ends: IntArray, weight: FloatArray | None, num_nodes: int) -> int | None:
    """Return the position of an arc without a reverse of the same weight, or None if every arc has its own.

    Args:
        ends: [2, num_arcs] tail and head of each arc; a self-loop is its own reverse.
        weight: [num_arcs], or None where all are the same.
        num_nodes: number of nodes.

    Complexity: O(num_arcs log num_arcs).

    Example:
        >>> find_unmatched(np.array([[0, 1, 1], [1, 0, 2]]), None, 3)
        2
    """
    forward = ends[0] * num_nodes + ends[1]
    backward = ends[1] * num_nodes + ends[0]
    weights = np.zeros(len(forward)) if weight is None else weight
    given, wanted = _order(forward, weights), _order(backward, weights)
    differ = (forward[given] != backward[wanted]) | (weights[given] != weights[wanted])
    if not differ.any():
        return None
    place = int(np.argmax(differ))
    have, need = int(given[place]), int(wanted[place])
    # Both sides are sorted, so the smaller of the first two that differ is missing on the other side.
    return have if (forward[have], weights[have]) < (backward[need], weights[need]) else need


def _order(key: IntArray, weight: FloatArray) -> IntArray:
    """Return the order by key, then weight; the second matters only where a key occurs twice."""
    order = np.argsort(key, kind="stable")
    return np.lexsort((weight, key)) if np.any(np.diff(key[order]) == 0) else order
