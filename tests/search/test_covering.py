import numpy as np
import pytest

from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search.cover_state import BEST, MOVE, begin
from annealco.search.covering import complete, run
from annealco.search.hitting_set import as_hitting_set
from tests.problems.brute_force import best_score
from tests.search.test_cover_state import check_state
from tests.search.test_hitting_set import COVERING, hits_all


@pytest.mark.parametrize("name", COVERING)
def test_small_graphs_are_solved(name):
    for graph in small_graphs(np.random.default_rng(4), num_random=40, max_nodes=7):
        instance = PROBLEMS[name].declare(graph)
        problem = as_hitting_set(instance)
        state = begin(problem, np.zeros(graph.num_nodes, bool), seed=0)
        run(problem, state, 500, -1.0)
        bits = ~state.best if problem.inverted else state.best
        score = PROBLEMS[name].score(graph, np.flatnonzero(bits))
        assert score == pytest.approx(best_score(PROBLEMS[name], graph))


def test_planted_independent_sets_are_found():
    graphs = generate("rb-small", count=10, seed=11)
    for graph in graphs:
        problem = as_hitting_set(PROBLEMS["mis"].declare(graph))
        target = float(graph.num_nodes - graph.graph_data["planted_size"][0])
        state = begin(problem, np.ones(graph.num_nodes, bool), seed=0)
        go_on = run(problem, state, 200_000, target)
        assert not go_on
        assert state.cost[BEST] == target


def test_a_start_that_hits_nothing_is_completed_without_weights():
    graph = generate("ba-small", count=1, seed=2)
    problem = as_hitting_set(PROBLEMS["mds"].declare(graph))
    state = begin(problem, np.zeros(graph.num_nodes, bool), seed=0)
    complete(problem, state)
    assert hits_all(problem, state.chosen)
    assert state.weight.max() == 1
    check_state(problem, state)


def test_the_same_seed_gives_the_same_run_however_it_is_cut():
    graph = generate("ba-small", count=1, seed=2)
    problem = as_hitting_set(PROBLEMS["mds"].declare(graph))
    whole, cut, other = (begin(problem, np.ones(graph.num_nodes, bool), seed=seed) for seed in (7, 7, 8))
    run(problem, whole, 3000, -1.0)
    for moves in (1, 499, 1500, 1000):
        run(problem, cut, moves, -1.0)
    run(problem, other, 3000, -1.0)
    assert whole.number[MOVE] == cut.number[MOVE] == 3000
    assert np.array_equal(whole.chosen, cut.chosen)
    assert np.array_equal(whole.weight, cut.weight)
    assert not np.array_equal(whole.weight, other.weight)


def test_old_weights_are_forgotten():
    # Four nodes: the mean weight passes half the number of variables after a few moves.
    graph = Graph.from_edges([[0, 0, 0, 1, 1, 2], [1, 2, 3, 2, 3, 3]])
    problem = as_hitting_set(PROBLEMS["vertex_cover"].declare(graph))
    state = begin(problem, np.ones(4, bool), seed=0)
    run(problem, state, 5000, -1.0)
    assert state.weight.max() <= 4
    assert state.cost[BEST] == 3


def test_nothing_to_choose_ends_at_once():
    for graph in (Graph.from_edges(np.zeros((2, 0), int), 0), Graph.from_edges(np.zeros((2, 0), int), 3)):
        problem = as_hitting_set(PROBLEMS["mis"].declare(graph))
        state = begin(problem, np.ones(graph.num_nodes, bool), seed=0)
        assert not run(problem, state, 100, -1.0)
        assert state.cost[BEST] == 0
    free = Graph.from_edges([[0], [1]], node_weight=[0, 0])
    problem = as_hitting_set(PROBLEMS["mds"].declare(free))
    state = begin(problem, np.zeros(2, bool), seed=0)
    assert not run(problem, state, 100, -1.0)
    assert state.best.all()
