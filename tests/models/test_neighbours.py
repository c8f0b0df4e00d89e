from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
import torch
from torch_geometric.nn import GINConv

from annealco.errors import InputError
from annealco.graph.generators.erdos_renyi import erdos_renyi
from annealco.graph.graph import Graph
from annealco.models.neighbours import conflict_terms, conflicts_of, neighbour_sums
from annealco.problems import PROBLEMS

DOUBLE = (torch.device("cpu"), torch.float64)
DENSITIES = [(0.2, 0.3), (0.9, 0.8), (0.1, 0.95, 1.0, 0.0)]


def draw(densities, weighted=False):
    rng = np.random.default_rng(0)
    graph = Graph.batch([erdos_renyi(rng, num_nodes=11, edge_probability=p) for p in densities])
    return graph.with_weights(edge_weight=rng.normal(size=graph.num_edges)) if weighted else graph


def adjacency(graph, weighted, loops):
    dense = np.zeros((graph.num_nodes, graph.num_nodes))
    for (u, v), weight in zip(graph.edges.T, graph.edge_weight, strict=True):
        dense[u, v] = dense[v, u] = weight if weighted else 1.0
    return torch.tensor(dense + np.eye(graph.num_nodes) * loops)


@pytest.mark.parametrize("densities", DENSITIES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loops", [False, True])
def test_sums_means_and_gradients_equal_those_of_the_adjacency(densities, weighted, loops):
    graph = draw(densities, weighted)
    neighbours = neighbour_sums(graph, *DOUBLE, weighted=weighted, loops=loops)
    dense = adjacency(graph, weighted, loops)
    generator = torch.Generator().manual_seed(0)
    values = torch.randn(graph.num_nodes, 2, 3, dtype=torch.float64, generator=generator, requires_grad=True)
    expected = torch.einsum("ij,jsk->isk", dense, values)
    assert torch.allclose(neighbours.sum(values), expected)
    reach = dense.abs().sum(1)
    mean = expected / torch.where(reach > 0, reach, 1.0)[:, None, None]
    assert torch.allclose(neighbours.mean(values), mean)
    assert torch.allclose(neighbours.sum(values[:, 0, 0]), expected[:, 0, 0])
    ours, theirs = (torch.autograd.grad(each.sin().sum(), values)[0] for each in (neighbours.sum(values), expected))
    assert torch.allclose(ours, theirs)


@pytest.mark.parametrize("densities", DENSITIES)
def test_the_sum_equals_the_aggregation_of_pyg(densities):
    graph = draw(densities)
    values = torch.randn(graph.num_nodes, 16, generator=torch.Generator().manual_seed(0))
    edges = torch.tensor(np.concatenate([graph.edges, graph.edges[::-1]], axis=1).astype(np.int64))
    # Of a layer with the identity as MLP and ε = −1 only the sum is left.
    aggregated = GINConv(torch.nn.Identity(), eps=-1.0)(values, edges)
    ours = neighbour_sums(graph, torch.device("cpu"), torch.float32).sum(values)
    assert torch.allclose(ours, aggregated, atol=1e-5)


def test_a_dense_graph_is_summed_over_its_complement():
    matrix = neighbour_sums(draw((0.9,)), *DOUBLE).matrix.forward
    assert matrix.values().eq(-1).all()
    assert len(matrix.values()) < 11 * 10 / 2


def test_sums_are_made_once_a_graph_and_go_with_it():
    graph = draw((0.3,))
    made = neighbour_sums(graph, *DOUBLE)
    assert neighbour_sums(graph, *DOUBLE) is made
    assert neighbour_sums(graph, *DOUBLE, loops=True) is not made
    # Weights that are all 1 need no matrix of their own.
    assert neighbour_sums(graph, *DOUBLE, weighted=True) is made
    alive = weakref.ref(made)
    del graph, made
    gc.collect()
    assert alive() is None


def test_training_works_after_a_sum_in_inference_mode():
    graph = draw((0.9,))
    with torch.inference_mode():
        neighbour_sums(graph, *DOUBLE).sum(torch.zeros(11, dtype=torch.float64))
    values = torch.zeros(11, dtype=torch.float64, requires_grad=True)
    neighbour_sums(graph, *DOUBLE).sum(values).sum().backward()
    assert values.grad.tolist() == graph.degree.tolist()


@pytest.mark.parametrize("size", [0, 1])
def test_graphs_without_edges(size):
    graph = Graph.from_edges(np.zeros((2, 0), int), size)
    values = torch.ones(size, 3, dtype=torch.float64)
    assert neighbour_sums(graph, *DOUBLE).sum(values).tolist() == [[0.0] * 3] * size
    assert neighbour_sums(graph, *DOUBLE, loops=True).mean(values).tolist() == [[1.0] * 3] * size


PLACE = {"device": torch.device("cpu"), "dtype": torch.float64}


def draw_batch(*densities: float) -> Graph:
    rng = np.random.default_rng(2)
    return Graph.batch([erdos_renyi(rng, num_nodes=9, edge_probability=each) for each in densities])


def slow_mean(graph: Graph, values: np.ndarray, joined: bool) -> np.ndarray:
    """Means over joined, or not joined, nodes of the same graph, node by node."""
    result = np.zeros_like(values)
    for node in range(graph.num_nodes):
        near = set(graph.neighbours(node).tolist())
        own = graph.graph_of_node[node]
        others = [i for i in range(graph.num_nodes) if i != node and graph.graph_of_node[i] == own]
        heard = [i for i in others if (i in near) == joined]
        if heard:
            result[node] = values[heard].mean(axis=0)
    return result


@pytest.mark.parametrize("densities", [(0.2, 0.3), (0.8, 0.9), (0.1, 0.9), (0.0, 0.0), (1.0, 1.0)])
@pytest.mark.parametrize(("name", "joined"), [("mis", True), ("clique", False)])
def test_means_are_those_over_the_conflicting_nodes(name: str, joined: bool, densities: tuple[float, ...]) -> None:
    graph = draw_batch(*densities)
    values = np.random.default_rng(0).normal(size=(graph.num_nodes, 3))
    found = conflicts_of(PROBLEMS[name].declare(graph), **PLACE).mean(torch.from_numpy(values))
    np.testing.assert_allclose(found.numpy(), slow_mean(graph, values, joined), atol=1e-12)


def test_the_shorter_list_is_used_on_both_sides() -> None:
    sparse, dense = (conflicts_of(PROBLEMS["clique"].declare(draw_batch(each)), **PLACE) for each in (0.2, 0.9))
    assert sparse.total is not None
    assert dense.total is None


@pytest.mark.parametrize("name", ["mds", "cut", "vertex_cover", "max_cut"])
def test_other_constraints_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="constraints are pairs that exclude each other"):
        conflict_terms(PROBLEMS[name].declare(draw_batch(0.5)))
