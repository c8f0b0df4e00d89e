"""Simulated annealing against enumeration and against the distribution it promises."""

import numpy as np
import pytest

from annealco._core import Clock, default_temperatures
from annealco.clock import Budget, Trace
from annealco.energy import Instance
from annealco.energy.compiled import core_terms
from annealco.errors import InputError
from annealco.graph.generators import erdos_renyi, generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search.annealing import AnnealingSearch, coolings_of, simulated_annealing
from annealco.search.repair import finish
from tests.problems.brute_force import best_score
from tests.problems.sums import CUTS, SUMS
from tests.search.instances import all_assignments, best_cost, knapsack


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
def test_without_seconds_the_start_is_returned(num_restarts):
    instance = PROBLEMS["max_cut"].declare(generate("er-small", count=1, seed=1))
    result = simulated_annealing(instance, budget=Budget(seconds=0), num_restarts=num_restarts, num_threads=1)
    assert result.moves == 0
    assert np.array_equal(result.assignment, finish(instance, empty(instance)))


def test_traces_fall_to_the_cost():
    instance = PROBLEMS["max_cut"].declare(generate("er-small", count=1, seed=1))
    result = simulated_annealing(instance, budget=Budget(moves=200_000), num_restarts=3, num_threads=1)
    assert all(left[0] <= right[0] for left, right in zip(result.trace, result.trace[1:], strict=False))
    assert all(left[1] > right[1] for left, right in zip(result.trace, result.trace[1:], strict=False))
    assert result.trace[-1][1] == result.cost


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
    assert [each.tolist() for each in coolings_of(instance, [3.0, 2.0], None)] == [[3.0, 2.0]]
    assert [each.tolist() for each in coolings_of(instance, lambda progress: 3 - progress, 3)] == [[3.0, 2.5, 2.0]]
    assert [len(each) for each in coolings_of(instance, lambda progress: 1.0, None)] == [2**k for k in range(6, 12)]
    assert coolings_of(instance, None, 7) == []


@pytest.mark.parametrize("num_sweeps", [1, 2, 50])
def test_the_default_schedule_falls_geometrically(num_sweeps):
    instance = PROBLEMS["max_cut"].declare(generate("er-small", count=1, seed=0))
    first, last = default_temperatures(core_terms(instance), finish(instance, empty(instance)))
    progress = np.linspace(0, 1, num_sweeps)
    explicit = first ** (1 - progress) * last**progress
    one = AnnealingSearch(instance, empty(instance), 3, num_sweeps=num_sweeps)
    two = AnnealingSearch(instance, empty(instance), 3, schedule=explicit)
    # The last bits of temperatures differ, which changes a decision once in 10^15 visits.
    for search in (one, two):
        search.run(Budget(moves=3 * num_sweeps * instance.num_nodes), -np.inf, Trace())
    assert np.array_equal(one.core.present, two.core.present)


def test_default_temperatures_scale_with_the_weights():
    graph = generate("er-small", count=1, seed=0)
    found = []
    for scale in (1.0, 8.0):
        instance = PROBLEMS["max_cut"].declare(graph.with_weights(edge_weight=np.full(graph.num_edges, scale)))
        first, last = default_temperatures(core_terms(instance), finish(instance, empty(instance)))
        assert 0 < last < first < instance.lipschitz()[0]
        found.append((first, last))
    assert 8 * np.array(found[0]) == pytest.approx(np.array(found[1]))


def test_default_temperatures_are_read_off_the_prices_of_flips():
    graph = erdos_renyi(np.random.default_rng(0), num_nodes=30, edge_probability=0.3)
    graph = graph.with_weights(edge_weight=np.random.default_rng(1).normal(size=graph.num_edges))
    instance = PROBLEMS["max_cut"].declare(graph)
    bits = finish(instance, empty(instance))
    prices = np.abs(instance.energy().value(bits ^ np.eye(30, dtype=bool))[:, 0] - instance.energy().value(bits)[0])
    first, last = default_temperatures(core_terms(instance), bits)
    assert first == pytest.approx(0.28 * prices.mean())
    assert last == pytest.approx(0.1 * np.quantile(prices, 0.1))


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


