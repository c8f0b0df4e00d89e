"""Annealing and tabu search in turns, and the sweeps through ranges that they begin with."""

import itertools

import numpy as np
import pytest

from annealco.baselines.greedy import growth
from annealco.energy import Constraint, Instance, Linear, Range
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search.alternating import AlternatingSearch
from annealco.search.budget import Budget, Trace
from tests.problems.brute_force import best_score
from tests.problems.sums import SUMS
from tests.search.instances import cost_of

TURNS = 800 + 32
"""Moves per node of a turn of annealing and one of tabu search."""


def begun(instance: Instance, start: np.ndarray | None = None) -> tuple[list[int], float]:
    """Return what the sweeps alone find."""
    search = AlternatingSearch(instance, np.zeros(instance.num_nodes, bool) if start is None else start, 0)
    _, assignment, cost = search.run(Budget(moves=0), -np.inf, Trace())
    return np.flatnonzero(assignment).tolist(), cost


@pytest.mark.parametrize("name", SUMS)
def test_small_graphs_are_solved(name):
    for graph in small_graphs(np.random.default_rng(6), num_random=15, max_nodes=7):
        instance = SUMS[name].declare(graph)
        search = AlternatingSearch(instance, np.zeros(graph.num_nodes, bool), 1)
        _, assignment, cost = search.run(Budget(moves=20_000), -np.inf, Trace())
        sign = 1 if instance.sense == "min" else -1
        assert SUMS[name].score(graph, np.flatnonzero(assignment)) == pytest.approx(sign * cost)
        assert sign * cost == pytest.approx(best_score(SUMS[name], graph))


def test_moves_and_a_seed_repeat_the_result_however_the_run_is_cut():
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
