from itertools import product

import numpy as np
import pytest

from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.graph.operations import induced_subgraph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search.hitting_set import as_hitting_set, assemble
from annealco.search.reduction import reduce_sets
from tests.search.test_hitting_set import COVERING, hits_all


def optimum(problem):
    """The least cost over all choices, and a choice that has it."""
    size = len(problem.cost)
    choices = [np.array(bits, dtype=bool) for bits in product((0, 1), repeat=size)]
    hitting = [bits for bits in choices if hits_all(problem, bits)]
    return min(((float(problem.cost @ bits), bits) for bits in hitting), key=lambda pair: pair[0])


@pytest.mark.parametrize("name", COVERING)
def test_an_optimum_of_the_kernel_lifts_to_an_optimum(name):
    for graph in small_graphs(np.random.default_rng(1), num_random=40, max_nodes=7):
        problem = as_hitting_set(PROBLEMS[name].declare(graph))
        reduction = reduce_sets(problem)
        lifted = reduction.lift(optimum(reduction.kernel)[1])
        assert hits_all(problem, lifted)
        assert problem.cost @ lifted == pytest.approx(optimum(problem)[0])


def test_an_optimum_lifts_on_random_set_systems():
    rng = np.random.default_rng(0)
    for _ in range(150):
        size = int(rng.integers(1, 9))
        sets = [rng.permutation(size)[: rng.integers(1, min(size, 4) + 1)] for _ in range(rng.integers(0, 10))]
        members = np.concatenate([np.zeros(0, int), *sets])
        problem = assemble(
            rng.integers(0, 4, size), np.array([len(s) for s in sets], dtype=int), members, inverted=False
        )
        reduction = reduce_sets(problem)
        lifted = reduction.lift(optimum(reduction.kernel)[1])
        assert hits_all(problem, lifted)
        assert problem.cost @ lifted == pytest.approx(optimum(problem)[0])


@pytest.mark.parametrize("name", ["mis", "mds", "vertex_cover"])
def test_trees_vanish(name):
    rng = np.random.default_rng(3)
    parents = [int(rng.integers(0, child)) for child in range(1, 200)]
    tree = Graph.from_edges([parents, range(1, 200)])
    assert len(reduce_sets(as_hitting_set(PROBLEMS[name].declare(tree))).left) == 0


def test_hard_graphs_stay_whole():
    petersen = Graph.from_edges(
        [[0, 1, 2, 3, 0, 0, 1, 2, 3, 4, 5, 5, 6, 6, 7], [1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 7, 8, 8, 9, 9]]
    )
    problem = as_hitting_set(PROBLEMS["mis"].declare(petersen))
    reduction = reduce_sets(problem)
    assert reduction.left.tolist() == list(range(10))
    assert np.array_equal(reduction.kernel.members, problem.members)
    assert np.array_equal(reduction.kernel.partner, problem.partner)


def test_a_hundred_thousand_nodes_take_well_below_seconds():
    import time

    graph = generate("ba-small", count=400, seed=0)
    problem = as_hitting_set(PROBLEMS["mds"].declare(graph))
    reduce_sets(problem)
    started = time.process_time()
    reduce_sets(problem)
    assert time.process_time() - started < 3


def test_reductions_that_have_no_time_leave_the_problem_as_it_is():
    tree = Graph.from_edges([[0, 0, 1, 1, 2], [1, 2, 3, 4, 5]])
    problem = as_hitting_set(PROBLEMS["mis"].declare(tree))
    untouched = reduce_sets(problem, seconds=0.0)
    assert untouched.kernel is problem
    assert np.array_equal(untouched.left, np.arange(6))
    assert not untouched.chosen.any()
    assert len(reduce_sets(problem).left) == 0


def test_reductions_can_be_cut_off_anywhere_without_losing_an_optimum():
    rng = np.random.default_rng(3)
    for name in ("mis", "mds"):
        graph = generate("er-small", count=1, seed=3)[0]
        small = induced_subgraph(graph, rng.choice(graph.num_nodes, 11, replace=False))
        problem = as_hitting_set(PROBLEMS[name].declare(small))
        best = optimum(problem)[0]
        for seconds in (0.0, 1e-6, 1e-5, 1e-4):
            reduction = reduce_sets(problem, seconds)
            assert optimum(reduction.kernel)[0] + problem.cost[reduction.chosen].sum() == pytest.approx(best)
