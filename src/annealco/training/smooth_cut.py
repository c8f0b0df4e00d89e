"""Smooth relaxations of a cut, the losses of the L1 and the L2 network (Karalias and Loukas, 2020).

Of a graph they are Σ w_uv |φ_u − φ_v| and Σ w_uv (φ_u − φ_v)², plus the critical penalty on the mean volume where it is
outside of the box, and on a seed node that is left out. On sets both are the cut. Neither is an expectation, and both
are 0 where all φ are alike: a network needs its min–max head to be kept from that.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor

from annealco.energy import Energy, Instance, Linear, Pairs
from annealco.graph.errors import InputError
from annealco.graph.segments import FloatArray, IntArray, scatter_sum, segment_of


@dataclass(frozen=True, eq=False)
class SmoothCut:
    """Σ w_uv |φ_u − φ_v|^power and penalties.

    Attributes:
        pairs: [2, num_pairs].
        weight: w, [num_pairs].
        power: 1 or 2.
        penalty: what is added, its range taken at the mean.
    """

    pairs: IntArray
    weight: FloatArray
    power: int
    penalty: Energy

    @property
    def node_ptr(self) -> IntArray:
        return self.penalty.node_ptr

    def expectation(self, logits: Tensor) -> Tensor:
        """Return the loss of Q, [num_nodes, ...] logits to [num_graphs, ...]; differentiable."""
        columns = logits.flatten(1) if logits.dim() > 1 else logits.unsqueeze(1)
        probability = torch.sigmoid(columns)
        low, high = torch.as_tensor(self.pairs, device=logits.device)
        weight = torch.as_tensor(self.weight, device=logits.device, dtype=logits.dtype).unsqueeze(1)
        owner = torch.as_tensor(segment_of(self.node_ptr, self.pairs[0]), device=logits.device)
        each = weight * (probability[low] - probability[high]).abs() ** self.power
        total = each.new_zeros(len(self.node_ptr) - 1, columns.shape[1]).index_add(0, owner, each)
        return total.reshape(len(self.node_ptr) - 1, *logits.shape[1:]) + self.penalty.expectation(logits)


def smooth_cut(instance: Instance, penalty_scale: float = 1.0, *, power: int) -> SmoothCut:
    """Read a cut off an instance.

    Raises:
        InputError: where the objective is no cut.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> path = PROBLEMS["max_cut"].declare(Graph.from_edges([[0, 1], [1, 2]]))
        >>> logits = torch.tensor([-99.0, 0.0, 99.0])
        >>> [smooth_cut(path, power=power).expectation(logits).item() for power in (1, 2)]  # what is maximised is < 0
        [-1.0, -0.5]
    """
    linear = [term for term in instance.objective if isinstance(term, Linear)]
    crossing = [term for term in instance.objective if isinstance(term, Pairs)]
    pairs = np.concatenate([np.zeros((2, 0), np.int64), *(term.pairs for term in crossing)], axis=1).astype(np.int64)
    weight = -0.5 * np.concatenate([np.zeros(0), *(term.coefficient for term in crossing)])
    ends = scatter_sum(np.concatenate([weight, weight]), pairs.reshape(-1), instance.num_nodes)
    given = sum((term.coefficient for term in linear), start=np.zeros(instance.num_nodes))
    # Σ w [x_u ≠ x_v] = Σ_i x_i Σ_j w_ij − 2 Σ w x_u x_v.
    if len(linear) + len(crossing) < len(instance.objective) or not np.allclose(given, ends):
        raise InputError(f"the loss 'l{power}' needs a problem whose objective is a cut, such as cut")
    terms = instance.energy(penalty_scale, range_method="plugin").terms[len(instance.objective) :]
    return SmoothCut(pairs, weight, power, Energy(instance.node_ptr, terms))


l1, l2 = partial(smooth_cut, power=1), partial(smooth_cut, power=2)
