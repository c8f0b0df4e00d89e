"""The loss of Karalias and Loukas (2020) for cuts: the expected cut after Q was scaled to a target volume.

At every step each graph gets a target T = f · (its volume) with f uniform in 0.1 to 0.95, and probabilities become
φ' = min(a φ, 1) with the a for which Σ d_i φ'_i = T. There is no penalty: the scale keeps the volume. Gradients flow
through a. They draw f below 0.1 + 0.85 · (the share of the volume that the network sees from the seed node); six
layers see all or nearly all of the graphs here, so the share is taken as 1. They stop scaling at 25 % of the target, or
after 30 rounds; here it ends when it is met, or after 30 rounds.

Targets come from torch's own generator, which training seeds at every step: several processes draw others than one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from annealco.energy import Energy, Instance, Range
from annealco.graph.errors import InputError
from annealco.graph.segments import FloatArray, IntArray, segment_of

LEAST_SHARE, SHARE_RANGE = 0.1, 0.85
MAX_ROUNDS = 30
LEAST_PROBABILITY = 1e-6
"""Scaled probabilities end here: logits of 0 and 1 are infinite."""


@dataclass(frozen=True, eq=False)
class TargetVolume:
    """The expected objective of Q scaled to a random volume.

    Attributes:
        objective: what is expected.
        weight: d, [num_nodes], not negative.
    """

    objective: Energy
    weight: FloatArray

    @property
    def node_ptr(self) -> IntArray:
        return self.objective.node_ptr

    def expectation(self, logits: Tensor) -> Tensor:
        """Return the loss of Q, [num_nodes, ...] logits to [num_graphs, ...]; differentiable."""
        columns = logits.flatten(1) if logits.dim() > 1 else logits.unsqueeze(1)
        num_graphs = len(self.node_ptr) - 1
        share = LEAST_SHARE + SHARE_RANGE * torch.rand(num_graphs, columns.shape[1])
        scaled = scale_to(self.node_ptr, self.weight, torch.sigmoid(columns), share.to(columns))
        again = torch.logit(scaled.clamp(LEAST_PROBABILITY, 1 - LEAST_PROBABILITY))
        return self.objective.expectation(again).reshape(num_graphs, *logits.shape[1:])


def scale_to(node_ptr: IntArray, weight: FloatArray, probability: Tensor, share: Tensor) -> Tensor:
    """Return min(a φ, 1) with the a of each graph for which the mean volume is a share of the whole.

    Args:
        node_ptr: [num_graphs + 1] node offsets.
        weight: d, [num_nodes].
        probability: φ, [num_nodes, k].
        share: [num_graphs, k] of Σ d_i.

    Example:
        >>> chances = torch.tensor([[0.8], [0.4], [0.2]])
        >>> scale_to(np.array([0, 3]), np.ones(3), chances, torch.tensor([[0.6]])).flatten().tolist()
        [1.0, 0.5333333611488342, 0.2666666805744171]
    """
    num_graphs, size = len(node_ptr) - 1, int(node_ptr[-1])
    owner = torch.as_tensor(segment_of(node_ptr, np.arange(size)), device=probability.device)
    volume = torch.as_tensor(weight, device=probability.device, dtype=probability.dtype).unsqueeze(1)

    def total(values: Tensor) -> Tensor:
        return values.new_zeros(num_graphs, values.shape[1]).index_add(0, owner, values)

    def factor(full: Tensor) -> Tensor:
        left = total(volume.expand_as(probability)) * share - total(volume * full)
        free = total(volume * probability * ~full)
        return (left.clamp(min=0) / free.clamp(min=torch.finfo(free.dtype).tiny))[owner]

    # Which nodes are full is found first: each round scales the others to what is left, which fills more.
    full = torch.zeros_like(probability, dtype=torch.bool)
    with torch.no_grad():
        for _ in range(MAX_ROUNDS):
            more = full | (factor(full) * probability >= 1)
            if bool((more == full).all()):
                break
            full = more
    return torch.where(full, 1.0, (factor(full) * probability).clamp(max=1.0))


def target_volume(instance: Instance) -> TargetVolume:
    """Read what has a volume off an instance: its one range.

    Raises:
        InputError: where it has another number of ranges than one.
    """
    ranges = [each.term for each in instance.constraints if isinstance(each.term, Range)]
    if len(ranges) != 1:
        raise InputError(f"a target volume needs one range, there are {len(ranges)}")
    return TargetVolume(Energy(instance.node_ptr, instance.objective), ranges[0].weight)
