"""Means over the nodes that a node conflicts with: those it must not be chosen together with.

Conflicts are read off the constraints on pairs. Where these are all pairs but some, as for cliques, the shorter list is
used: with A the listed pairs that do not conflict, the sum over conflicts is Σ_j x_j − x − A x in each graph.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from annealco.energy import AllPairs, Instance, Pairs
from annealco.energy.sparse import SparseMatrix, sparse_matrix, symmetric_matrix
from annealco.graph.errors import InputError
from annealco.graph.segments import segment_of
from annealco.models.neighbours import Place


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


def conflict_terms(instance: Instance) -> list[Pairs | AllPairs]:
    """Return the constraints of an instance, which must all be on pairs that exclude each other.

    Raises:
        InputError: where one is of another kind, or there are none.
    """
    terms = [constraint.term for constraint in instance.constraints]
    on_pairs = [term for term in terms if isinstance(term, Pairs | AllPairs) and np.all(term.coefficient > 0)]
    if not terms or len(on_pairs) < len(terms):
        raise InputError("this needs a problem whose constraints are pairs that exclude each other: mis or clique")
    return on_pairs


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
    size, place = instance.num_nodes, Place(device, dtype)._asdict()
    short = term.short_list if isinstance(term, AllPairs) else term
    pairs = term.excluded if isinstance(term, AllPairs) and short is None else short.pairs  # type: ignore[union-attr]
    matrix = symmetric_matrix(pairs, 1.0, size, **place)
    degree = np.bincount(pairs.reshape(-1), minlength=size)
    if short is not None:
        return Conflicts(matrix, None, torch.tensor(degree, **place).unsqueeze(1))
    nodes = np.arange(size)
    owner = segment_of(term.node_ptr, nodes)
    whole = sparse_matrix(owner, nodes, np.ones(size), (instance.num_graphs, size), **place)
    spread = SparseMatrix((size, instance.num_graphs), whole.transpose, whole.forward)
    count = (np.diff(term.node_ptr) - 1)[owner] - degree
    return Conflicts(matrix, (whole, spread), torch.tensor(count, **place).unsqueeze(1))
