"""The loss of Karalias and Loukas (2020), for problems of the form "no two of the chosen conflict".

Of a graph it is

    ½ (c · D − W),        D = Σ φ_i φ_j over conflicting pairs,        W = Σ φ_i φ_j over all others,

with c = 4. Conflicting are, for an independent set, the edges; for a clique, the pairs that are not joined. It rewards
the number of compatible pairs inside the set, where the energy rewards the set's weight, and it is not annealed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from torch import Tensor

from annealco.energy import AllPairs, Energy, Instance, Pairs
from annealco.graph.errors import InputError
from annealco.graph.segments import IntArray
from annealco.models.conflicts import conflict_terms

CONFLICT_WEIGHT = 4.0
"""c."""


@dataclass(frozen=True, eq=False)
class PairMass:
    """½ (c · D − W).

    Attributes:
        conflicting: D.
        compatible: W.
        conflict_weight: c.
    """

    conflicting: Energy
    compatible: Energy
    conflict_weight: float

    @property
    def node_ptr(self) -> IntArray:
        return self.conflicting.node_ptr

    def expectation(self, logits: Tensor) -> Tensor:
        """Return the loss under Q, [num_nodes, ...] logits to [num_graphs, ...]; exact and differentiable."""
        conflicts = self.conflicting.expectation(logits)
        return 0.5 * (self.conflict_weight * conflicts - self.compatible.expectation(logits))


def pair_mass(instance: Instance, penalty_scale: float = 1.0) -> PairMass:
    """Read the conflicting pairs off an instance; the penalty's scale multiplies c.

    Pairs count alike, whatever their nodes weigh.

    Raises:
        InputError: where the instance has another kind of constraint than one on pairs that exclude each other.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> path = Graph.from_edges([[0, 1], [1, 2]])
        >>> import torch
        >>> pair_mass(PROBLEMS["mis"].declare(path)).expectation(torch.zeros(3)).item()  # ½ (4 · 2 − 1) / 4
        0.875
    """
    [term, *others] = conflict_terms(instance)
    if others:
        raise InputError(f"the loss 'kl' needs one constraint on pairs, there are {1 + len(others)}")
    ptr, pairs = instance.node_ptr, term.pairs if isinstance(term, Pairs) else term.excluded
    listed = Energy(ptr, (Pairs(ptr, pairs, np.ones(pairs.shape[1])),))
    unlisted = Energy(ptr, (AllPairs(ptr, np.ones(instance.num_nodes), excluded=pairs),))
    conflicting, compatible = (listed, unlisted) if isinstance(term, Pairs) else (unlisted, listed)
    return PairMass(conflicting, compatible, CONFLICT_WEIGHT * penalty_scale)