def weighted_square() -> Graph:
    square = Graph.from_edges([[0, 0, 0, 1, 2], [1, 2, 3, 2, 3]], 4)
    return square.with_weights(edge_weight=np.array([1.0, 0.7, -0.4, 1.3, 0.9]), node_weight=[1.0, 1.2, 0.8, 1.1])


def tiny(name: str) -> Instance:
    if name == "knapsack":
        return knapsack(np.random.default_rng(3), 4, width=20)
    options = {"volume": (2, 8)} if name in CUTS else {}
    return SUMS[name].with_options(**options).declare(weighted_square())


@pytest.mark.parametrize("name", [*SUMS, "knapsack"])
def test_at_a_constant_temperature_assignments_follow_gibbs(name):
    instance = tiny(name)
    energy = instance.energy().value(all_assignments(4))[:, 0]
    temperature = 0.4 * float(np.ptp(energy))
    expected = np.exp(-(energy - energy.min()) / temperature)
    expected /= expected.sum()
    search = AnnealingSearch(instance, np.zeros(4, bool), 7, schedule=[temperature])
    # Every fifth sweep is looked at.
    samples, stride = 20_000, 5
    counts = np.zeros(16)
    for _ in range(samples):
        search.core.run(Clock(moves=4 * stride), -np.inf)
        counts[int(search.core.present @ (1 << np.arange(4)))] += 1
    # Samples five sweeps apart are almost independent: χ² of 15 degrees of freedom is below 60 but once in a million.
    assert np.sum((counts - samples * expected) ** 2 / (samples * expected)) < 60


@pytest.mark.parametrize("name", SUMS)
def test_without_temperature_the_energy_never_rises(name):
    graph = generate("er-small", count=1, seed=2)
    instance = SUMS[name].declare(graph)
    hot_and_cold = np.concatenate([np.full(3, 1e6), np.full(1000, 1e-9)])
    search = AnnealingSearch(instance, empty(instance), 0, schedule=hot_and_cold)
    rng = np.random.default_rng(1)
    search.run(Budget(moves=3 * graph.num_nodes), -np.inf, Trace())
    before = np.inf
    for _ in range(200):
        search.run(Budget(moves=int(rng.integers(1, 2 * graph.num_nodes))), -np.inf, Trace())
        after = float(instance.energy().value(search.core.present)[0])
        assert after <= before + 1e-6
        before = after


def test_exchanges_go_on_where_single_flips_cannot():
    graph = generate("er-small", count=1, seed=3)
    volume = int(graph.degree.sum()) // 3
    widest = int(graph.degree.max())
    instance = PROBLEMS["cut"].with_options(volume=(volume, volume + widest)).declare(graph)
    search = AnnealingSearch(instance, empty(instance), 0, schedule=np.full(200, 1e-9))
    _, _, start = search.run(Budget(moves=0), -np.inf, Trace())
    _, _, cost = search.run(Budget(moves=200 * graph.num_nodes), -np.inf, Trace())
    assert cost < start


@pytest.mark.parametrize("temperature", [5e-324, 1e308, np.inf])
def test_extreme_temperatures_are_no_trouble(temperature):
    instance = PROBLEMS["max_cut"].declare(weighted_square())
    result = simulated_annealing(instance, budget=Budget(moves=1000), schedule=[temperature])
    assert result.cost == pytest.approx(best_cost(instance))


def test_a_target_ends_the_search():
    instance = PROBLEMS["max_cut"].declare(generate("er-small", count=1, seed=1))
    search = AnnealingSearch(instance, empty(instance), 3)
    _, _, start = search.run(Budget(moves=0), -np.inf, Trace())
    moves, _, cost = search.run(Budget(moves=10**7), start - 3, Trace())
    assert cost <= start - 3
    assert moves < 10**6
    assert search.run(Budget(moves=1000), start - 3, Trace())[0] == 0
