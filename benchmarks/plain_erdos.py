"""The clique network of Karalias and Loukas as a user of PyG would write it: edge_index, GINConv, collated batches."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import leaky_relu
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GINConv, GraphSizeNorm, global_add_pool
from torch_geometric.utils import add_self_loops, scatter

from annealco.graph.graph import Graph


def to_data(graph: Graph) -> Data:
    """Return one graph with both directions of every edge."""
    both = np.concatenate([graph.edges, graph.edges[::-1]], axis=1).astype(np.int64)
    return Data(edge_index=torch.tensor(both), num_nodes=graph.num_nodes)


def _layer(width_in: int, width: int) -> GINConv:
    mlp = [nn.Linear(width_in, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.BatchNorm1d(width)]
    return GINConv(nn.Sequential(*mlp), train_eps=True)


class PlainErdos(nn.Module):
    """Four layers of width 512 around a random seed node."""

    def __init__(self, width: int = 512, num_layers: int = 4) -> None:
        super().__init__()
        self.layers = nn.ModuleList(_layer(width if layer else 1, width) for layer in range(num_layers))
        self.norms = nn.ModuleList(nn.BatchNorm1d(width) for _ in range(num_layers))
        self.size_norm = GraphSizeNorm()
        self.inner, self.outer = nn.Linear(width, 64), nn.Linear(64, 1)

    def forward(self, batch: Batch) -> Tensor:
        """Return logits, [num_nodes]."""
        edges, _ = add_self_loops(batch.edge_index, num_nodes=batch.num_nodes)
        counts = batch.ptr[1:] - batch.ptr[:-1]
        seeds = batch.ptr[:-1] + (torch.rand(len(counts)) * counts).long()
        values = torch.zeros(batch.num_nodes, 1).index_fill(0, seeds, 1.0)
        ball = values
        for number, (layer, norm) in enumerate(zip(self.layers, self.norms, strict=True)):
            ball = scatter(ball[edges[0]], edges[1], dim_size=batch.num_nodes, reduce="max")
            out = leaky_relu(layer(values, edges))
            out = values + out if number else out
            values = norm(self.size_norm(out * ball, batch.batch))
        return self.outer(leaky_relu(self.inner(values)) * ball).squeeze(1)


def energy(batch: Batch, logits: Tensor, *, dense: bool) -> Tensor:
    """Return the mean energy: of independent sets, or of cliques where ``dense``."""
    probability = torch.sigmoid(logits)
    low, high = batch.edge_index
    edges = 0.5 * global_add_pool(probability[low] * probability[high], batch.batch[low], size=batch.num_graphs)
    size = global_add_pool(probability, batch.batch)
    if not dense:
        return (edges - size).mean()
    every = 0.5 * (size**2 - global_add_pool(probability**2, batch.batch))
    return (every - edges - size).mean()


def collate(data: list[Data], picked: list[int]) -> Batch:
    """Return a batch, as PyG's loader makes it."""
    return Batch.from_data_list([data[index] for index in picked])
