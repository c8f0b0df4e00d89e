"""Fold arcs into edges, for formats that list every edge in both directions."""

from __future__ import annotations

import numpy as np

from annealco.graph.formats.text import Text
from annealco.graph.segments import FloatArray, IntArray


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
