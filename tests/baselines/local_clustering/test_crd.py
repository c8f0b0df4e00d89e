from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from annealco._core import Clock, capacity_releasing_diffusion, unit_flow
from annealco.baselines.local_clustering.crd import diffuse_and_sweep
from annealco.baselines.local_clustering.protocol import Box
from annealco.graph.graph import Graph
from tests.baselines.local_clustering.graphs import middle, small

GRAPHS = [*small(8, weighted=False), *middle()]


def spread(graph: Graph, given: np.ndarray, capacity: int, height: int):
    return unit_flow(graph.indptr, graph.indices, given, capacity, height, Clock())


def diffuse(graph: Graph, seed: int, *, capacity: int, height: int, rounds: int, most: float):
    return capacity_releasing_diffusion(graph.indptr, graph.indices, seed, capacity, height, rounds, most, Clock())


def reverse(graph: Graph) -> np.ndarray:
    """Where the other direction of each entry of the rows stands."""
    owner = np.repeat(np.arange(graph.num_nodes), graph.degree)
    place = {pair: entry for entry, pair in enumerate(zip(owner.tolist(), graph.indices.tolist(), strict=True))}
    return np.array([place[other, node] for node, other in place])


def heaped(graph: Graph, times: int) -> np.ndarray:
    given = np.zeros(graph.num_nodes, np.int64)
    given[1] = times * graph.degree[1]
    return given


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize(("capacity", "height"), [(1, 5), (3, 10), (20, 40)])
def test_mass_is_conserved_and_flows_keep_their_limits(graph: Graph, capacity: int, height: int) -> None:
    for given in (heaped(graph, 2), heaped(graph, 8), 2 * graph.degree):
        mass, label, flow = spread(graph, given, capacity, height)
        owner = np.repeat(np.arange(graph.num_nodes), graph.degree)
        outward = np.bincount(owner, flow, minlength=graph.num_nodes)
        np.testing.assert_array_equal(mass, given - outward)
        assert mass.sum() == given.sum()
        np.testing.assert_array_equal(flow, -flow[reverse(graph)])
        assert np.abs(flow).max() <= capacity
        assert np.all(mass[label < height] <= graph.degree[label < height])
        assert np.all((label == 0) | (mass >= graph.degree))
        # Whoever is two labels above a neighbour had sent it all that an edge carried before the last relabelling.
        steep = label[owner] > label[graph.indices] + 1
        assert np.all(flow[steep] >= np.minimum(label[owner] - 1, capacity)[steep])


@pytest.mark.parametrize("graph", small(12, seed=3, weighted=False))
@pytest.mark.parametrize("capacity", [1, 2])
def test_high_labels_settle_as_much_as_any_flow_can(graph: Graph, capacity: int) -> None:
    given, size = heaped(graph, 6), graph.num_nodes
    mass, _, _ = spread(graph, given, capacity, 4 * size + capacity)
    low, high = graph.edges
    rows = np.concatenate([low, high, np.full(size, size), np.arange(size)])
    columns = np.concatenate([high, low, np.arange(size), np.full(size, size + 1)])
    values = np.concatenate([np.full(2 * graph.num_edges, capacity), given, graph.degree]).astype(np.int32)
    network = csr_array((values, (rows, columns)), shape=(size + 2, size + 2))
    assert np.minimum(mass, graph.degree).sum() == maximum_flow(network, size, size + 1).flow_value


def test_mass_stays_in_its_clique() -> None:
    ends = [(u, v) for base in (0, 6) for u in range(base, base + 6) for v in range(u + 1, base + 6)]
    graph = Graph.from_edges(np.array([*ends, (5, 6)]).T)
    assert np.flatnonzero(diffuse_and_sweep(graph, 2, Box(0, 40))).tolist() == list(range(6))
    mass, label = diffuse(graph, 2, capacity=1, height=10, rounds=20, most=40)
    assert mass[:6].sum() > mass[6:].sum()
    assert label[:6].min() > label[7:].max()


def test_a_box_ends_the_doubling() -> None:
    for graph in middle():
        mass, _ = diffuse(graph, 3, capacity=20, height=40, rounds=20, most=60)
        assert 60 <= mass.sum() <= 120


def test_what_does_not_fit_is_told() -> None:
    [graph] = small(1, weighted=False)
    for given in (graph.degree[1:], -graph.degree, graph.degree + 2**52):
        with pytest.raises(ValueError, match="mass"):
            spread(graph, given, 1, 5)
    with pytest.raises(ValueError, match="capacity"):
        spread(graph, graph.degree, -1, 5)
    with pytest.raises(ValueError, match="height"):
        spread(graph, graph.degree, 1, 2**40)
    with pytest.raises(ValueError, match="seed"):
        diffuse(graph, graph.num_nodes, capacity=1, height=5, rounds=1, most=1.0)
    one_way = np.array([0, 1, 1]), np.array([1], np.int32)
    with pytest.raises(ValueError, match="both its ends"):
        unit_flow(*one_way, np.ones(2, np.int64), 1, 5, Clock())
