import numpy as np
import pytest
import torch
from torch_geometric.nn import GATConv, GINConv

from annealco.graph.generators.erdos_renyi import erdos_renyi
from annealco.models.erdos_layers import SampledGAT, SummingGIN
from annealco.models.neighbours import neighbour_sums


def draw(density):
    graph = erdos_renyi(np.random.default_rng(0), num_nodes=15, edge_probability=density)
    edges = torch.tensor(np.concatenate([graph.edges, graph.edges[::-1]], axis=1).astype(np.int64))
    return graph, edges


@pytest.mark.parametrize("density", [0.2, 0.9])
@pytest.mark.parametrize("train_eps", [False, True])
def test_the_layer_equals_that_of_pyg_with_its_gradients(density, train_eps):
    graph, edges = draw(density)
    torch.manual_seed(0)
    layer = SummingGIN(4, 6, train_eps=train_eps)
    if train_eps:
        layer.eps.data.fill_(0.3)
    values = torch.randn(15, 1, 4)
    results = []
    for run in (
        lambda given: layer(given, neighbour_sums(graph, torch.device("cpu"), torch.float32)),
        lambda given: GINConv.forward(layer, given[:, 0], edges).unsqueeze(1),
    ):
        given = values.clone().requires_grad_()
        layer.zero_grad()
        out = run(given)
        out.sin().sum().backward()
        gradients = [parameter.grad.clone() for parameter in layer.parameters()]
        results.append([out.detach(), given.grad, *gradients])
    for ours, theirs in zip(*results, strict=True):
        assert torch.allclose(ours, theirs, atol=1e-5)


def test_attention_equals_that_of_pyg_in_every_sample():
    graph, edges = draw(0.3)
    torch.manual_seed(0)
    layer = SampledGAT(4, 3, heads=2)
    values = torch.randn(15, 2, 4)
    out = layer(values, graph)
    assert out.shape == (15, 2, 6)
    for sample in range(2):
        assert torch.allclose(out[:, sample], GATConv.forward(layer, values[:, sample], edges), atol=1e-6)
