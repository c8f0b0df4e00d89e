from __future__ import annotations

import numpy as np
import pytest

from annealco._core import Clock, sweep_sums
from annealco.baselines.local_clustering.protocol import Box
from annealco.baselines.local_clustering.sweep import sweep, weighted_rows
from tests.baselines.local_clustering.graphs import conductance_of, middle, small


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
