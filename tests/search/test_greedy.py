"""Greedy rules, against the same written down in plain Python, step by step and without a heap."""

from __future__ import annotations

import numpy as np
import pytest

from annealco.energy import Energy, Instance, Range
from annealco.errors import InputError
from annealco.graph.generators import erdos_renyi, generate
from annealco.graph.graph import Graph
from annealco.graph.operations import complement
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search.cliques import as_partners
from annealco.search.covering import as_hitting_set
from annealco.search.greedy import (
    by_probability,
    clique_fixed,
    clique_updated,
    cover_fixed,
    cover_updated,
    fixed,
    grow,
    growth,
    objective_of,
    pack_fixed,
    pack_updated,
    prefix_costs,
    prune,
    sides,
    updated,
    within_range,
)
from annealco.solving.solve import solve
from tests.baselines.instances import solved_instances
from tests.problems.sums import ON_GRAPHS

GRAPHS = small_graphs(np.random.default_rng(5), num_random=40, max_nodes=9)
COUNT = 100


def ratio(name: str, graph: Graph, chosen) -> float:
    value = PROBLEMS[name].score(graph, np.flatnonzero(chosen).tolist())
    assert value is not None
    return value / float(graph.graph_data["planted_size"][0])


@pytest.mark.parametrize("name", ["mis", "clique"])
def test_ratios_on_forced_graphs_are_the_known_ones(name: str) -> None:
    graphs = generate("rb-small" if name == "mis" else "rb-small-complement", count=COUNT, seed=0)
    instances = [(graph, PROBLEMS[name].declare(graph)) for graph in graphs]
    assert np.mean([ratio(name, graph, fixed(each)) for graph, each in instances]) == pytest.approx(0.782, abs=0.03)
    assert np.mean([ratio(name, graph, updated(each)) for graph, each in instances]) == pytest.approx(0.861, abs=0.03)


def test_set_cover_is_near_what_is_known_and_the_fixed_order_near_the_paper_s() -> None:
    graphs = generate("ba-small", count=50, seed=0)
    instances = [PROBLEMS["mds"].declare(graph) for graph in graphs]
    best = np.array([each.value for each in solve(list(graphs), "mds", moves=20_000, time_limit=60, bound=False)])
    weak = np.mean(best / [fixed(each).sum() for each in instances])
    strong = np.mean(best / [updated(each).sum() for each in instances])
    assert strong == pytest.approx(0.926, abs=0.02)
    assert weak == pytest.approx(0.743, abs=0.03)


@pytest.mark.parametrize("name", ON_GRAPHS)
def test_sets_are_feasible_and_no_better_than_the_best(name: str) -> None:
    for problem, graph, best in solved_instances(name, num_random=25, seed=2):
        sign = 1 if problem.sense == "max" else -1
        value = problem.score(graph, np.flatnonzero(updated(problem.declare(graph))).tolist())
        assert value is not None
        assert sign * value <= sign * best + 1e-9


def test_a_fixed_order_is_for_packings_and_coverings() -> None:
    for name in ("vertex_cover", "mds", "mis", "clique"):
        for graph in small_graphs(np.random.default_rng(1), num_random=5):
            assert (
                PROBLEMS[name].score(graph, np.flatnonzero(fixed(PROBLEMS[name].declare(graph))).tolist()) is not None
            )
    square = Graph.from_edges([[0, 1, 2, 0], [1, 2, 3, 3]])
    with pytest.raises(
        InputError, match="fixed greedy order is for packings and coverings, this instance is quadratic"
    ):
        fixed(PROBLEMS["max_cut"].declare(square))
    ptr = np.array([0, 1])
    with pytest.raises(InputError, match="greedy has no rule for these terms"):
        updated(Instance(ptr, (Range(ptr, np.ones(1), np.zeros(1), np.ones(1), np.ones(1)),)))


def hitting_set(name: str, graph: Graph):
    sets = as_hitting_set(PROBLEMS[name].declare(graph))
    assert sets is not None
    return sets


def closed(graph: Graph) -> list[set[int]]:
    return [{node, *graph.neighbours(node).tolist()} for node in range(graph.num_nodes)]


def nodes(bits) -> list[int]:
    return np.flatnonzero(bits).tolist()


