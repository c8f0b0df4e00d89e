"""Tabu search against enumeration, and its moves against the rules it states."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco._core import Clock
from annealco.graph.errors import InputError
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search.budget import Budget, Trace
from annealco.search.tabu import TabuSearch, tabu_search
from tests.problems.brute_force import best_score
from tests.problems.sums import SUMS
from tests.search.instances import best_cost, cost_of, knapsack

SHORTEST_REST = 4
"""Moves that a flipped node rests at least before the first restart, on graphs that are not tiny."""


@pytest.mark.parametrize("name", SUMS)
def test_small_graphs_are_solved(name):
    graphs = small_graphs(np.random.default_rng(5), num_random=25, max_nodes=7)
    right = 0
    for graph in graphs:
        instance = SUMS[name].declare(graph)
        result = tabu_search(instance, np.zeros(graph.num_nodes, bool), Budget(moves=4000), seed=1)
        sign = 1 if instance.sense == "min" else -1
        best = best_score(SUMS[name], graph)
        assert result.feasible
        assert SUMS[name].score(graph, np.flatnonzero(result.assignment)) == pytest.approx(sign * result.cost)
        assert result.cost >= sign * best - 1e-9
        right += result.cost == pytest.approx(sign * best)
    assert right >= 0.99 * len(graphs) - 1


@given(seed=st.integers(0, 10**6))
@settings(max_examples=30)
def test_costs_are_those_of_the_assignments_after_many_restarts(seed):
    instance = knapsack(np.random.default_rng(seed), 9, width=8)
    search = TabuSearch(instance, np.zeros(9, bool), seed)
    before = np.inf
    for _ in range(4):
        # Nine nodes are patient for 300 to 1,200 moves.
        _, best, cost = search.run(Budget(moves=5000), -np.inf, Trace())
        assert cost <= before
        if cost < np.inf:
            assert cost_of(instance, best)[0] == pytest.approx(cost)
            assert instance.violations(best)[0] == 0
            assert cost >= best_cost(instance) - 1e-9
        before = cost


def test_moves_and_a_seed_repeat_the_result_however_the_run_is_cut():
    instance = PROBLEMS["max_cut"].declare(generate("er-small", count=1, seed=1))
    whole, cut, other = (TabuSearch(instance, np.zeros(instance.num_nodes, bool), seed) for seed in (3, 3, 4))
    made, one, cost = whole.run(Budget(moves=6000), -np.inf, Trace())
    assert made == 6000
    for moves in (0, 1, 999, 5000):
        _, two, again = cut.run(Budget(moves=moves), -np.inf, Trace())
    assert cost == again
    assert np.array_equal(one, two)
    assert np.array_equal(whole.core.present, cut.core.present)
    other.run(Budget(moves=6000), -np.inf, Trace())
    assert not np.array_equal(whole.core.present, other.core.present)


def flipped_by_a_move(search: TabuSearch) -> int:
    before = search.core.present
    search.core.run(Clock(moves=1), -np.inf)
    (node,) = np.flatnonzero(search.core.present != before)
    return int(node)


@pytest.mark.parametrize("seed", range(8))
def test_the_first_move_is_the_cheapest_flip(seed):
    graph = generate("er-small", count=1, seed=seed)
    instance = PROBLEMS["max_cut"].declare(graph)
    search = TabuSearch(instance, np.random.default_rng(seed).random(graph.num_nodes) < 0.5, seed)
    bits = search.core.present
    flipped = np.tile(bits, (graph.num_nodes, 1))
    flipped[np.arange(graph.num_nodes), np.arange(graph.num_nodes)] ^= True
    changes = instance.energy().value(flipped)[:, 0] - instance.energy().value(bits)[0]
    assert changes[flipped_by_a_move(search)] == pytest.approx(changes.min())


@pytest.mark.parametrize("name", ["max_cut", "cut", "mds"])
def test_flipped_nodes_rest_unless_they_lead_to_a_new_best(name):
    instance = PROBLEMS[name].declare(generate("er-small", count=1, seed=1))
    search = TabuSearch(instance, np.zeros(instance.num_nodes, bool), 0)
    _, _, best = search.run(Budget(moves=0), -np.inf, Trace())
    rested = {}
    for move in range(400):
        node = flipped_by_a_move(search)
        _, _, cost = search.run(Budget(moves=0), -np.inf, Trace())
        if cost == best:
            assert move - rested.get(node, -np.inf) > SHORTEST_REST
        rested[node], best = move, cost


@pytest.mark.parametrize("seed", range(3))
def test_where_a_range_binds_nodes_are_exchanged(seed):
    graph = generate("er-small", count=1, seed=seed)
    lower, widest = int(graph.degree.sum()) // 3, int(graph.degree.max())
    instance = PROBLEMS["cut"].with_options(volume=(lower, lower + widest)).declare(graph)
    search = TabuSearch(instance, np.zeros(graph.num_nodes, bool), seed)
    _, start, first = search.run(Budget(moves=0), -np.inf, Trace())
    _, best, cost = search.run(Budget(moves=1500), -np.inf, Trace())
    assert cost < first
    assert np.any(best & ~start)
    assert np.any(start & ~best)
    assert instance.violations(best)[0] == 0


def test_boxes_and_seed_nodes_are_kept_on_larger_graphs():
    graph = generate("ba-small", count=1, seed=3)
    problem = PROBLEMS["cut"].with_options(volume=(300, 360), seed_node=5)
    result = tabu_search(problem.declare(graph), np.zeros(graph.num_nodes, bool), Budget(moves=20_000), seed=0)
    assert result.feasible
    assert problem.score(graph, np.flatnonzero(result.assignment)) == result.cost
    costs = [cost for _, cost in result.trace]
    assert costs == sorted(costs, reverse=True)
    assert result.cost == costs[-1] < costs[0]


def test_a_target_ends_the_search():
    instance = PROBLEMS["max_cut"].declare(generate("er-small", count=1, seed=1))
    search = TabuSearch(instance, np.zeros(instance.num_nodes, bool), 3)
    _, _, start = search.run(Budget(moves=0), -np.inf, Trace())
    moves, _, cost = search.run(Budget(moves=10**6), start - 3, Trace())
    assert cost <= start - 3
    assert moves < 10**5
    assert search.run(Budget(moves=1000), cost, Trace())[0] == 0


def test_graphs_without_nodes_or_edges():
    for count in (0, 1, 2):
        instance = PROBLEMS["max_cut"].declare(Graph.from_edges([[], []], count))
        result = tabu_search(instance, np.zeros(count, bool), Budget(moves=5000))
        assert result.cost == 0
        assert result.moves == (5000 if count else 0)


def test_several_graphs_are_refused():
    edge = Graph.from_edges([[0], [1]])
    with pytest.raises(InputError, match="a search is of one graph, this instance has 2"):
        tabu_search(PROBLEMS["max_cut"].declare(Graph.batch([edge, edge])), np.zeros(4, bool), Budget(moves=1))
