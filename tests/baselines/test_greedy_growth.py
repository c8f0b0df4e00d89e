from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines.greedy_growth import as_quadratic, grow, growth, sides
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs

GRAPHS = small_graphs(np.random.default_rng(7), num_random=40, max_nodes=9)
TWO_CLIQUES = Graph.from_edges([[0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5]])


@pytest.mark.parametrize("graph", GRAPHS, ids=range(len(GRAPHS)))
def test_at_least_half_of_all_weight_is_cut(graph: Graph) -> None:
    chosen = sides(PROBLEMS["max_cut"].declare(graph))
    cut = PROBLEMS["max_cut"].score(graph, np.flatnonzero(chosen).tolist())
    assert cut is not None
    assert cut >= 0.5 * graph.edge_weight.sum() - 1e-9


def test_a_bipartite_graph_is_cut_whole() -> None:
    ladder = Graph.from_edges([[0, 2, 4, 0, 1, 2, 3], [1, 3, 5, 2, 3, 4, 5]])
    chosen = sides(PROBLEMS["max_cut"].declare(ladder))
    assert PROBLEMS["max_cut"].score(ladder, np.flatnonzero(chosen).tolist()) == ladder.num_edges


def test_a_set_grows_within_its_clique() -> None:
    seeded = PROBLEMS["cut"].with_options(volume=(4, 10), seed_node=4)
    assert np.flatnonzero(growth(seeded.declare(TWO_CLIQUES), seed=0)).tolist() == [3, 4, 5]


@pytest.mark.parametrize("graph", [each for each in GRAPHS if each.num_edges > 2])
def test_costs_on_the_way_are_cuts(graph: Graph) -> None:
    whole = 2.0 * graph.num_edges
    least, count, order = grow(
        as_quadratic(PROBLEMS["cut"].declare(graph)),
        graph.degree.astype(float),
        np.array([whole / 4, whole / 2]),
        np.array([int(np.argmax(graph.degree == graph.degree[graph.degree > 0].min()))]),
    )
    prefixes = [PROBLEMS["cut"].score(graph, order[:size].tolist()) for size in range(1, len(order) + 1)]
    inside = [cut for cut in prefixes if cut is not None]
    assert len(set(order.tolist())) == len(order)
    if inside:
        assert least == pytest.approx(min(inside))
        assert prefixes[count - 1] == pytest.approx(least)
    else:
        assert least == np.inf


@pytest.mark.parametrize("graph", [generate("ba-small", count=1, seed=2), generate("er-small", count=1, seed=2)])
def test_the_order_is_that_of_the_rule(graph: Graph) -> None:
    degree, limits = graph.degree.astype(float), np.array([100.0, 900.0])
    _, _, order = grow(as_quadratic(PROBLEMS["cut"].declare(graph)), degree, limits, np.array([7]))
    joined, inside, total = np.zeros(graph.num_nodes), np.zeros(graph.num_nodes, bool), 0.0
    expected = [7]
    while True:
        inside[expected[-1]] = True
        total += degree[expected[-1]]
        joined[graph.neighbours(expected[-1])] += 1
        fits = ~inside & (degree > 0) & (total + degree <= limits[1])
        if not fits.any():
            break
        price = np.where(fits, (degree - 2 * joined) / np.maximum(degree, 1), np.inf)
        expected.append(int(np.argmin(price)))
    assert order.tolist() == expected


def test_starts_depend_on_the_seed_alone() -> None:
    instance = PROBLEMS["cut"].declare(TWO_CLIQUES)
    assert growth(instance, seed=3).tolist() == growth(instance, seed=3).tolist()
