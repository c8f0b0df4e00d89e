"""Q, the product distribution: every node is chosen independently, with probability sigmoid(logit)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor
from torch.nn.functional import softplus


@dataclass(frozen=True, eq=False)
class ProductDistribution:
    """What terms read off the logits, each computed once and without cancellation for large logits.

    Attributes:
        logits: [num_nodes, num_samples], float32 or float64.
    """

    logits: Tensor

    @cached_property
    def probability(self) -> Tensor:
        """φ = P(x_i = 1)."""
        return torch.sigmoid(self.logits)

    @cached_property
    def variance(self) -> Tensor:
        """φ (1 − φ), where 1 − φ = sigmoid(−logit) keeps its digits."""
        return self.probability * torch.sigmoid(-self.logits)

    @cached_property
    def miss(self) -> Tensor:
        """−log(1 − φ) = softplus(logit), so that Π (1 − φ_i) = exp(−Σ miss_i)."""
        return softplus(self.logits)

    @cached_property
    def entropy(self) -> Tensor:
        """−φ log φ − (1 − φ) log(1 − φ) of every node, in nats."""
        size = self.logits.abs()
        return softplus(-size) + size * torch.sigmoid(-size)
