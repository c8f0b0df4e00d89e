"""A small network: two rounds in which nodes hear the mean of their neighbours."""

import torch
from torch import nn


class NeighbourMean(nn.Module):
    """Two rounds of neighbour means."""

    def __init__(self, *, width=16):
        super().__init__()
        self.first = nn.LazyLinear(width)
        self.second = nn.Linear(2 * width, width)
        self.last = nn.Linear(2 * width, 1)

    def forward(self, x, edge_index):
        """Return logits, [num_nodes]; x is [num_nodes, num_features], edge_index [2, num_arcs]."""
        states = torch.relu(self.first(x))
        states = torch.relu(self.second(self.heard(states, edge_index)))
        return self.last(self.heard(states, edge_index)).squeeze(1)

    @staticmethod
    def heard(states, edge_index):
        """Return each node's state and the mean of its neighbours', side by side."""
        source, target = edge_index
        total = torch.zeros_like(states).index_add(0, target, states[source])
        count = states.new_zeros(len(states), 1).index_add(0, target, states.new_ones(len(target), 1))
        return torch.cat([states, total / count.clamp(min=1)], dim=1)
