"""Sum over neighbours by a sparse matrix product, on the sparser side of each graph.

With A the adjacency of a graph and Ā that of its complement, A x = Σ_j x_j − x − Ā x: on a graph with more than half of
all pairs the right side is the cheaper one. A batch may mix both kinds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor

from annealco.energy.sparse import SparseMatrix, sparse_matrix, symmetric_matrix
from annealco.graph.graph import Graph
from annealco.graph.sparse_side import sparse_side


class Place(NamedTuple):
    """Where tensors live."""

    device: torch.device
    dtype: torch.dtype


@dataclass(frozen=True, eq=False)
class Dense:
    """What a sum over the complement lacks: the sum over the whole graph, for nodes of dense graphs.

    Attributes:
        total: [num_graphs, num_nodes], 1 where a node is in a dense graph.
        spread: its transpose.
        own: [num_nodes, 1], 1 for nodes of dense graphs; None where all are.
    """

    total: SparseMatrix
    spread: SparseMatrix
    own: Tensor | None


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The neighbour sums of a batch of graphs on a device; `neighbours_of` makes and keeps them.

    Attributes:
        matrix: A on sparse graphs and −Ā on dense ones.
        dense: what turns −Ā into A; None where all graphs are sparse.
        divisor: [num_nodes, 1] what a sum is divided by for the mean, at least 1 where edges weigh 1.
        loops: whether every node is a neighbour of itself.
    """

    matrix: SparseMatrix
    dense: Dense | None
    divisor: Tensor
    loops: bool

    def sum(self, values: Tensor) -> Tensor:
        """Return Σ_{j∈N(i)} w_ij x_j in the shape of the values, [num_nodes, ...]."""
        columns = values.flatten(1) if values.dim() > 1 else values.unsqueeze(1)
        result = self.matrix @ columns
        if self.dense is not None:
            result = result + (self.dense.spread @ (self.dense.total @ columns))
            own = columns if self.dense.own is None else columns * self.dense.own
            # With loops, the node that the complement's sum must lose is won back.
            result = result if self.loops and self.dense.own is None else result - own
        if self.loops and (self.dense is None or self.dense.own is not None):
            result = result + columns
        return result.reshape(values.shape)

    def mean(self, values: Tensor) -> Tensor:
        """Return the sum divided by Σ_j |w_ij|; nodes without neighbours get 0."""
        columns = values.flatten(1) if values.dim() > 1 else values.unsqueeze(1)
        return (self.sum(columns) / self.divisor).reshape(values.shape)


_CACHE: WeakKeyDictionary[Graph, dict[tuple[Place, bool, bool], Neighbours]] = WeakKeyDictionary()


def neighbours_of(
    graph: Graph, device: torch.device, dtype: torch.dtype, *, weighted: bool = False, loops: bool = False
) -> Neighbours:
    """Return the neighbour sums of a batch, made once a graph object.

    Args:
        graph: one or many graphs.
        device: where the tensors live.
        dtype: of their values.
        weighted: whether neighbours count by the weight of the edge; loops weigh 1.
        loops: whether every node is a neighbour of itself.

    Example:
        >>> path = Graph.from_edges([[0, 1], [1, 2]])
        >>> neighbours_of(path, torch.device("cpu"), torch.float32).sum(torch.tensor([1.0, 10.0, 100.0])).tolist()
        [10.0, 101.0, 10.0]
    """
    weighted = weighted and bool(np.any(graph.edge_weight != 1))
    made = _CACHE.setdefault(graph, {})
    place = Place(device, dtype)
    key = (place, weighted, loops)
    if key not in made:
        # Tensors made in inference mode could not be used for training later.
        with torch.inference_mode(False):
            made[key] = (_weighted if weighted else _plain)(graph, place, loops=loops)
    return made[key]


def _weighted(graph: Graph, place: Place, *, loops: bool) -> Neighbours:
    reach = graph.with_weights(edge_weight=np.abs(graph.edge_weight)).weighted_degree + loops
    matrix = symmetric_matrix(graph.edges, graph.edge_weight, graph.num_nodes, **place._asdict())
    divisor = torch.tensor(np.where(reach > 0, reach, 1.0), **place._asdict())
    return Neighbours(matrix, None, divisor.unsqueeze(1), loops)


def _plain(graph: Graph, place: Place, *, loops: bool) -> Neighbours:
    pairs, complemented = sparse_side(graph)
    inside = complemented[graph.graph_of_node]
    degree = np.bincount(pairs.reshape(-1), minlength=graph.num_nodes)
    # On dense graphs counting the complement's pairs is faster than counting edges.
    degree = np.where(inside, (np.diff(graph.node_ptr) - 1)[graph.graph_of_node] - degree, degree)
    divisor = torch.tensor(np.maximum(degree + loops, 1), **place._asdict()).unsqueeze(1)
    if not complemented.any():
        return Neighbours(symmetric_matrix(pairs, 1.0, graph.num_nodes, **place._asdict()), None, divisor, loops)
    sign = np.where(complemented, -1.0, 1.0)[graph.graph_of_node[pairs[0]]]
    matrix = symmetric_matrix(pairs, sign, graph.num_nodes, **place._asdict())
    nodes, size = np.flatnonzero(inside), (graph.num_graphs, graph.num_nodes)
    total = sparse_matrix(graph.graph_of_node[nodes], nodes, np.ones(len(nodes)), size, **place._asdict())
    own = None if inside.all() else torch.tensor(inside, **place._asdict()).unsqueeze(1)
    dense = Dense(total, SparseMatrix(size[::-1], total.transpose, total.forward), own)
    return Neighbours(matrix, dense, divisor, loops)
