"""Build one graph from Python objects with labels, or graphs from adjacencies that store each edge in both directions.

Labels that are given by pairs, neighbours or tables are all of one type. Integers number the nodes in ascending order;
other labels in the order in which they first occur, or in that of a table of nodes. Errors name nodes and edges by the
user's labels.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass, fields
from decimal import Decimal
from itertools import chain, count
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco import _core
from annealco.arguments import as_python
from annealco.arrays import FloatArray, IntArray
from annealco.errors import InputError, did_you_mean
from annealco.graph.graph import Graph
from annealco.graph.normalisation import as_edge_array, as_node_ptr, as_weight, check_ids

NUMBERS = (Real, Decimal, np.bool_)
"""Types of weights; ``Decimal`` is not registered as ``numbers.Real``."""


class DefaultName(str):
    """A name that nobody asked for: what lacks it weighs 1, where a name that a user gives must be there."""

    __slots__ = ()


WEIGHT = DefaultName("weight")
"""The attribute or column that weights are read from by default."""


@dataclass(frozen=True)
class Names:
    """What a source calls its parts, as far as the user says so.

    Attributes:
        node_weight: attribute or column of the node weights; None to ignore weights.
        edge_weight: the same of the edges.
        ends: the two columns of a table that hold the ends of its edges.
        nodes: a table of nodes: labels with or without weights.
    """

    node_weight: Any = WEIGHT
    edge_weight: Any = WEIGHT
    ends: Any = None
    nodes: Any = None

    def __post_init__(self) -> None:
        ends = self.ends
        if ends is not None and (
            not isinstance(ends, list | tuple)
            or len(ends) != 2
            or not all(isinstance(end, Hashable) for end in ends)
            or ends[0] == ends[1]
        ):
            raise InputError(f"ends must be the names of two columns, such as ('from', 'to'), not {ends!r:.60}")
        for name in ("node_weight", "edge_weight"):
            if not isinstance(getattr(self, name), Hashable) or getattr(self, name) == "":
                raise InputError(f"{name} must be the name of an attribute or column, not {getattr(self, name)!r:.60}")

    @property
    def given(self) -> dict[str, Any]:
        """What is not the default, by name.

        Example:
            >>> Names(node_weight=None, ends=("from", "to")).given
            {'node_weight': None, 'ends': ('from', 'to')}
        """
        every = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in every.items() if value is not getattr(Names, name)}

    def taken(self, origin: str, *takes: str) -> dict[str, Any]:
        """Return what was given, by name; raise if there is something that a source does not take.

        Args:
            origin: the source, as errors name it.
            *takes: what it takes.
        """
        given = self.given
        for name in given:
            if name not in takes:
                choices = f"it takes {', '.join(takes)}" if takes else "it has no names of attributes or columns"
                raise InputError(f"{name} cannot be used here: {choices}", origin=origin)
        return given


@dataclass(frozen=True)
class NodeTable:
    """The nodes of a graph in their order, those without edges among them.

    Attributes:
        labels: [num_nodes].
        weight: [num_nodes], or None where all weigh 1.
        origin: what errors name as the source.
    """

    labels: Sequence[Any]
    weight: Sequence[Any] | None = None
    origin: str = "nodes"


def from_pairs(
    one: Sequence[Any],
    two: Sequence[Any],
    *,
    edge_weight: Sequence[Any] | None = None,
    nodes: NodeTable | None = None,
    origin: str = "pairs",
) -> Graph:
    """Build one graph from the labels of the ends of its edges.

    Args:
        one: [num_edges] labels, all of one type.
        two: [num_edges] labels of the other ends.
        edge_weight: [num_edges], 1 where absent.
        nodes: all nodes in their order; by default those that occur.
        origin: what errors and warnings name as the source.

    Example:
        >>> from_pairs(["b", "a"], ["a", "c"], edge_weight=[2, 3]).labels.tolist()
        ['b', 'a', 'c']
    """
    ends, labels = number_labels(one, two, nodes, origin)
    weight = [1] * len(labels) if nodes is None or nodes.weight is None else nodes.weight
    return from_labelled(
        ends,
        labels,
        node_weight=weight,
        edge_weight=[1] * ends.shape[1] if edge_weight is None else edge_weight,
        origin=origin,
    )


def number_labels(
    one: Sequence[Any], two: Sequence[Any], nodes: NodeTable | None, origin: str
) -> tuple[IntArray, list[Any]]:
    """Number the nodes that the ends of edges name: integers ascend, others come as they first occur or are listed.

    Returns:
        ends [2, num_edges] from 0, and the labels [num_nodes].

    Raises:
        InputError: for labels of several types, labels that are missing or not hashable, and ends that are not listed.
    """
    ends = plain_labels(chain.from_iterable(zip(one, two, strict=True)), origin)
    listed = [] if nodes is None else plain_labels(nodes.labels, nodes.origin)
    check_one_type([*listed, *ends], origin)
    if nodes is not None:
        number = {label: place for place, label in enumerate(listed)}
        if len(number) < len(listed):
            twice = next(label for place, label in enumerate(listed) if number[label] != place)
            raise InputError(f"the label {twice!r:.60} occurs twice among the nodes", origin=nodes.origin)
    elif ends and type(ends[0]) is int:
        number = {label: place for place, label in enumerate(sorted(set(ends)))}
    else:
        # Each label is looked up once: most of the time goes into this.
        number = defaultdict(count().__next__)
    try:
        places = np.fromiter(map(number.__getitem__, ends), np.int64, len(ends))
    except KeyError:
        place = next(place for place, label in enumerate(ends) if label not in number)
        hint = did_you_mean(ends[place], listed)
        rule = f"the end {ends[place]!r:.60} of edge {place // 2} is not among the nodes; {hint}"
        raise InputError(rule.rstrip("; "), origin=origin, edge=place // 2) from None
    return places.reshape(-1, 2).T, list(number)


def plain_labels(labels: Iterable[Any], origin: str) -> list[Any]:
    """Return labels with NumPy's numbers and text as Python's; raise where one is missing or not hashable."""
    plain = list(labels)
    kinds = set(map(type, plain))
    if kinds <= {int} or kinds <= {str}:
        return plain
    plain = list(map(as_python, plain))
    for place, label in enumerate(plain):
        if is_missing(label):
            raise InputError(f"a node has no label: label {place} is {label!r}", origin=origin)
        try:
            hash(label)
        except TypeError:
            raise InputError(f"node labels must be hashable, {label!r:.60} is not", origin=origin) from None
    return plain


def is_missing(value: Any) -> bool:
    """Tell whether a value stands for none, as None, NaN and the missing values of pandas do.

    Example:
        >>> is_missing(None), is_missing(float("nan")), is_missing("nan"), is_missing(0)
        (True, True, False, False)
    """
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or type(value).__name__ in {"NAType", "NaTType"}


def check_one_type(labels: Collection[Any], origin: str) -> None:
    """Raise if labels are of several types: 1 and "1" are two nodes, 1 and 1.0 and True are one."""
    if len(set(map(type, labels))) > 1:
        seen: dict[type, Any] = {}
        for label in labels:
            seen.setdefault(type(label), label)
        (first, one), (second, two) = list(seen.items())[:2]
        rule = f"node labels must be of one type, {one!r:.40} is {first.__name__} and {two!r:.40} is {second.__name__}"
        raise InputError(rule, origin=origin)


def from_neighbours(
    neighbours: Mapping[Any, Any], *, edge_weight: Any = WEIGHT, nodes: NodeTable | None = None
) -> Graph:
    """Build one graph from the neighbours of nodes; an edge may be listed at one of its ends or at both.

    Args:
        neighbours: for each node a list of neighbours, or a mapping from neighbours to edge weights, or to attributes.
        edge_weight: name of the attribute, where the values are attributes; None to ignore weights.
        nodes: all nodes in their order; by default the keys, then the neighbours that are no keys; integers ascend.

    Example:
        >>> from_neighbours({"a": ["b", "c"], "b": {"c": 2.5}}).edge_weight.tolist()
        [1.0, 1.0, 2.5]
    """
    origin = "dict of neighbours"
    if _may_be_columns(neighbours):
        rule = "lists under 'source' and 'target' can be columns of a table, or the neighbours of two nodes"
        remedy = "give a DataFrame or list(zip(source, target)) for columns, and pairs for neighbours"
        raise InputError(f"{rule}: {remedy}", origin=origin)
    tails: list[Any] = []
    heads: list[Any] = []
    weights: list[Any] = []
    listed: dict[tuple[Any, Any], Any] = {}
    for key, found in neighbours.items():
        node = as_python(key)
        for other, weight in _weighted_neighbours(node, found, edge_weight, origin):
            if (other, node) in listed and other != node:
                if listed[other, node] != weight:
                    rule = f"directed: {node!r:.40} and {other!r:.40} list each other with two weights"
                    raise InputError(f"{rule}, {listed[other, node]!r:.40} and {weight!r:.40}", origin=origin)
                continue
            listed[node, other] = weight
            tails.append(node)
            heads.append(other)
            weights.append(weight)
    if nodes is None:
        keys = dict.fromkeys(chain(plain_labels(neighbours, origin), plain_labels(heads, origin)))
        check_one_type(keys, origin)
        nodes = NodeTable(sorted(keys) if set(map(type, keys)) == {int} else list(keys))
    elif strangers := set(neighbours) - set(plain_labels(nodes.labels, nodes.origin)):
        raise InputError(f"the key {next(iter(strangers))!r:.60} is not among the nodes", origin=origin)
    return from_pairs(tails, heads, edge_weight=weights, nodes=nodes, origin=origin)


def _may_be_columns(neighbours: Mapping[Any, Any]) -> bool:
    """Tell whether a dict could be a table by columns, as DataFrames are made of."""
    lists = [found for found in neighbours.values() if isinstance(found, Sized) and not isinstance(found, Mapping)]
    named = {*neighbours} in ({"source", "target"}, {"source", "target", "weight"})
    return named and len(lists) == len(neighbours) and len(set(map(len, lists))) == 1


def _weighted_neighbours(node: Any, found: Any, edge_weight: Any, origin: str) -> Iterable[tuple[Any, Any]]:
    """Return the neighbours of a node, each with the weight of the edge."""
    if isinstance(found, Mapping):
        return [
            (as_python(other), _weight_of(node, other, value, edge_weight, origin)) for other, value in found.items()
        ]
    if isinstance(found, str | bytes) or not isinstance(found, Iterable):
        rule = f"the neighbours of {node!r:.40} must be a list or a mapping to weights, not {type(found).__name__}"
        raise InputError(rule, origin=origin)
    if edge_weight is not None and not isinstance(edge_weight, DefaultName):
        raise InputError(f"the neighbours of {node!r:.40} have no attribute {edge_weight!r}", origin=origin)
    return [(other, 1) for other in plain_labels(found, origin)]


def _weight_of(node: Any, other: Any, value: Any, edge_weight: Any, origin: str) -> Any:
    if edge_weight is None:
        return 1
    if not isinstance(value, Mapping):
        if not isinstance(edge_weight, DefaultName):
            rule = f"edge_weight names an attribute, and {node!r:.40}-{other!r:.40} has the weight {value!r:.40} alone"
            raise InputError(rule, origin=origin)
        return _checked_weight(node, other, value, origin)
    if edge_weight not in value and not isinstance(edge_weight, DefaultName):
        hint = did_you_mean(edge_weight, value)
        raise InputError(
            f"the edge {node!r:.40}-{other!r:.40} has no attribute {edge_weight!r}; {hint}".rstrip("; "), origin=origin
        )
    return _checked_weight(node, other, value.get(edge_weight, 1), origin)


def _checked_weight(node: Any, other: Any, value: Any, origin: str) -> Any:
    """Return a weight that can be compared with that of the way back."""
    if not isinstance(value, NUMBERS):
        raise InputError(f"edge weights must be numbers, {node!r:.40}-{other!r:.40} has {value!r:.40}", origin=origin)
    return value


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
            node_weight=as_floats(node_weight, "node", origin),
            edge_weight=as_floats(edge_weight, "edge", origin),
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


def as_floats(values: Sequence[Any], kind: str, origin: str) -> FloatArray:
    """Return weights of nodes or edges, which may be anything, as floats; raise for what is no real number."""
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
