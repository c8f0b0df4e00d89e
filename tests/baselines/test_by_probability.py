from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines.by_probability import by_probability, prefix_costs, within_range
from annealco.energy import Energy
from annealco.graph.generators import erdos_renyi
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS


def draw(seed: int, density: float = 0.4, size: int = 14) -> Graph:
    rng = np.random.default_rng(seed)
    graph = erdos_renyi(rng, num_nodes=size, edge_probability=density)
    return graph.with_weights(edge_weight=rng.integers(1, 5, graph.num_edges))


def chances(graph: Graph, seed: int, rows: int = 3) -> np.ndarray:
    return np.random.default_rng([seed, 7]).random((rows, graph.num_nodes))


@pytest.mark.parametrize("density", [0.05, 0.4, 0.9])
@pytest.mark.parametrize(("name", "joined"), [("mis", False), ("clique", True)])
def test_packings_are_greedy_by_probability(name: str, joined: bool, density: float) -> None:
    for seed in range(5):
        graph = draw(seed, density)
        edges = set(zip(*graph.edges.tolist(), strict=True))
        given = chances(graph, seed)
        found = by_probability(PROBLEMS[name].declare(graph), given)
        for row, chance in zip(found, given, strict=True):
            chosen: list[int] = []
            for node in sorted(range(graph.num_nodes), key=lambda each: -chance[each]):
                if all(((min(node, other), max(node, other)) in edges) == joined for other in chosen):
                    chosen.append(node)
            assert np.flatnonzero(row).tolist() == sorted(chosen)


@pytest.mark.parametrize("name", ["mds", "vertex_cover"])
def test_coverings_hit_everything_and_hold_nothing_idle(name: str) -> None:
    for seed in range(5):
        graph, problem = draw(seed), PROBLEMS[name]
        for row in by_probability(problem.declare(graph), chances(graph, seed)):
            nodes = np.flatnonzero(row).tolist()
            assert problem.score(graph, nodes) is not None
            for node in nodes:
                assert problem.score(graph, [each for each in nodes if each != node]) is None


def test_a_covering_takes_the_probable_nodes() -> None:
    star = Graph.from_edges([[0, 0, 0], [1, 2, 3]])
    mds = PROBLEMS["mds"].declare(star)
    assert by_probability(mds, np.array([[0.9, 0.5, 0.4, 0.3]])).tolist() == [[True, False, False, False]]
    # The centre is idle when all leaves are taken, and the least probable leaf is needed before it.
    assert by_probability(mds, np.array([[0.1, 0.5, 0.4, 0.3]])).tolist() == [[False, True, True, True]]


def test_a_cut_is_the_cheapest_prefix_in_the_box_with_the_seed() -> None:
    for seed in range(6):
        graph, node = draw(seed), 3
        whole = 2 * graph.num_edges
        cut = PROBLEMS["cut"].with_options(volume=(0.3 * whole, 0.6 * whole), seed_node=node)
        instance, given = cut.declare(graph), chances(graph, seed)
        for row, chance in zip(by_probability(instance, given), given, strict=True):
            order = [node, *sorted(set(range(graph.num_nodes)) - {node}, key=lambda each: -chance[each])]
            scores = [cut.score(graph, order[: count + 1]) for count in range(len(order))]
            best = min(score for score in scores if score is not None)
            assert cut.score(graph, np.flatnonzero(row).tolist()) == best


def test_where_no_prefix_is_in_the_box_the_set_is_repaired() -> None:
    # The centre first: with it every prefix is too heavy.
    star = Graph.from_edges([[0, 0, 0, 0, 1], [1, 2, 3, 4, 2]])
    cut = PROBLEMS["cut"].with_options(volume=(2, 3))
    row = within_range(cut.declare(star), np.arange(5))
    assert cut.score(star, np.flatnonzero(row).tolist()) is not None


def test_prefix_costs_are_the_objective() -> None:
    graph = draw(1)
    instance, order = PROBLEMS["cut"].declare(graph), np.random.default_rng(0).permutation(graph.num_nodes)
    bits = np.zeros((graph.num_nodes, graph.num_nodes))
    for count in range(graph.num_nodes):
        bits[count, order[: count + 1]] = 1
    expected = Energy(instance.node_ptr, instance.objective).value(bits)[:, 0]
    np.testing.assert_allclose(prefix_costs(instance, order), expected)


def test_other_shapes_are_decoded_by_conditional_expectations() -> None:
    graph = draw(2)
    instance = PROBLEMS["max_cut"].declare(graph)
    given = chances(graph, 2)
    found = by_probability(instance, given)
    assert found.shape == given.shape
    # At least half of all weight is cut, which a random set would not promise.
    assert (instance.value(found)[:, 0] >= graph.edge_weight.sum() / 2).all()
