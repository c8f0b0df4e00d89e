"""The `Graph`: one or many simple undirected graphs side by side, in flat arrays.

The nodes of all graphs are numbered through; graph ``g`` owns those from ``node_ptr[g]`` to ``node_ptr[g + 1] - 1``.
Every edge is stored once, as ``(u, v)`` with ``u < v``, and edges are sorted by ``(u, v)``; the edges of one graph are
therefore contiguous too. Nothing here loops over nodes or edges in Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco.arrays import FloatArray, occurrences, sums, symmetric_rows
from annealco.errors import InputError
from annealco.graph.normalisation import (
    MAX_NODES,
    as_data,
    as_edge_array,
    as_labels,
    as_node_ptr,
    as_weight,
    check_ids,
    normalise,
    object_array,
)

IndexArray = NDArray[np.integer[Any]]
_Entry = TypeVar("_Entry", bound=np.generic)

COEFFICIENTS: dict[str, float | bool | str] = {"linear": 0.0, "element": False, "offset": 0.0, "vartype": ""}
"""Data that problems read beside weights, and what a graph without them has of it in a batch with one that has some.

``linear`` [num_nodes] are linear coefficients of either sign, ``offset`` [num_graphs] constants, ``vartype``
[num_graphs] what variables the coefficients are of (``BINARY`` or ``SPIN``), and ``element`` [num_nodes] tells elements
from sets.
"""


@dataclass(frozen=True, eq=False)
class Graph:
    """A batch of simple undirected graphs with node and edge weights.

    Build one with :meth:`from_edges`, which checks; the plain constructor trusts its arrays. All arrays are read-only.

    Attributes:
        node_ptr: [num_graphs + 1], int64, node offsets of the graphs.
        edges: [2, num_edges], int32, every edge once with ``u < v``, sorted by (u, v), numbered through the batch.
        node_weight: [num_nodes], float64, finite and not negative.
        edge_weight: [num_edges], float64, finite; negative where the problem allows it.
        node_labels: [num_nodes] names the user gave the nodes, or None for 0..n-1 in each graph.
        node_data: further arrays of [num_nodes], such as ``planted`` of a forced RB graph.
        graph_data: further arrays of [num_graphs], such as ``name``.

    Example:
        >>> path = Graph.from_edges([[0, 1], [1, 2]], num_nodes=4)
        >>> path.num_edges, path.degree.tolist(), path.neighbours(1).tolist()
        (2, [1, 2, 1, 0], [0, 2])
        >>> both = Graph.batch([path, path])
        >>> both.num_graphs, both.edges.tolist(), both[1].edges.tolist()
        (2, [[0, 1, 4, 5], [1, 2, 5, 6]], [[0, 1], [1, 2]])
    """

    node_ptr: NDArray[np.int64]
    edges: NDArray[np.int32]
    node_weight: FloatArray
    edge_weight: FloatArray
    node_labels: NDArray[Any] | None = None
    node_data: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    graph_data: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        arrays: list[NDArray[Any] | None] = [self.node_ptr, self.edges, self.node_weight, self.edge_weight]
        for array in (*arrays, self.node_labels, *self.node_data.values(), *self.graph_data.values()):
            if array is not None:
                _read_only(array)

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor: a copy is read-only too, and derived arrays need not travel.
        return Graph, tuple(getattr(self, part.name) for part in fields(self))

    @classmethod
    def from_edges(
        cls,
        edges: ArrayLike,
        num_nodes: int | None = None,
        *,
        node_ptr: ArrayLike | None = None,
        node_weight: ArrayLike | None = None,
        edge_weight: ArrayLike | None = None,
        node_labels: Sequence[Any] | NDArray[Any] | None = None,
        node_data: Mapping[str, ArrayLike] | None = None,
        graph_data: Mapping[str, ArrayLike] | None = None,
        origin: str = "graph",
    ) -> Graph:
        """Check edges and weights, and build a graph.

        Self-loops are dropped and duplicate edges (in either direction) merged, with a :class:`NormalisationWarning`
        that counts them. Duplicates must agree in weight.

        Args:
            edges: [2, num_edges] integer node ids, in any order and direction, numbered through the batch.
            num_nodes: number of nodes of a single graph; without it and ``node_ptr``, one more than the largest id.
            node_ptr: [num_graphs + 1] node offsets, for many graphs at once.
            node_weight: [num_nodes], 1 where absent.
            edge_weight: [num_edges] in the order of ``edges``, 1 where absent.
            node_labels: [num_nodes] names of the nodes, unique in each graph.
            node_data: further arrays of [num_nodes].
            graph_data: further arrays of [num_graphs].
            origin: what errors and warnings name as the source.

        Raises:
            InputError: for ids out of range, edges between two graphs, weights that are not finite, negative node
                weights, duplicates of different weight, and arrays of the wrong shape.

        Example:
            >>> Graph.from_edges([[2, 0], [0, 1]], edge_weight=[5, 7]).edge_weight.tolist()
            [7.0, 5.0]
        """
        ends = as_edge_array(edges, origin)
        offsets = as_node_ptr(ends, num_nodes, node_ptr, origin)
        total = int(offsets[-1])
        check_ids(ends, offsets, origin)
        given = None if edge_weight is None else as_weight(edge_weight, ends.shape[1], "edge", origin)
        kept, weight = normalise(ends[0], ends[1], given, total, origin)
        labels = None if node_labels is None else as_labels(node_labels, offsets, origin)
        return cls(
            node_ptr=offsets,
            edges=kept,
            node_weight=as_weight(node_weight, total, "node", origin),
            edge_weight=weight,
            node_labels=labels,
            node_data=as_data(node_data, total, "node", origin),
            graph_data=as_data(graph_data, len(offsets) - 1, "graph", origin),
        )

    @classmethod
    def batch(cls, graphs: Sequence[Graph]) -> Graph:
        """Put graphs side by side; data is kept where all of them have it, `COEFFICIENTS` where one of them has."""
        parts = list(graphs)
        if not parts:
            return cls.from_edges(np.zeros((2, 0), np.int32), node_ptr=[0])
        return _join(parts)

    @property
    def num_graphs(self) -> int:
        return len(self.node_ptr) - 1

    @property
    def num_nodes(self) -> int:
        return int(self.node_ptr[-1])

    @property
    def num_edges(self) -> int:
        return int(self.edges.shape[1])

    @cached_property
    def edge_ptr(self) -> NDArray[np.int64]:
        """Edge offsets of the graphs, [num_graphs + 1]."""
        # Offsets of another type would make a copy of all edges in theirs.
        return _read_only(np.searchsorted(self.edges[0], self.node_ptr.astype(np.int32)).astype(np.int64))

    @cached_property
    def graph_of_node(self) -> NDArray[np.int64]:
        """Number of the graph each node is in, [num_nodes]."""
        return _read_only(np.repeat(np.arange(self.num_graphs), np.diff(self.node_ptr)))

    @cached_property
    def graph_of_edge(self) -> NDArray[np.int64]:
        """Number of the graph each edge is in, [num_edges]."""
        return _read_only(np.repeat(np.arange(self.num_graphs), np.diff(self.edge_ptr)))

    @cached_property
    def degree(self) -> NDArray[np.int64]:
        """Number of neighbours of each node, [num_nodes]."""
        return _read_only(occurrences(self.edges.reshape(-1), self.num_nodes).astype(np.int64))

    @cached_property
    def weighted_degree(self) -> FloatArray:
        """Sum of the weights of each node's edges, [num_nodes]."""
        if np.all(self.edge_weight == 1):
            return _read_only(self.degree.astype(np.float64))
        return _read_only(sums(self.edges, self.edge_weight, self.num_nodes))

    @cached_property
    def _adjacency(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        # Rows with the numbers of edges would take twice as long.
        indptr, indices, _ = symmetric_rows(self.edges, np.zeros(0), self.num_nodes)
        return _read_only(indptr), _read_only(indices)

    @property
    def indptr(self) -> NDArray[np.int64]:
        """Row offsets of the symmetric adjacency in CSR form, [num_nodes + 1]."""
        return self._adjacency[0]

    @property
    def indices(self) -> NDArray[np.int32]:
        """Neighbours row by row, sorted in each row, [2 * num_edges]."""
        return self._adjacency[1]

    @cached_property
    def edge_of_index(self) -> NDArray[np.int32]:
        """Number of the edge behind each entry of ``indices``, [2 * num_edges]."""
        _, indices, number = symmetric_rows(self.edges, np.arange(self.num_edges, dtype=np.float64), self.num_nodes)
        return _read_only(np.resize(number, len(indices)).astype(np.int32))

    @cached_property
    def labels(self) -> NDArray[Any]:
        """The user's node names, or each node's number in its own graph, [num_nodes]."""
        if self.node_labels is not None:
            return self.node_labels
        return _read_only(np.arange(self.num_nodes) - self.node_ptr[self.graph_of_node])

    def neighbours(self, node: int) -> NDArray[np.int32]:
        """Return the neighbours of a node in ascending order, [degree]."""
        if not 0 <= node < self.num_nodes:
            raise IndexError(f"node {node} is outside a batch of {self.num_nodes} nodes")
        return self.indices[self.indptr[node] : self.indptr[node + 1]]

    def __len__(self) -> int:
        return self.num_graphs

    def __iter__(self) -> Iterator[Graph]:
        return (self[index] for index in range(self.num_graphs))

    def __getitem__(self, index: int | slice | Sequence[int] | IndexArray) -> Graph:
        """Take one graph or several (positions, a slice or a mask), in the given order, as a graph of their own."""
        if isinstance(index, (int, np.integer)):
            if not -self.num_graphs <= index < self.num_graphs:
                raise IndexError(f"graph {index} is outside a batch of {self.num_graphs}")
            if self.num_graphs == 1:
                return self
            index = [int(index) % self.num_graphs]
        if not isinstance(index, slice):
            # NumPy refuses fractions and honours masks, but takes an empty list for fractions.
            index = np.asarray(index) if len(index) > 0 else np.zeros(0, np.int64)
        return _pick(self, np.arange(self.num_graphs)[index])

    def with_weights(self, *, node_weight: ArrayLike | None = None, edge_weight: ArrayLike | None = None) -> Graph:
        """Return the same graphs with other weights; what is not given stays."""
        nodes, edges = self.node_weight, self.edge_weight
        if node_weight is not None:
            nodes = as_weight(node_weight, self.num_nodes, "node", "graph")
        if edge_weight is not None:
            edges = as_weight(edge_weight, self.num_edges, "edge", "graph")
        return replace(self, node_weight=nodes, edge_weight=edges)

    @property
    def coefficients(self) -> dict[str, NDArray[Any]]:
        """Data that problems read beside weights, by name; see `COEFFICIENTS`."""
        every = {**self.node_data, **self.graph_data}
        return {key: every[key] for key in COEFFICIENTS if key in every}

    def bare(self) -> Graph:
        """Return the same graphs with what problems read alone: without labels, names and other data.

        Example:
            >>> named = Graph.from_edges([[0], [1]], node_labels=["a", "b"], node_data={"linear": [-1.0, 2.0]})
            >>> named.bare().labels.tolist(), list(named.bare().node_data)
            ([0, 1], ['linear'])
        """
        kept = self.coefficients
        return Graph(
            self.node_ptr,
            self.edges,
            self.node_weight,
            self.edge_weight,
            node_data={key: kept[key] for key in self.node_data if key in kept},
            graph_data={key: kept[key] for key in self.graph_data if key in kept},
        )

    def equals(self, other: Graph) -> bool:
        """Tell whether nodes, edges, weights, coefficients and labels are the same; other data is not compared."""
        own, others = self.coefficients, other.coefficients
        return (
            np.array_equal(self.node_ptr, other.node_ptr)
            and np.array_equal(self.edges, other.edges)
            and np.array_equal(self.node_weight, other.node_weight)
            and np.array_equal(self.edge_weight, other.edge_weight)
            and np.array_equal(self.labels, other.labels)
            and own.keys() == others.keys()
            and all(np.array_equal(own[key], others[key]) for key in own)
        )

    def __repr__(self) -> str:
        many = "" if self.num_graphs == 1 else f"{self.num_graphs} graphs, "
        return f"Graph({many}{self.num_nodes} nodes, {self.num_edges} edges)"


def _read_only(array: NDArray[_Entry]) -> NDArray[_Entry]:
    array.flags.writeable = False
    return array


def _join(parts: Sequence[Graph]) -> Graph:
    """Put graphs side by side, at least one; data that not all of them have is left out, but for coefficients."""
    starts = np.cumsum([0, *(part.num_nodes for part in parts)])
    if starts[-1] > MAX_NODES:
        raise InputError(f"a batch holds at most {MAX_NODES:,} nodes, these have {starts[-1]:,}")
    placed = list(zip(parts, starts[:-1], strict=True))
    labels = None
    if any(part.node_labels is not None for part in parts):
        labels = np.concatenate([object_array(part.labels) for part in parts])
    return Graph(
        node_ptr=np.concatenate([[0], *(part.node_ptr[1:] + start for part, start in placed)]).astype(np.int64),
        edges=np.concatenate([part.edges + np.int32(start) for part, start in placed], axis=1),
        node_weight=np.concatenate([part.node_weight for part in parts]),
        edge_weight=np.concatenate([part.edge_weight for part in parts]),
        node_labels=labels,
        node_data=_join_data([part.node_data for part in parts], [part.num_nodes for part in parts]),
        graph_data=_join_data([part.graph_data for part in parts], [part.num_graphs for part in parts]),
    )


def _join_data(parts: list[Mapping[str, NDArray[Any]]], sizes: list[int]) -> dict[str, NDArray[Any]]:
    shared = [key for key in parts[0] if all(key in part for part in parts)]
    # Without its coefficients a graph would be another problem.
    shared += [key for key in COEFFICIENTS if key not in shared and any(key in part for part in parts)]
    return {
        key: np.concatenate(
            [
                part[key] if key in part else np.full(size, COEFFICIENTS[key])
                for part, size in zip(parts, sizes, strict=True)
            ]
        )
        for key in shared
    }


COPIED_FROM = 500
"""Mean number of edges from which graphs are taken out of a batch one by one: whole runs of memory are copied faster
than single entries, and there are few graphs to go through."""


def _pick(graph: Graph, picked: NDArray[np.int64]) -> Graph:
    """Return the graphs at some positions of a batch, in the order of the positions."""
    nodes, node_ptr = _ranges(graph.node_ptr, picked)
    edges, edge_weight = _picked_edges(graph, picked, (node_ptr[:-1] - graph.node_ptr[picked]).astype(np.int32))
    return Graph(
        node_ptr=node_ptr,
        edges=edges,
        node_weight=graph.node_weight[nodes],
        edge_weight=edge_weight,
        node_labels=None if graph.node_labels is None else graph.node_labels[nodes],
        node_data={key: array[nodes] for key, array in graph.node_data.items()},
        graph_data={key: array[picked] for key, array in graph.graph_data.items()},
    )


def _picked_edges(
    graph: Graph, picked: NDArray[np.int64], shift: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the edges of picked graphs, with their ends shifted by so much for each graph, and their weights."""
    first, last = graph.edge_ptr[picked], graph.edge_ptr[picked + 1]
    if len(picked) and (last - first).mean() >= COPIED_FROM:
        parts = list(zip(first.tolist(), last.tolist(), shift, strict=True))
        edges = np.concatenate([graph.edges[:, begin:end] + moved for begin, end, moved in parts], axis=1)
        return edges, np.concatenate([graph.edge_weight[begin:end] for begin, end, _ in parts])
    positions, _ = _ranges(graph.edge_ptr, picked)
    # `take` is five times as fast as indexing.
    return graph.edges.take(positions, axis=1) + np.repeat(shift, last - first), graph.edge_weight[positions]


def _ranges(offsets: NDArray[np.int64], picked: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the positions in the picked ranges, one after the other, and their new offsets."""
    counts = offsets[picked + 1] - offsets[picked]
    new = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return np.arange(new[-1]) + np.repeat(offsets[picked] - new[:-1], counts), new
