"""Sum over neighbours by a sparse matrix product, on the sparser side of each graph.

With A the adjacency of a graph and Ā that of its complement, A x = Σ_j x_j − x − Ā x: on a graph with more than half of
all pairs the right side is the cheaper one. A batch may mix both kinds.

Means over the nodes that a node conflicts with: those it must not be chosen together with.

Conflicts are read off the constraints on pairs. Where these are all pairs but some, as for cliques, the shorter list is
used: with A the listed pairs that do not conflict, the sum over conflicts is Σ_j x_j − x − A x in each graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor

from annealco.arrays import segment_of
from annealco.energy import AllPairs, Instance, Pairs
from annealco.energy.expectation import Place
from annealco.energy.sparse import SparseMatrix, sparse_matrix, symmetric_matrix
from annealco.energy.structure import structure_of
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.operations import sparse_side


@dataclass(frozen=True, eq=False)
class Dense:
    """What a sum over the complement lacks: the sum over the whole graph, for nodes of dense graphs.

    Attributes:
        total: [num_graphs, num_nodes], 1 where a node is in a dense graph.
        spread: its transpose.
    """

    total: SparseMatrix
    spread: SparseMatrix


@dataclass(frozen=True, eq=False)
class NeighbourSums:
    """The neighbour sums of a batch of graphs on a device; `neighbour_sums` makes and keeps them.

    Attributes:
        matrix: A on sparse graphs and −Ā on dense ones.
        dense: what turns −Ā into A; None where all graphs are sparse.
        own: how often a node counts itself, beside the products above: a number, or [num_nodes, 1].
        divisor: [num_nodes, 1] what a sum is divided by for the mean, at least 1 where edges weigh 1.
    """

    matrix: SparseMatrix
    dense: Dense | None
    own: float | Tensor
    divisor: Tensor

    def sum(self, values: Tensor, own: Tensor | None = None) -> Tensor:
        """Return Σ_{j∈N(i)} w_ij x_j + own · x_i in the shape of the values, [num_nodes, ...]."""
        columns = values.flatten(1) if values.dim() > 1 else values.unsqueeze(1)
        result = self.matrix @ columns
        if self.dense is not None:
            result = result + (self.dense.spread @ (self.dense.total @ columns))
        if own is not None:
            result = torch.addcmul(result, columns, own + self.own)
        elif isinstance(self.own, Tensor):
            result = torch.addcmul(result, columns, self.own)
        elif self.own:
            result = torch.add(result, columns, alpha=self.own)
        return result.reshape(values.shape)

    def mean(self, values: Tensor) -> Tensor:
        """Return the sum divided by Σ_j |w_ij|; nodes without neighbours get 0."""
        columns = values.flatten(1) if values.dim() > 1 else values.unsqueeze(1)
        return (self.sum(columns) / self.divisor).reshape(values.shape)


_CACHE: WeakKeyDictionary[Graph, dict[tuple[Place, bool, bool], NeighbourSums]] = WeakKeyDictionary()


def neighbour_sums(
    graph: Graph, device: torch.device, dtype: torch.dtype, *, weighted: bool = False, loops: bool = False
) -> NeighbourSums:
    """Return the neighbour sums of a batch, made once a graph object.

    Args:
        graph: one or many graphs.
        device: where the tensors live.
        dtype: of their values.
        weighted: whether neighbours count by the weight of the edge; loops weigh 1.
        loops: whether every node is a neighbour of itself.

    Example:
        >>> path = Graph.from_edges([[0, 1], [1, 2]])
        >>> neighbour_sums(path, torch.device("cpu"), torch.float32).sum(torch.tensor([1.0, 10.0, 100.0])).tolist()
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


def _weighted(graph: Graph, place: Place, *, loops: bool) -> NeighbourSums:
    reach = graph.with_weights(edge_weight=np.abs(graph.edge_weight)).weighted_degree + loops
    matrix = symmetric_matrix(graph.edges, graph.edge_weight, graph.num_nodes, device=place.device, dtype=place.dtype)
    divisor = place.tensor(np.where(reach > 0, reach, 1.0))
    return NeighbourSums(matrix, None, float(loops), divisor)


