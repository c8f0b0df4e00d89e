"""Reductions lose no optimum, wherever they are cut off; tests/core/test_covering.py has random set systems."""

import threading
from itertools import product

import numpy as np
import pytest

from annealco import _core
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.graph.operations import induced_subgraph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search.covering import as_hitting_set
from annealco.search.reductions import reduced_sets
from tests.search.test_covering import COVERING, hits_all


def optimum(problem):
    """The least cost over all choices, and a choice that has it."""
    choices = [np.array(bits, dtype=bool) for bits in product((0, 1), repeat=len(problem.cost))]
    hitting = [bits for bits in choices if hits_all(problem, bits)]
    return min(((float(problem.cost @ bits), bits) for bits in hitting), key=lambda pair: pair[0])


def core_problem(name, graph):
    sets = as_hitting_set(PROBLEMS[name].declare(graph))
    assert sets is not None
    return sets.core


def reduced(problem, **limits):
    return _core.reduce_sets(problem, _core.Clock(**limits))


@pytest.mark.parametrize("name", COVERING)
def test_an_optimum_of_the_kernel_lifts_to_an_optimum(name):
    for graph in small_graphs(np.random.default_rng(1), num_random=40, max_nodes=7):
        problem = core_problem(name, graph)
        reduction = reduced(problem)
        lifted = reduction.lift(optimum(reduction.kernel)[1])
        assert hits_all(problem, lifted)
        assert problem.cost @ lifted == pytest.approx(optimum(problem)[0])


@pytest.mark.parametrize("name", ["mis", "mds", "vertex_cover"])
def test_trees_vanish(name):
    rng = np.random.default_rng(3)
    parents = [int(rng.integers(0, child)) for child in range(1, 200)]
    tree = Graph.from_edges([parents, range(1, 200)])
    assert len(reduced(core_problem(name, tree)).left) == 0


def test_hard_graphs_stay_whole():
    petersen = Graph.from_edges(
        [[0, 1, 2, 3, 0, 0, 1, 2, 3, 4, 5, 5, 6, 6, 7], [1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 7, 8, 8, 9, 9]]
    )
    problem = core_problem("mis", petersen)
    reduction = reduced(problem)
    assert reduction.left.tolist() == list(range(10))
    assert reduction.kernel is problem


def test_a_stop_leaves_the_problem_as_it_is():
    stop = _core.StopFlag()
    stop.set()
    problem = core_problem("mis", Graph.from_edges([[0, 0, 1, 1, 2], [1, 2, 3, 4, 5]]))
    untouched = reduced(problem, stop=stop)
    assert untouched.kernel is problem
    assert np.array_equal(untouched.left, np.arange(6))
    assert not untouched.chosen.any()
    assert len(reduced(problem).left) == 0


def test_reductions_can_be_cut_off_anywhere_without_losing_an_optimum():
    rng = np.random.default_rng(3)
    for name in ("mis", "mds"):
        graph = generate("er-small", count=1, seed=3)[0]
        small = induced_subgraph(graph, rng.choice(graph.num_nodes, 11, replace=False))
        problem = core_problem(name, small)
        best = optimum(problem)[0]
        for seconds in (0.0, 1e-6, 1e-5, 1e-4):
            reduction = reduced(problem, seconds=seconds)
            assert optimum(reduction.kernel)[0] + problem.cost[reduction.chosen].sum() == pytest.approx(best)


def test_an_instance_is_reduced_once_whoever_asks():
    graph = generate("rb-small", count=1, seed=1)
    instance = PROBLEMS["mis"].declare(graph)
    found = []
    threads = [threading.Thread(target=lambda: found.append(reduced_sets(instance))) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len({id(each) for each in found}) == 1
    # What is not the same instance shares nothing: it may have other weights.
    assert reduced_sets(PROBLEMS["mis"].declare(graph)) is not found[0]
    assert reduced_sets(PROBLEMS["max_cut"].declare(graph)) is None
