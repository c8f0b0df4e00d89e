import numpy as np
import pytest
import torch

from annealco.energy import Instance, Linear
from annealco.graph.generators.erdos_renyi import erdos_renyi
from annealco.graph.graph import Graph
from annealco.graph.operations import complement
from annealco.models.surroundings import NUM_SURROUNDINGS, objective_scale, surroundings
from annealco.problems import PROBLEMS

PLACE = (torch.device("cpu"), torch.float64)


def test_columns_of_a_weighted_star():
    star = Graph.from_edges(
        [[0, 0, 0, 4], [1, 2, 3, 5]], 8, node_weight=[3, 1, 1, 1, 1, 1, 0, 0], edge_weight=[2, 2, 2, 6]
    )
    columns = surroundings(star, *PLACE).numpy()
    assert columns.shape == (8, NUM_SURROUNDINGS)
    assert columns[0, 0] == pytest.approx(np.log(4) / 4)
    assert columns[:, 1].tolist() == [2, 0, 0, 0, 0, 0, -1, -1]
    assert columns[:, 2].tolist() == [0] * 8
    assert columns[:, 3].tolist() == [2, 0, 0, 0, 0, 0, -1, -1]
    assert columns[4, 4] == pytest.approx(6 / (20 / 8) - 1)
    assert columns[:, 5].tolist() == pytest.approx((star.degree / 7).tolist())


def test_a_dense_graph_has_the_degrees_of_its_complement():
    graph = erdos_renyi(np.random.default_rng(0), num_nodes=12, edge_probability=0.2)
    sparse, dense = (surroundings(each, *PLACE) for each in (graph, complement(graph)))
    same = [0, 1, 3, 4]
    assert torch.equal(sparse[:, same], dense[:, same])
    assert dense[:, 2].eq(1).all()
    assert torch.allclose(sparse[:, 5] + dense[:, 5], torch.ones(12, dtype=torch.float64))


@pytest.mark.parametrize("size", [0, 1])
def test_tiny_graphs_have_finite_surroundings(size):
    graph = Graph.from_edges(np.zeros((2, 0), int), size, node_weight=np.zeros(size))
    assert torch.isfinite(surroundings(graph, *PLACE)).all()


@pytest.mark.parametrize("name", ["mis", "clique", "mds", "vertex_cover"])
def test_the_unit_of_a_node_that_costs_its_weight_is_the_weight(name):
    graph = Graph.from_edges([[0, 1], [1, 2]], node_weight=[2.0, 5.0, 0.5])
    assert objective_scale(PROBLEMS[name].declare(graph)).tolist() == [2.0, 5.0, 0.5]


@pytest.mark.parametrize("name", ["cut", "max_cut"])
def test_the_unit_of_a_node_in_a_cut_is_the_weight_of_its_edges(name):
    graph = Graph.from_edges([[0, 1], [1, 2]], edge_weight=[2.0, 5.0])
    assert objective_scale(PROBLEMS[name].declare(graph)).tolist() == [2.0, 7.0, 5.0]


def test_nodes_that_the_objective_ignores_get_the_mean_of_their_graph():
    ptr = np.array([0, 3, 5])
    instance = Instance(ptr, (Linear(ptr, np.array([0.0, -3.0, 6.0, 0.0, 0.0])),))
    assert objective_scale(instance).tolist() == [3.0, 3.0, 6.0, 1.0, 1.0]
