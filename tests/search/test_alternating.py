import numpy as np
import pytest

from annealco.baselines.greedy_growth import growth
from annealco.graph.generators import generate
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search.alternating import AlternatingSearch
from annealco.search.budget import Budget, Trace
from tests.problems.brute_force import best_score
from tests.problems.sums import SUMS


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
    turn = sum(whole.turns)
    _, one, cost = whole.run(Budget(moves=2 * turn), -np.inf, Trace())
    for moves in (1, turn // 3, turn, 2 * turn - turn - turn // 3 - 1):
        _, two, other = cut.run(Budget(moves=moves), -np.inf, Trace())
    assert cost == other
    assert np.array_equal(one, two)


def test_the_best_of_both_is_one():
    graph = generate("ba-small", count=1, seed=2)
    instance = PROBLEMS["cut"].declare(graph)
    search = AlternatingSearch(instance, np.zeros(graph.num_nodes, bool), 0)
    costs = []
    for _ in range(6):
        _, assignment, cost = search.run(Budget(moves=sum(search.turns) // 2), -np.inf, Trace())
        assert PROBLEMS["cut"].score(graph, np.flatnonzero(assignment)) == cost
        costs.append(cost)
    assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("seed", range(3))
def test_no_greedy_growth_is_better_however_short_the_search(seed):
    graph = generate("ba-small", count=1, seed=seed)
    instance = PROBLEMS["cut"].declare(graph, seed_node=int(np.argmax(graph.degree)))
    search = AlternatingSearch(instance, np.zeros(graph.num_nodes, bool), 0)
    _, assignment, cost = search.run(Budget(moves=1), -np.inf, Trace())
    assert instance.value(assignment)[0] == pytest.approx(cost)
    assert cost <= instance.value(growth(instance, seed=0))[0]