def plain_packing(graph: Graph, *, updated: bool) -> list[int]:
    near, left, found = closed(graph), set(range(graph.num_nodes)), []
    weight = graph.node_weight
    while left:
        seen = left if updated else set(range(graph.num_nodes))
        best = min(left, key=lambda node: (-(weight[node] / (1.0 + len(near[node] & seen) - 1)), node))
        found.append(best)
        left -= near[best]
    return sorted(found)


def plain_covering(graph: Graph, *, updated: bool) -> list[int]:
    near, missing, found = closed(graph), set(range(graph.num_nodes)), []

    def price(node):
        gain = len(near[node] & missing) if updated else len(near[node])
        cost = graph.node_weight[node]
        return -gain / cost if cost > 0 else -np.inf

    while missing:
        best = min((node for node in range(graph.num_nodes) if near[node] & missing), key=lambda v: (price(v), v))
        found.append(best)
        missing -= near[best]
    return sorted(found)


@pytest.mark.parametrize("graph", GRAPHS, ids=range(len(GRAPHS)))
def test_rules_are_followed(graph: Graph) -> None:
    packing, covering = hitting_set("mis", graph), hitting_set("mds", graph)
    assert nodes(pack_fixed(packing)) == plain_packing(graph, updated=False)
    assert nodes(pack_updated(packing)) == plain_packing(graph, updated=True)
    assert nodes(cover_fixed(covering)) == plain_covering(graph, updated=False)
    assert nodes(cover_updated(covering)) == plain_covering(graph, updated=True)


@pytest.mark.parametrize("graph", GRAPHS, ids=range(len(GRAPHS)))
def test_pruning_keeps_a_cover_and_leaves_nothing_idle(graph: Graph) -> None:
    everything = np.ones(graph.num_nodes, bool)
    kept = nodes(prune(hitting_set("mds", graph), everything))
    score = PROBLEMS["mds"].score
    assert score(graph, kept) is not None
    assert all(score(graph, [node for node in kept if node != left]) is None for left in kept)
    assert everything.all()


def test_the_heaviest_goes_first() -> None:
    edge = Graph.from_edges([[0], [1]], node_weight=[5.0, 2.0])
    assert nodes(prune(hitting_set("mds", edge), np.ones(2, bool))) == [1]


@pytest.mark.parametrize("graph", GRAPHS, ids=range(len(GRAPHS)))
def test_clique_rules_are_packing_rules_of_the_complement(graph: Graph) -> None:
    partners = as_partners(PROBLEMS["clique"].declare(graph))
    sets = as_hitting_set(PROBLEMS["mis"].declare(complement(graph)))
    assert partners is not None
    assert sets is not None
    assert clique_fixed(partners).tolist() == pack_fixed(sets).tolist()
    assert clique_updated(partners).tolist() == pack_updated(sets).tolist()


TWO_CLIQUES = Graph.from_edges([[0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5]])


def volume_range(graph: Graph, lower: float, upper: float) -> Range:
    ptr = np.array([0, graph.num_nodes])
    return Range(ptr, graph.degree.astype(float), np.array([lower]), np.array([upper]), np.ones(1))


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
        objective_of(PROBLEMS["cut"].declare(graph)),
        volume_range(graph, whole / 4, whole / 2),
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
    degree, upper = graph.degree.astype(float), 900.0
    _, _, order = grow(objective_of(PROBLEMS["cut"].declare(graph)), volume_range(graph, 100.0, upper), np.array([7]))
    joined, inside, total = np.zeros(graph.num_nodes), np.zeros(graph.num_nodes, bool), 0.0
    expected = [7]
    while True:
        inside[expected[-1]] = True
        total += degree[expected[-1]]
        joined[graph.neighbours(expected[-1])] += 1
        fits = ~inside & (degree > 0) & (total + degree <= upper)
        if not fits.any():
            break
        price = np.where(fits, (degree - 2 * joined) / np.maximum(degree, 1), np.inf)
        expected.append(int(np.argmin(price)))
    assert order.tolist() == expected


def test_starts_depend_on_the_seed_alone() -> None:
    instance = PROBLEMS["cut"].declare(TWO_CLIQUES)
    assert growth(instance, seed=3).tolist() == growth(instance, seed=3).tolist()


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
