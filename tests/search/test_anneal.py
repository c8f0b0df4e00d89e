"""Simulated annealing against enumeration and against the distribution it promises."""

import time

import numpy as np
import pytest

from annealco.energy import Instance
from annealco.graph.errors import InputError
from annealco.graph.generators import erdos_renyi, generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search.anneal import AnnealingSearch, default_temperatures, simulated_annealing
from annealco.search.budget import Budget, Trace
from tests.problems.brute_force import best_score
from tests.problems.sums import SUMS
from tests.search.instances import best_cost, knapsack


def empty(instance: Instance) -> np.ndarray:
    return np.zeros(instance.num_nodes, bool)


@pytest.mark.parametrize("name", SUMS)
def test_small_graphs_are_solved(name):
    graphs = small_graphs(np.random.default_rng(5), num_random=25, max_nodes=7)
    right = 0
    for graph in graphs:
        instance = SUMS[name].declare(graph)
        result = simulated_annealing(instance, budget=Budget(moves=20_000), seed=1, num_threads=1)
        sign = 1 if instance.sense == "min" else -1
        best = best_score(SUMS[name], graph)
        assert result.feasible
        assert SUMS[name].score(graph, np.flatnonzero(result.assignment)) == pytest.approx(sign * result.cost)
        assert result.cost >= sign * best - 1e-9
        right += result.cost == pytest.approx(sign * best)
    assert right >= 0.99 * len(graphs) - 1


@pytest.mark.parametrize(("width", "least"), [(3, 8), (30, 19)])
def test_ranges_are_kept_and_wide_ones_solved(width, least):
    reached = 0
    for seed in range(20):
        instance = knapsack(np.random.default_rng(seed), 9, width=width)
        result = simulated_annealing(instance, budget=Budget(moves=50_000), num_threads=1)
        assert result.feasible
        assert result.cost >= best_cost(instance) - 1e-9
        reached += result.cost == pytest.approx(best_cost(instance))
    assert reached >= least


def test_a_low_penalty_is_made_up_for_by_repair():
    graph = generate("rb-small", count=1, seed=2)
    result = simulated_annealing(PROBLEMS["mis"].declare(graph), budget=Budget(moves=50_000), penalty_scale=0.5)
    assert result.feasible
    assert PROBLEMS["mis"].score(graph, np.flatnonzero(result.assignment)) == -result.cost


def test_moves_and_a_seed_repeat_the_result_however_the_run_is_cut():
    instance = PROBLEMS["cut"].declare(generate("ba-small", count=1, seed=1))
    whole, cut = (AnnealingSearch(instance, empty(instance), 3) for _ in range(2))
    _, one, cost = whole.run(Budget(moves=200_000), -np.inf, Trace())
    for moves in (1, 9_999, 190_000):
        _, two, other = cut.run(Budget(moves=moves), -np.inf, Trace())
    assert cost == other
    assert np.array_equal(one, two)


def test_restarts_are_independent_of_threads_and_the_best_is_returned():
    instance = PROBLEMS["max_cut"].declare(generate("er-small", count=1, seed=1))
    budget = Budget(moves=5000)
    one = simulated_annealing(instance, budget=budget, num_restarts=5, seed=3, num_threads=1)
    two = simulated_annealing(instance, budget=budget, num_restarts=5, seed=3, num_threads=3)
    assert np.array_equal(one.assignment, two.assignment)
    assert one.moves == 25_000
    alone = [
        AnnealingSearch(instance, empty(instance), 3, row=row).run(budget, -np.inf, Trace())[2] for row in range(5)
    ]
    assert one.cost == min(alone)
    assert len(set(alone)) > 1
    assert one.trace[-1][1] == one.cost


@pytest.mark.parametrize("num_restarts", [1, 3])
def test_seconds_are_kept(num_restarts):
    instance = PROBLEMS["max_cut"].declare(generate("er-small", count=1, seed=1))
    simulated_annealing(instance, budget=Budget(moves=1000))
    started = time.perf_counter()
    result = simulated_annealing(instance, budget=Budget(seconds=0.8), num_restarts=num_restarts, num_threads=1)
    took = time.perf_counter() - started
    assert abs(took - 0.8) < 0.04
    assert result.seconds == pytest.approx(took, abs=0.01)
    assert all(left[1] > right[1] for left, right in zip(result.trace, result.trace[1:], strict=False))


def test_graphs_without_nodes_or_edges():
    assert (
        simulated_annealing(PROBLEMS["max_cut"].declare(Graph.from_edges([[], []], 0)), budget=Budget(moves=9)).moves
        == 0
    )
    for name in SUMS:
        instance = SUMS[name].declare(Graph.from_edges([[], []], 3))
        assert simulated_annealing(instance, budget=Budget(moves=2000)).cost == pytest.approx(best_cost(instance))


def test_weights_of_many_sizes_are_settled():
    rng = np.random.default_rng(0)
    graph = erdos_renyi(rng, num_nodes=14, edge_probability=0.4)
    graph = graph.with_weights(edge_weight=10.0 ** rng.uniform(-4, 4, graph.num_edges))
    instance = PROBLEMS["max_cut"].declare(graph)
    result = simulated_annealing(instance, budget=Budget(moves=200_000))
    assert result.cost == pytest.approx(best_cost(instance), rel=1e-12)


def test_the_start_is_not_lost():
    graph = generate("rb-small", count=1, seed=4)
    instance = PROBLEMS["mis"].declare(graph)
    good = simulated_annealing(instance, budget=Budget(moves=300_000)).assignment
    again = simulated_annealing(instance, budget=Budget(moves=10), start=good, seed=9)
    assert again.cost <= -good.sum()


def test_schedules_may_be_arrays_or_functions():
    instance = PROBLEMS["max_cut"].declare(Graph.from_edges([[0, 1], [1, 2]], 3))
    search = AnnealingSearch(instance, empty(instance), 0, schedule=[3.0, 2.0])
    assert search.temperatures.tolist() == [3.0, 2.0]
    search = AnnealingSearch(instance, empty(instance), 0, schedule=lambda progress: 3 - progress, num_sweeps=3)
    assert search.temperatures.tolist() == [3.0, 2.5, 2.0]


def test_default_temperatures_scale_with_the_weights():
    graph = generate("er-small", count=1, seed=0)
    found = []
    for scale in (1.0, 8.0):
        instance = PROBLEMS["max_cut"].declare(graph.with_weights(edge_weight=np.full(graph.num_edges, scale)))
        search = AnnealingSearch(instance, empty(instance), 0)
        first, last = default_temperatures(search.forms, search.state.bits)
        assert 0 < last < first < instance.lipschitz()[0]
        found.append((first, last))
    assert 8 * np.array(found[0]) == pytest.approx(np.array(found[1]))


def test_wrong_arguments_are_refused():
    edge = Graph.from_edges([[0], [1]])
    instance, budget = PROBLEMS["mis"].declare(edge), Budget(moves=1)
    with pytest.raises(InputError, match="a search is of one graph, this instance has 2"):
        simulated_annealing(PROBLEMS["mis"].declare(Graph.batch([edge, edge])), budget=budget)
    with pytest.raises(InputError, match="num_restarts"):
        simulated_annealing(instance, budget=budget, num_restarts=0)
    with pytest.raises(InputError, match="num_sweeps"):
        simulated_annealing(instance, budget=budget, num_sweeps=0)
    with pytest.raises(InputError, match="temperatures above 0"):
        simulated_annealing(instance, budget=budget, schedule=[0.0])
