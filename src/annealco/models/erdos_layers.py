"""Layers of `torch_geometric` with the neighbour sums of this package."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.nn import GATConv, GINConv

from annealco.graph.graph import Graph
from annealco.models.model import BatchNorm
from annealco.models.neighbours import NeighbourSums


class SummingGIN(GINConv):  # type: ignore[misc]
    """A graph isomorphism layer, MLP((1 + ε) x + Σ_j x_j), whose sum is one sparse product for all samples.

    The MLP is Linear–ReLU–Linear–ReLU–BatchNorm.
    """

    def __init__(self, width_in: int, width: int, *, train_eps: bool) -> None:
        super().__init__(
            nn.Sequential(
                nn.Linear(width_in, width),
                nn.ReLU(inplace=True),
                nn.Linear(width, width),
                nn.ReLU(inplace=True),
                BatchNorm(width),
            ),
            train_eps=train_eps,
        )

    def forward(self, values: Tensor, neighbours: NeighbourSums) -> Tensor:
        """Map [num_nodes, num_samples, width_in] to [num_nodes, num_samples, width]."""
        mixed = neighbours.sum(values, 1 + self.eps)
        return self.nn(mixed.flatten(0, 1)).unflatten(0, values.shape[:2])  # type: ignore[no-any-return]


class SampledGAT(GATConv):  # type: ignore[misc]
    """A graph attention layer that treats every sample alike; heads are concatenated."""

    def __init__(self, width_in: int, width: int, *, heads: int) -> None:
        super().__init__(width_in, width, heads=heads)

    def forward(self, values: Tensor, graph: Graph) -> Tensor:
        """Map [num_nodes, num_samples, width_in] to [num_nodes, num_samples, heads · width]."""
        both = np.concatenate([graph.edges, graph.edges[::-1]], axis=1).astype(np.int64)
        edges = torch.tensor(both, device=values.device)
        samples: list[Any] = [super(SampledGAT, self).forward(each, edges) for each in values.unbind(1)]
        return torch.stack(samples, dim=1)
