from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from annealco.graph.graph import Graph
from annealco.graph.interop import as_graph
from annealco.layout import Points, place_nodes
from annealco.problems.small_graphs import SHAPES
from tests.graph.strategies import graphs


def lengths(places: Points) -> Points:
    return np.linalg.norm(places[:, None] - places, axis=2)


def stress(graph: Graph, places: Points) -> float:
    """Sum over pairs, by networkx and plain loops."""
    same = nx.Graph(graph.edges.T.tolist())
    same.add_nodes_from(range(graph.num_nodes))
    total = 0.0
    for u, reached in nx.all_pairs_shortest_path_length(same):
        for v, distance in reached.items():
            if u < v:
                total += (float(np.hypot(*(places[u] - places[v]))) - distance) ** 2 / distance**2
    return total


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_has_places(shape: str) -> None:
    size, edges = SHAPES[shape]
    places = place_nodes(Graph.from_edges(np.array(edges).T, size))
    assert places.shape == (size, 2)
    assert np.isfinite(places).all()
    if size > 1:
        assert (lengths(places) + np.eye(size)).min() > 0.4


def test_a_path_is_a_line_and_a_cycle_is_round() -> None:
    path = place_nodes(as_graph(nx.path_graph(10)))
    assert lengths(path)[0, 9] == pytest.approx(9, abs=0.05)
    assert np.ptp(path, axis=0)[1] < 0.2
    cycle = place_nodes(as_graph(nx.cycle_graph(12)))
    radius = np.linalg.norm(cycle - cycle.mean(axis=0), axis=1)
    assert radius.min() > 0.97 * radius.max()


@pytest.mark.parametrize("graph", [nx.karate_club_graph(), nx.grid_2d_graph(6, 6), nx.petersen_graph()])
def test_stress_is_as_low_as_networkx_finds(graph: nx.Graph) -> None:
    graph = nx.Graph(nx.convert_node_labels_to_integers(graph).edges())
    theirs = nx.kamada_kawai_layout(graph)
    places = np.array([theirs[node] for node in sorted(graph)])
    given = as_graph(nx.convert_node_labels_to_integers(graph, ordering="sorted"))
    best = min(stress(given, scale * places) for scale in np.linspace(0.5, 8, 76))
    assert stress(given, place_nodes(given)) < 1.15 * best


def test_components_stand_apart() -> None:
    parts = [nx.cycle_graph(9), nx.complete_graph(6), nx.path_graph(4), nx.empty_graph(5)]
    graph = as_graph(nx.disjoint_union_all(parts))
    places = place_nodes(graph)
    component = np.repeat(np.arange(8), [9, 6, 4, 1, 1, 1, 1, 1])
    between = lengths(places)[component[:, None] != component]
    assert between.min() >= 0.99


@settings(max_examples=15)
@given(graphs())
def test_the_same_graph_gets_the_same_places(graph: Graph) -> None:
    assert np.array_equal(place_nodes(graph), place_nodes(graph))


def test_weights_and_labels_do_not_move_nodes() -> None:
    graph = as_graph(nx.petersen_graph())
    other = Graph.from_edges(graph.edges, 10, node_weight=range(10), node_labels=list("abcdefghij"))
    assert np.array_equal(place_nodes(graph), place_nodes(other))
