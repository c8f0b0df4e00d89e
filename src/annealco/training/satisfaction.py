"""The loss of RUN-CSP (Tönshoff et al., 2021) for sets without a conflicting pair.

Of a graph it is, with φ the probabilities after one step,

    (1 + s · mean over conflicting pairs of −log(1 − φ_u φ_v)) · (1 + mean over nodes of (1 − φ_i)):

the chance that a constraint holds is 1 − φ_u φ_v, and larger sets are better. s is the penalty's scale; their κ, which
stands where 1 does, is 1/s up to a factor. The steps of the network are weighted by the network (0.95^age). Nodes count
alike, whatever they weigh. Conflicts are listed, also those of a clique in a sparse graph.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from annealco.energy import AllPairs, Instance
from annealco.graph.segments import IntArray, segment_of
from annealco.models.conflicts import conflict_terms


@dataclass(frozen=True, eq=False)
class Satisfaction:
    """The loss on an instance.

    Attributes:
        node_ptr: [num_graphs + 1] node offsets.
        pairs: [2, num_pairs] that conflict.
        scale: s.
    """

    node_ptr: IntArray
    pairs: IntArray
    scale: float

    def expectation(self, logits: Tensor) -> Tensor:
        """Return the loss of Q, [num_nodes, ...] logits to [num_graphs, ...]; differentiable."""
        columns = logits.flatten(1) if logits.dim() > 1 else logits.unsqueeze(1)
        low, high = torch.as_tensor(self.pairs, device=logits.device, dtype=torch.int64)
        present, absent = logsigmoid(columns), logsigmoid(-columns)
        # 1 − φ_u φ_v = (1 − φ_u) + φ_u (1 − φ_v), which loses no digits where both are near 1.
        held = torch.logaddexp(absent[low], present[low] + absent[high])
        unhappy = -self._mean(held, segment_of(self.node_ptr, self.pairs[0]))
        missing = self._mean(torch.sigmoid(-columns), segment_of(self.node_ptr, np.arange(self.node_ptr[-1])))
        loss = (1 + self.scale * unhappy) * (1 + missing)
        return loss.reshape(len(self.node_ptr) - 1, *logits.shape[1:])

    def _mean(self, values: Tensor, owner: IntArray) -> Tensor:
        """Return the mean of [n, k] in each graph, 0 where there is nothing."""
        num_graphs = len(self.node_ptr) - 1
        count = np.maximum(np.bincount(owner, minlength=num_graphs), 1)
        sums = values.new_zeros(num_graphs, values.shape[1])
        sums = sums.index_add(0, torch.as_tensor(owner, device=values.device), values)
        return sums / torch.as_tensor(count, device=values.device, dtype=values.dtype).unsqueeze(1)


def satisfaction(instance: Instance, penalty_scale: float = 1.0) -> Satisfaction:
    """Read the conflicting pairs off an instance.

    Raises:
        InputError: where the instance has other constraints than pairs that exclude each other.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> edge = PROBLEMS["mis"].declare(Graph.from_edges([[0], [1]]))
        >>> round(satisfaction(edge).expectation(torch.zeros(2)).item(), 4)  # (1 − log ¾) · (1 + ½)
        1.9315
    """
    terms = conflict_terms(instance)
    listed = [term.listed().pairs if isinstance(term, AllPairs) else term.pairs for term in terms]
    return Satisfaction(instance.node_ptr, np.concatenate(listed, axis=1).astype(np.int64), penalty_scale)
