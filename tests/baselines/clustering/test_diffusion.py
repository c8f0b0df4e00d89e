from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from annealco._core import Clock, approximate_pagerank, capacity_releasing_diffusion, sweep_sums, unit_flow
from annealco.baselines.clustering import Box
from annealco.baselines.clustering.diffusion import diffuse_and_sweep, nibble, sweep, weighted_rows
from annealco.graph.graph import Graph
from tests.baselines.clustering.graphs import conductance_of, middle, small


@pytest.mark.parametrize("graph", [*small(10), *middle()])
def test_the_best_prefix_is_taken(graph) -> None:
    order = np.random.default_rng(1).permutation(graph.num_nodes)[: graph.num_nodes - 2]
    rank = np.full(graph.num_nodes, graph.num_nodes)
    rank[order] = np.arange(len(order))
    prefixes = [rank < size for size in range(1, len(order) + 1)]
    values = [conductance_of(graph, each) for each in prefixes]
    assert conductance_of(graph, sweep(graph, order, Box(0, np.inf))) == pytest.approx(min(values))
    volumes = [int(graph.degree[each].sum()) for each in prefixes]
    box = Box(volumes[1], volumes[3])
    inside = [value for value, volume in zip(values, volumes, strict=True) if box.lower <= volume <= box.upper]
    found = sweep(graph, order, box)
    assert conductance_of(graph, found) == pytest.approx(min(inside))
    assert box.lower <= graph.degree[found].sum() <= box.upper
    assert sweep(graph, order, box, least=len(order)).sum() == len(order)


def test_where_no_prefix_meets_the_box_the_smaller_side_counts() -> None:
    for graph in small(6):
        order, whole = np.arange(graph.num_nodes), 2 * graph.num_edges
        prefixes = [order < size for size in range(1, graph.num_nodes)]
        volumes = [int(graph.degree[each].sum()) for each in prefixes]
        values = [
            conductance_of(graph, each) * volume / min(volume, whole - volume)
            for each, volume in zip(prefixes, volumes, strict=True)
        ]
        found = sweep(graph, order, Box(1e6, 1e7))
        assert found.tolist() == prefixes[int(np.argmin(values))].tolist()


def test_sums_are_cut_and_volume() -> None:
    [_, graph] = small(2)
    cut, volume = sweep_sums(*weighted_rows(graph), np.array([3, 1]), Clock())
    assert cut[0] == graph.weighted_degree[3]
    assert volume.tolist() == [graph.degree[3], graph.degree[3] + graph.degree[1]]


@pytest.mark.parametrize("graph", [*small(4), *middle()])
def test_rows_have_every_edge_with_its_weight_at_both_ends(graph) -> None:
    start, neighbours, weight = weighted_rows(graph)
    owner = np.repeat(np.arange(graph.num_nodes), np.diff(start))
    matrix = np.zeros((graph.num_nodes, graph.num_nodes))
    matrix[owner, neighbours] = weight
    expected = np.zeros_like(matrix)
    expected[graph.edges[0], graph.edges[1]] = expected[graph.edges[1], graph.edges[0]] = graph.edge_weight
    np.testing.assert_array_equal(matrix, expected)


def exact(graph: Graph, start: np.ndarray, alpha: float) -> np.ndarray:
    """Personalised PageRank of the lazy walk by a dense linear system."""
    matrix = np.zeros((graph.num_nodes, graph.num_nodes))
    low, high = graph.edges
    matrix[low, high] = matrix[high, low] = graph.edge_weight
    walk = 0.5 * (np.eye(graph.num_nodes) + matrix / matrix.sum(axis=0))
    return np.linalg.solve(np.eye(graph.num_nodes) - (1 - alpha) * walk, alpha * start)


@pytest.mark.parametrize("graph", [*small(10), *middle()])
@pytest.mark.parametrize(("alpha", "epsilon"), [(0.1, 1e-2), (0.02, 1e-4)])
def test_rank_and_the_rank_of_the_residual_are_the_exact_rank(graph, alpha: float, epsilon: float) -> None:
    rank, residual = approximate_pagerank(*weighted_rows(graph), 2, alpha, epsilon, Clock())
    seed = np.eye(graph.num_nodes)[2]
    np.testing.assert_allclose(rank + exact(graph, residual, alpha), exact(graph, seed, alpha), atol=1e-12)
    assert np.all(residual >= 0)
    assert np.all(residual < epsilon * graph.weighted_degree)
    # Every push moves α ε d at least, and there is 1 in all.
    assert graph.weighted_degree[rank > 0].sum() <= 1 / (alpha * epsilon)


def test_two_cliques_are_told_apart() -> None:
    ends = [(u, v) for base in (0, 6) for u in range(base, base + 6) for v in range(u + 1, base + 6)]
    graph = Graph.from_edges(np.array([*ends, (5, 6)]).T)
    assert np.flatnonzero(nibble(graph, 2, Box(0, 32))).tolist() == list(range(6))
    assert np.flatnonzero(nibble(graph, 9, Box(20, 40))).tolist() == list(range(6, 12))


def test_the_seed_is_in_the_set() -> None:
    for graph in middle():
        for seed in (0, 7, 100):
            found = nibble(graph, seed, Box(100, 200))
            assert found[seed]
            assert conductance_of(graph, found) <= 1


@pytest.mark.parametrize(
    ("seed", "alpha", "epsilon", "rule"),
    [
        (8, 0.1, 0.1, "seed"),
        (-1, 0.1, 0.1, "seed"),
        (0, 0.0, 0.1, "alpha"),
        (0, np.nan, 0.1, "alpha"),
        (0, 0.1, 0.0, "eps"),
    ],
)
def test_what_would_not_end_is_refused(seed: int, alpha: float, epsilon: float, rule: str) -> None:
    [graph] = small(1)
    with pytest.raises(ValueError, match=rule):
        approximate_pagerank(*weighted_rows(graph), seed, alpha, epsilon, Clock())
    with pytest.raises(ValueError, match="positive"):
        approximate_pagerank(graph.indptr, graph.indices, np.zeros(len(graph.indices)), 0, 0.1, 0.1, Clock())


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
