"""Tabu search against enumeration, and its moves against the rules it states."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco._core import Clock
from annealco.clock import Budget, Trace
from annealco.energy import Constraint, Instance, Linear, Range
from annealco.errors import InputError
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search.greedy import growth
from annealco.search.tabu import AlternatingSearch, TabuSearch, tabu_search
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


TURNS = 800 + 32
"""Moves per node of a turn of annealing and one of tabu search."""


def begun(instance: Instance, start: np.ndarray | None = None) -> tuple[list[int], float]:
    """Return what the sweeps alone find."""
    search = AlternatingSearch(instance, np.zeros(instance.num_nodes, bool) if start is None else start, 0)
    _, assignment, cost = search.run(Budget(moves=0), -np.inf, Trace())
    return np.flatnonzero(assignment).tolist(), cost


@pytest.mark.parametrize("name", SUMS)
def test_small_graphs_are_solved_in_alternation(name):
    for graph in small_graphs(np.random.default_rng(6), num_random=15, max_nodes=7):
        instance = SUMS[name].declare(graph)
        search = AlternatingSearch(instance, np.zeros(graph.num_nodes, bool), 1)
        _, assignment, cost = search.run(Budget(moves=20_000), -np.inf, Trace())
        sign = 1 if instance.sense == "min" else -1
        assert SUMS[name].score(graph, np.flatnonzero(assignment)) == pytest.approx(sign * cost)
        assert sign * cost == pytest.approx(best_score(SUMS[name], graph))


def test_alternation_repeats_however_the_run_is_cut():
    graph = generate("ba-small", count=1, seed=1)
    instance = PROBLEMS["cut"].declare(graph)
    whole, cut = (AlternatingSearch(instance, np.zeros(graph.num_nodes, bool), 3) for _ in range(2))
    turn = TURNS * graph.num_nodes
    _, one, cost = whole.run(Budget(moves=2 * turn), -np.inf, Trace())
    for moves in (0, 1, turn // 3, turn, 2 * turn - turn - turn // 3 - 1):
        _, two, other = cut.run(Budget(moves=moves), -np.inf, Trace())
    assert cost == other
    assert np.array_equal(one, two)
    assert np.array_equal(whole.core.present, cut.core.present)


def test_the_best_of_both_is_one():
    graph = generate("ba-small", count=1, seed=2)
    instance = PROBLEMS["cut"].declare(graph)
    search = AlternatingSearch(instance, np.zeros(graph.num_nodes, bool), 0)
    costs = []
    for _ in range(6):
        _, assignment, cost = search.run(Budget(moves=TURNS * graph.num_nodes // 2), -np.inf, Trace())
        assert PROBLEMS["cut"].score(graph, np.flatnonzero(assignment)) == cost
        costs.append(cost)
    assert costs == sorted(costs, reverse=True)


def two_cliques(size: int = 5) -> Graph:
    """Return two cliques that one edge joins."""
    pairs = list(itertools.combinations(range(size), 2))
    return Graph.from_edges(np.array([*pairs, *((u + size, v + size) for u, v in pairs), (0, size)]).T, 2 * size)


@pytest.mark.parametrize("start", [[], [1], list(range(9))])
def test_a_sweep_crosses_what_single_flips_do_not(start):
    # A clique of five has volume 21 and cut 1; three of its nodes have volume 12 and cut 6, four cut 4.
    instance = PROBLEMS["cut"].declare(two_cliques(), volume=(8, 24), seed_node=1)
    chosen = np.zeros(10, bool)
    chosen[start] = True
    assert begun(instance, chosen) == ([0, 1, 2, 3, 4], 1.0)


def test_nothing_leaves_a_range_by_its_far_end():
    ptr = np.array([0, 4])
    weight = np.array([1.0, 2.0, 3.0, 0.0])
    box = Range(ptr, weight, np.array([2.0]), np.array([4.0]), np.ones(1))
    instance = Instance(ptr, (Linear(ptr, np.array([-1.0, -1.0, -9.0, -5.0])),), (Constraint(box, np.array([10.0])),))
    assert begun(instance) == ([0, 2, 3], -15.0)


def test_without_a_feasible_set_none_is_claimed():
    ptr = np.array([0, 2])
    box = Range(ptr, np.array([2.0, 2.0]), np.array([3.0]), np.array([3.0]), np.ones(1))
    instance = Instance(ptr, (Linear(ptr, np.ones(2)),), (Constraint(box, np.array([10.0])),))
    search = AlternatingSearch(instance, np.zeros(2, bool), 0)
    for moves in (0, 5000):
        assert search.run(Budget(moves=moves), -np.inf, Trace())[2] == np.inf


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("end", [np.argmin, np.argmax])
def test_no_greedy_growth_is_better_however_short_the_search(seed, end):
    graph = generate("ba-small", count=1, seed=seed)
    instance = PROBLEMS["cut"].declare(graph, seed_node=int(end(graph.degree)))
    found, cost = begun(instance)
    chosen = np.zeros(graph.num_nodes, bool)
    chosen[found] = True
    assert cost_of(instance, chosen)[0] == pytest.approx(cost)
    assert instance.violations(chosen)[0] == 0
    assert cost <= instance.value(growth(instance, seed=0))[0]


def test_without_nodes_nothing_is_done():
    search = AlternatingSearch(PROBLEMS["max_cut"].declare(Graph.from_edges([[], []], 0)), np.zeros(0, bool), 0)
    moves, assignment, cost = search.run(Budget(moves=1000), -np.inf, Trace())
    assert (moves, assignment.tolist(), cost) == (0, [], 0.0)