def _plain(graph: Graph, place: Place, *, loops: bool) -> NeighbourSums:
    pairs, complemented = sparse_side(graph)
    inside = complemented[graph.graph_of_node]
    degree = np.bincount(pairs.reshape(-1), minlength=graph.num_nodes)
    # On dense graphs counting the complement's pairs is faster than counting edges.
    degree = np.where(inside, (np.diff(graph.node_ptr) - 1)[graph.graph_of_node] - degree, degree)
    divisor = place.tensor(np.maximum(degree + loops, 1))
    if not complemented.any():
        matrix = symmetric_matrix(pairs, 1.0, graph.num_nodes, device=place.device, dtype=place.dtype)
        return NeighbourSums(matrix, None, float(loops), divisor)
    sign = np.where(complemented, -1.0, 1.0)[graph.graph_of_node[pairs[0]]]
    matrix = symmetric_matrix(pairs, sign, graph.num_nodes, device=place.device, dtype=place.dtype)
    nodes, size = np.flatnonzero(inside), (graph.num_graphs, graph.num_nodes)
    total = sparse_matrix(
        graph.graph_of_node[nodes], nodes, np.ones(len(nodes)), size, device=place.device, dtype=place.dtype
    )
    # The sum over the whole graph has the node itself once too often, unless it is its own neighbour.
    own = float(loops) - 1.0 if inside.all() else place.tensor(float(loops) - inside)
    return NeighbourSums(matrix, Dense(total, SparseMatrix(size[::-1], total.transpose, total.forward)), own, divisor)


@dataclass(frozen=True, eq=False)
class Conflicts:
    """The conflicts of a batch on a device.

    Attributes:
        matrix: of the listed pairs, [num_nodes, num_nodes].
        total: [num_graphs, num_nodes], 1 where a node is in a graph, and its transpose; None where conflicts are
            listed.
        count: [num_nodes, 1] how many conflicts a node has.
    """

    matrix: SparseMatrix
    total: tuple[SparseMatrix, SparseMatrix] | None
    count: Tensor

    def mean(self, values: Tensor) -> Tensor:
        """Return the mean over conflicts of [num_nodes, k], 0 for a node without any."""
        result = self.matrix @ values
        if self.total is not None:
            whole, spread = self.total
            result = (spread @ (whole @ values)) - values - result
        return result / self.count.clamp(min=1)


def conflict_terms(instance: Instance) -> tuple[Pairs | AllPairs, ...]:
    """Return the constraints of an instance, which must all be on pairs that exclude each other.

    Raises:
        InputError: where one is of another kind, or there are none.
    """
    terms = structure_of(instance).conflict_terms
    if not terms:
        raise InputError("this needs a problem whose constraints are pairs that exclude each other: mis or clique")
    return terms


def conflicts_of(instance: Instance, device: torch.device, dtype: torch.dtype) -> Conflicts:
    """Read the conflicts of an instance with one constraint on pairs.

    Example:
        >>> ptr = np.array([0, 3])
        >>> all_but_one = AllPairs(ptr, np.ones(3), excluded=np.array([[0], [1]]))
        >>> from annealco.energy import Constraint
        >>> instance = Instance(ptr, (), (Constraint(all_but_one, np.ones(3)),))
        >>> conflicts_of(instance, torch.device("cpu"), torch.float32).count.flatten().tolist()
        [1.0, 1.0, 2.0]
    """
    [term, *others] = conflict_terms(instance)
    if others:
        raise InputError(f"this needs one constraint on pairs, there are {1 + len(others)}")
    size, place = instance.num_nodes, Place(device, dtype)
    short = term.short_list if isinstance(term, AllPairs) else term
    pairs = term.excluded if isinstance(term, AllPairs) and short is None else short.pairs  # type: ignore[union-attr]
    matrix = symmetric_matrix(pairs, 1.0, size, device=device, dtype=dtype)
    degree = np.bincount(pairs.reshape(-1), minlength=size)
    if short is not None:
        return Conflicts(matrix, None, place.tensor(degree))
    nodes = np.arange(size)
    owner = segment_of(term.node_ptr, nodes)
    whole = sparse_matrix(owner, nodes, np.ones(size), (instance.num_graphs, size), device=device, dtype=dtype)
    spread = SparseMatrix((size, instance.num_graphs), whole.transpose, whole.forward)
    count = (np.diff(term.node_ptr) - 1)[owner] - degree
    return Conflicts(matrix, (whole, spread), place.tensor(count))
