import math

import numpy as np
import pytest
from scipy.optimize import linprog

from annealco.bounds.covering import Covering, certified_cost, covering_of
from annealco.bounds.set_prices import greedy_prices, improve_prices, start_prices
from annealco.bounds.structure import read_structure
from annealco.graph.generators import generate
from annealco.problems import PROBLEMS
from tests.bounds.references import random_graph, sets_of


def covering(graph):
    return covering_of(read_structure(PROBLEMS["mds"].declare(graph)))


def program(problem):
    """The best bound that prices can prove, by an independent solver."""
    matrix = np.zeros((len(problem.set_ptr) - 1, len(problem.weight)))
    for row, members in enumerate(sets_of(problem.set_ptr, problem.members)):
        matrix[row, members] = 1
    return linprog(problem.weight, A_ub=-matrix, b_ub=-np.ones(len(matrix)), bounds=(0, None)).fun


@pytest.mark.parametrize("weights", [None, "integer", "real"])
def test_greedy_prices_exceed_no_weight_and_cannot_be_raised(weights):
    graph = random_graph(0, 30, 0.15, weights=weights)
    problem = covering(graph)
    price = greedy_prices(problem)
    load = np.bincount(problem.members, np.repeat(price, np.diff(problem.set_ptr)), minlength=30)
    assert (load <= problem.weight + 1e-9).all()
    full = np.isclose(load, problem.weight)
    assert all(full[members].any() for members in sets_of(problem.set_ptr, problem.members))


@pytest.mark.parametrize("weighted", [False, True])
def test_steps_come_close_to_the_linear_program(weighted):
    graph = generate("ba-small", count=1, seed=2)
    if weighted:
        graph = graph.with_weights(node_weight=np.random.default_rng(0).integers(1, 50, graph.num_nodes))
    problem = covering(graph)
    search = start_prices(problem, greedy_prices(problem), math.inf)
    before = certified_cost(problem, search.best)
    while improve_prices(problem, search, 50):
        pass
    after, best = certified_cost(problem, search.best), program(problem)
    assert before < after <= best + 1e-6
    assert after > 0.98 * best


def test_chunks_do_not_change_the_steps():
    problem = covering(random_graph(1, 25, 0.2))
    whole, parts = (start_prices(problem, greedy_prices(problem), math.inf) for _ in range(2))
    improve_prices(problem, whole, 60)
    for _ in range(12):
        improve_prices(problem, parts, 5)
    assert np.array_equal(whole.best, parts.best)


def test_without_sets_there_is_nothing_to_do():
    problem = Covering(np.ones(2), np.zeros(1, np.int64), np.zeros(0, np.int32), 0.0)
    assert greedy_prices(problem).shape == (0,)
    assert improve_prices(problem, start_prices(problem, np.zeros(0), math.inf), 10) == 0
