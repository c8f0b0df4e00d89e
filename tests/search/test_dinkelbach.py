import threading
import time

import numpy as np
import pytest

from annealco._core import StopFlag
from annealco.graph.generators import generate
from annealco.problems import PROBLEMS, check_problem
from annealco.search.budget import Budget
from annealco.search.dinkelbach import QuotientImprover
from tests.bounds.references import random_graph
from tests.search.instances import all_assignments
from tests.search.quotients import DENSEST, quotient_of

CONDUCTANCE = PROBLEMS["conductance"]


def test_the_densest_subgraph_keeps_the_contract():
    check_problem(DENSEST)


@pytest.mark.parametrize("problem", [CONDUCTANCE, DENSEST], ids=lambda each: each.name)
@pytest.mark.parametrize("weights", [None, "integer", "real"])
def test_the_least_of_all_sets_is_found(problem, weights):
    for seed in range(8):
        quotient = quotient_of(problem, random_graph(seed, 11, 0.35, weights=weights))
        costs = quotient.costs(all_assignments(11))
        worst = np.where(np.isfinite(costs), costs, -np.inf).argmax()
        search = QuotientImprover(quotient, all_assignments(11)[worst], seed=seed)
        assert search.cost == costs.max(where=np.isfinite(costs), initial=-np.inf)
        search.improve(Budget(moves=20_000))
        assert search.cost == pytest.approx(costs.min(), rel=1e-12)
        found = [cost for _, cost in search.trace.points]
        assert found == sorted(found, reverse=True)
        assert found[-1] == search.cost == quotient.costs(search.assignment[None])[0]


def test_a_start_that_is_not_feasible_is_left_behind():
    quotient = quotient_of(CONDUCTANCE, random_graph(0, 11, 0.35))
    search = QuotientImprover(quotient, np.zeros(11, bool), seed=0)
    assert (search.cost, search.method) == (np.inf, "decoding")
    search.improve(Budget(moves=5000))
    assert search.cost < np.inf
    assert search.method == "annealing and tabu search"


def test_moves_are_counted_and_repeatable_however_they_are_cut():
    quotient = quotient_of(CONDUCTANCE, generate("ba-small", count=1, seed=1))
    start = np.random.default_rng(0).random(quotient.numerator.num_nodes) < 0.3
    whole, again = (QuotientImprover(quotient, start, seed=4) for _ in range(2))
    for each in (whole, again):
        each.improve(Budget(moves=70_001))
        assert each.moves == 70_001
    assert np.array_equal(whole.assignment, again.assignment)
    none = QuotientImprover(quotient, start, seed=4)
    none.improve(Budget(moves=0))
    assert (none.moves, none.method) == (0, "decoding")


def test_a_target_a_clock_and_a_stop_end_the_search():
    quotient = quotient_of(CONDUCTANCE, generate("ba-large", count=1, seed=1))
    start = np.random.default_rng(0).random(quotient.numerator.num_nodes) < 0.3
    search = QuotientImprover(quotient, start, seed=0)
    search.improve(Budget(moves=1000))
    before = search.moves
    search.improve(Budget(seconds=60), target=search.cost)
    assert search.moves == before
    started, stop = time.perf_counter(), StopFlag()
    search.improve(Budget(seconds=0.3))
    assert 0.25 < time.perf_counter() - started < 2
    threading.Timer(0.2, stop.set).start()
    search.improve(Budget(seconds=60, stop=stop))
    assert time.perf_counter() - started < 20


def test_graphs_of_one_edge_have_one_quotient():
    quotient = quotient_of(CONDUCTANCE.with_options(volume=(1, 1)), random_graph(0, 2, 1.1))
    search = QuotientImprover(quotient, np.array([True, False]), seed=0)
    search.improve(Budget(moves=2000))
    assert search.cost == 1.0
