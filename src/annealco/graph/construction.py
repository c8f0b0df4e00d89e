"""Build one graph from Python objects with labels, or graphs from adjacencies that store each edge in both directions.

Errors name nodes and edges by the user's labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco import _core
from annealco.arrays import FloatArray
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.normalisation import as_edge_array, as_node_ptr, as_weight, check_ids

NUMBERS = (Real, Decimal, np.bool_)
"""Types of weights; ``Decimal`` is not registered as ``numbers.Real``."""


def from_labelled(
    edges: NDArray[np.int64],
    labels: Sequence[Any],
    *,
    node_weight: Sequence[Any],
    edge_weight: Sequence[Any],
    origin: str,
) -> Graph:
    """Build one graph from Python objects: hashable labels, and weights that may be anything until checked.

    Args:
        edges: [2, num_edges] positions in ``labels``.
        labels: [num_nodes]; 0..n-1 in order are no names, and are not kept.
        node_weight: [num_nodes].
        edge_weight: [num_edges].
        origin: what errors and warnings name as the source.

    Raises:
        InputError: as :meth:`Graph.from_edges`, and for weights that are no real numbers.

    Example:
        >>> from_labelled(np.array([[0], [1]]), ["a", "b"], node_weight=[1, 2], edge_weight=["x"], origin="example")
        Traceback (most recent call last):
        ...
        annealco.errors.InputError: example: edge weights must be numbers, edge 0 has 'x'; edge 0 is 'a'-'b'
    """
    numbered = set(map(type, labels)) <= {int} and list(labels) == list(range(len(labels)))
    with label_errors(labels, edges, origin):
        return Graph.from_edges(
            edges,
            len(labels),
            node_weight=_as_floats(node_weight, "node", origin),
            edge_weight=_as_floats(edge_weight, "edge", origin),
            node_labels=None if numbered else labels,
            origin=origin,
        )


def from_adjacency(
    entries: ArrayLike,
    node_ptr: ArrayLike,
    *,
    entry_weight: NDArray[Any] | None = None,
    node_weight: ArrayLike | None = None,
    node_labels: Sequence[Any] | None = None,
    origin: str = "adjacency",
    remedy: str = "A + A.T, if each edge is stored once",
) -> Graph:
    """Check that an adjacency is symmetric, and build the graph of its edges.

    The two directions of an edge are no duplicates of each other; an entry that occurs twice is one, and a direction
    that is repeated more often than the other tells how often the edge occurs.

    Args:
        entries: [2, num_entries] rows and columns, numbered through the batch.
        node_ptr: [num_graphs + 1] node offsets.
        entry_weight: [num_entries], 1 where absent.
        node_weight: [num_nodes], 1 where absent.
        node_labels: [num_nodes], unique in each graph.
        origin: what errors and warnings name as the source.
        remedy: how to symmetrise, for the error to say.

    Raises:
        InputError: if an entry has no counterpart of the same weight, and as :meth:`Graph.from_edges`.

    Example:
        >>> from_adjacency([[0, 1, 1, 2], [1, 0, 2, 1]], [0, 3]).edges.tolist()
        [[0, 1], [1, 2]]
    """
    ends = as_edge_array(entries, origin).astype(np.int64, copy=False)
    offsets = as_node_ptr(ends, None, node_ptr, origin)
    if entry_weight is not None and entry_weight.dtype.kind not in "biuf":
        raise InputError(f"edge weights must be real numbers, these are {entry_weight.dtype}", origin=origin)
    with label_errors(node_labels, ends, origin):
        check_ids(ends, offsets, origin)
        weight = as_weight(entry_weight, ends.shape[1], "edge", origin)
        tail, head = ends.astype(np.int32)
        if _core.is_symmetric(tail, head, weight, int(offsets[-1])):
            kept = tail <= head
        else:
            kept = _one_direction(ends, weight, int(offsets[-1]), origin, remedy)
        return Graph.from_edges(
            ends[:, kept],
            node_ptr=offsets,
            node_weight=node_weight,
            edge_weight=weight[kept],
            node_labels=node_labels,
            origin=origin,
        )


@contextmanager
def label_errors(labels: Sequence[Any] | None, edges: NDArray[Any], origin: str) -> Iterator[None]:
    """Add what the user calls a node or an edge to an error that knows only its position."""

    def name(node: int) -> str:
        return str(node) if labels is None or not 0 <= node < len(labels) else repr(labels[node])

    try:
        yield
    except InputError as error:
        rule = error.rule
        if error.node is not None and name(error.node) != str(error.node):
            rule += f"; node {error.node} is {name(error.node)}"
        if error.edge is not None:
            rule += f"; edge {error.edge} is {'-'.join(map(name, edges[:, error.edge].tolist()))}"
        raise InputError(rule, origin=origin, edge=error.edge, node=error.node) from None


def _as_floats(values: Sequence[Any], kind: str, origin: str) -> FloatArray:
    if not all(issubclass(found, NUMBERS) for found in set(map(type, values))):
        position = next(place for place, value in enumerate(values) if not isinstance(value, NUMBERS))
        rule = f"{kind} weights must be numbers, {kind} {position} has {values[position]!r}"
        raise InputError(rule, origin=origin, **{kind: position})
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError:
        raise InputError(f"{kind} weights must be finite, one is too large for a float", origin=origin) from None
    except ValueError:
        # Decimals know a NaN that is an error wherever it is used.
        raise InputError(f"{kind} weights must be finite, one is nan", origin=origin) from None


def _one_direction(
    ends: NDArray[np.int64], weight: FloatArray, num_nodes: int, origin: str, remedy: str
) -> NDArray[np.bool_]:
    """Tell which entries to keep so that only true duplicates are left double, [num_entries]."""
    forth, back = ends[0] * num_nodes + ends[1], ends[1] * num_nodes + ends[0]
    stored, first, own, count = np.unique(forth, return_index=True, return_inverse=True, return_counts=True)
    mirror = np.searchsorted(stored, back)
    lonely = np.append(stored, -1)[mirror] != back
    if lonely.any():
        edge = int(np.argmax(lonely))
        raise InputError(f"directed: edge {edge} has no way back; symmetrise with {remedy}", origin=origin, edge=edge)
    # Self-loops will be dropped, whatever they weigh.
    proper = forth != back
    for other, rule in (
        (first[own], "edge {} occurs with"),
        (first[mirror], "directed: edge {} and its way back have"),
    ):
        unequal = proper & (weight != weight[other])
        if unequal.any():
            edge = int(np.argmax(unequal))
            pair = f"{weight[other[edge]]:g} and {weight[edge]:g}"
            raise InputError(f"{rule.format(edge)} two weights, {pair}", origin=origin, edge=edge)
    more, even = count[own] > count[mirror], count[own] == count[mirror]
    return np.asarray(more | (even & (ends[0] <= ends[1])))
