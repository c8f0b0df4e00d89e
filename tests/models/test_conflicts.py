from __future__ import annotations

import numpy as np
import pytest
import torch

from annealco.graph.errors import InputError
from annealco.graph.generators import erdos_renyi
from annealco.graph.graph import Graph
from annealco.models.conflicts import conflict_terms, conflicts_of
from annealco.problems import PROBLEMS

PLACE = {"device": torch.device("cpu"), "dtype": torch.float64}


def draw(*densities: float) -> Graph:
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
    graph = draw(*densities)
    values = np.random.default_rng(0).normal(size=(graph.num_nodes, 3))
    found = conflicts_of(PROBLEMS[name].declare(graph), **PLACE).mean(torch.from_numpy(values))
    np.testing.assert_allclose(found.numpy(), slow_mean(graph, values, joined), atol=1e-12)


def test_the_shorter_list_is_used_on_both_sides() -> None:
    sparse, dense = (conflicts_of(PROBLEMS["clique"].declare(draw(each)), **PLACE) for each in (0.2, 0.9))
    assert sparse.total is not None
    assert dense.total is None


@pytest.mark.parametrize("name", ["mds", "cut", "vertex_cover", "max_cut"])
def test_other_constraints_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="constraints are pairs that exclude each other"):
        conflict_terms(PROBLEMS[name].declare(draw(0.5)))
