import numpy as np
import pytest

from annealco.graph.errors import InputError
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search.budget import Budget, Trace
from annealco.search.tabu import TabuSearch, tabu_search
from tests.problems.brute_force import best_score
from tests.problems.sums import SUMS


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


def test_moves_and_a_seed_repeat_the_result_however_the_run_is_cut():
    instance = PROBLEMS["max_cut"].declare(generate("er-small", count=1, seed=1))
    whole, cut = (TabuSearch(instance, np.zeros(instance.num_nodes, bool), 3) for _ in range(2))
    _, one, cost = whole.run(Budget(moves=6000), -np.inf, Trace())
    for moves in (1, 999, 5000):
        _, two, other = cut.run(Budget(moves=moves), -np.inf, Trace())
    assert cost == other
    assert np.array_equal(one, two)


def test_boxes_and_seed_nodes_are_kept_on_larger_graphs():
    graph = generate("ba-small", count=1, seed=3)
    problem = PROBLEMS["cut"].with_options(volume=(300, 360), seed_node=5)
    result = tabu_search(problem.declare(graph), np.zeros(graph.num_nodes, bool), Budget(moves=20_000), seed=0)
    assert result.feasible
    assert problem.score(graph, np.flatnonzero(result.assignment)) == result.cost
    first = result.trace[0][1]
    assert result.cost < first


def test_several_graphs_are_refused():
    edge = Graph.from_edges([[0], [1]])
    with pytest.raises(InputError, match="a search is of one graph, this instance has 2"):
        tabu_search(PROBLEMS["max_cut"].declare(Graph.batch([edge, edge])), np.zeros(4, bool), Budget(moves=1))
