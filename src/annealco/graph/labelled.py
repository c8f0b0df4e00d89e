"""Build graphs whose nodes have names of the user's own, and use these names in errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.segments import FloatArray

NUMBERS = (Real, Decimal, np.bool_)
"""What weights may be; decimals are numbers to everybody but Python's ``numbers``."""


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
        annealco.graph.errors.InputError: example: edge weights must be numbers, edge 0 has 'x'; edge 0 is 'a'-'b'
    """
    numbered = set(map(type, labels)) <= {int} and list(labels) == list(range(len(labels)))
    with user_names(labels, edges, origin):
        return Graph.from_edges(
            edges,
            len(labels),
            node_weight=_as_floats(node_weight, "node", origin),
            edge_weight=_as_floats(edge_weight, "edge", origin),
            node_labels=None if numbered else labels,
            origin=origin,
        )


@contextmanager
def user_names(labels: Sequence[Any] | None, edges: NDArray[Any], origin: str) -> Iterator[None]:
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
