"""Branch and bound over rows with demands, against brute force and an integer program."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp

from annealco._core import BranchAndBound, Clock, StopFlag
from annealco.bounds.branching import is_enumerable, prove_by_branching, prove_by_enumeration
from annealco.bounds.certify import Slack
from annealco.bounds.linear_program import SetList
from annealco.energy import AllPairs, Constraint, Cover, Instance, Linear, Range
from annealco.energy.structure import structure_of
from annealco.problems import PROBLEMS
from tests.bounds.references import least_cover, ledger, random_graph
from tests.graph.strategies import graphs
from tests.problems.brute_force import best_score
from tests.problems.sums import SUMS


@st.composite
def covers(draw):
    size = draw(st.integers(1, 7))
    sets = [
        sorted(each) for each in draw(st.lists(st.sets(st.integers(0, size - 1), min_size=1), min_size=1, max_size=7))
    ]
    weight = draw(st.lists(st.integers(1, 9), min_size=size, max_size=size))
    demand = [draw(st.integers(1, len(each))) for each in sets]
    return np.array(weight, float), sets, demand


def as_rows(sets):
    start = np.concatenate([[0], np.cumsum([len(each) for each in sets])]).astype(np.int64)
    return SetList(start, np.array([node for each in sets for node in each], np.int32))


def new_search(weight, sets, demand, price=None):
    price = np.zeros(len(sets)) if price is None else price
    start, member, _ = as_rows(sets)
    return BranchAndBound(start, member, np.array(demand, np.int32), np.asarray(weight, float), price)


def prove(case, book, constant=0.0):
    weight, sets, demand = case
    return prove_by_branching(
        weight,
        as_rows(sets),
        np.array(demand),
        np.zeros(len(sets)),
        book,
        constant=constant,
        offer=lambda cost: book.offer(cost, "branching"),
    )


@given(covers(), st.integers(0, 60))
@settings(max_examples=150)
def test_the_limit_is_exceeded_exactly_where_no_cover_keeps_it(case, limit):
    best = least_cover(*case)
    exhausted, proven, found = new_search(*case).search(limit + 0.5, 0.5, Clock())
    assert exhausted
    assert (proven, found) == ((best - 0.5, best) if best <= limit else (limit + 0.5, math.inf))


@given(covers())
@settings(max_examples=30)
def test_wild_prices_do_no_harm(case):
    weight, sets, demand = case
    price = np.random.default_rng(0).uniform(0, 100, len(sets))
    assert new_search(weight, sets, demand, price).search(weight.sum() + 0.5, 0.5, Clock())[2] == least_cover(*case)


@given(covers(), st.integers(0, 2**32))
@settings(max_examples=60)
def test_weights_and_prices_of_all_sizes_prove_nothing_false(case, seed):
    """Sums with many roundings, and limits next to the optimum."""
    _, sets, demand = case
    rng = np.random.default_rng(seed)
    weight = rng.random(len(case[0])) * 10.0 ** rng.integers(-9, 9, len(case[0]))
    price = rng.random(len(sets)) * 10.0 ** rng.integers(-9, 9, len(sets))
    best = least_cover(weight, sets, demand)
    for limit in (best * (1 - 1e-15), best, best * (1 + 1e-15), 2 * best):
        exhausted, proven, found = new_search(weight, sets, demand, price).search(limit, 0.0, Clock())
        assert exhausted
        assert proven <= best * (1 + 1e-15)
        assert found >= best * (1 - 1e-15)


def test_a_search_can_be_used_again_and_moves_alone_decide():
    rng = np.random.default_rng(0)
    sets = [sorted(rng.choice(25, 4, replace=False).tolist()) for _ in range(40)]
    matrix = np.zeros((40, 25))
    for row, members in enumerate(sets):
        matrix[row, members] = 1
    solved = milp(np.ones(25), integrality=np.ones(25), bounds=Bounds(0, 1), constraints=LinearConstraint(matrix, 1))
    search, clock = new_search(np.ones(25), sets, [1] * 40), Clock()
    expected = (True, round(solved.fun) - 0.5, round(solved.fun))
    assert search.search(100.0, 0.5, clock) == expected
    assert not search.search(100.0, 0.5, Clock(moves=clock.moves - 1))[0]
    assert search.search(100.0, 0.5, Clock(moves=clock.moves)) == expected


def test_a_demand_that_no_choice_meets_is_refuted():
    assert new_search([1.0, 1.0], [[0, 1]], [3]).search(100.0, 0.5, Clock()) == (True, 100.0, math.inf)


def test_without_demands_nothing_is_chosen():
    assert new_search([1.0, 1.0], [[0, 1]], [0]).search(100.0, 0.5, Clock()) == (True, -0.5, 0.0)
    assert new_search([], [], []).search(100.0, 0.5, Clock()) == (True, -0.5, 0.0)


@given(covers())
@settings(max_examples=60)
def test_levels_rise_to_the_optimum_and_no_further(case):
    book = ledger(step=1.0)
    book.offer(0.0, "start")
    assert prove(case, book)
    assert book.cost == least_cover(*case)


@given(covers())
@settings(max_examples=30)
def test_a_known_optimum_is_proven_also_with_weights_off_any_grid(case):
    weight, sets, demand = case
    weight = weight * math.pi / 3
    best = least_cover(weight, sets, demand)
    book = ledger(target=best + 2.0, slack=Slack(share=len(weight) * 1e-15))
    book.offer(2.0, "start")
    prove((weight, sets, demand), book, constant=2.0)
    assert book.closed
    assert book.cost <= best + 2.0


def test_a_target_that_is_too_low_ends_the_search_at_the_target():
    book = ledger(step=1.0, target=2.0)
    book.offer(0.0, "start")
    prove((np.ones(6), [[0, 1], [2, 3], [4, 5]], [1, 1, 1]), book)
    assert book.cost == 2.0


def test_no_time_proves_nothing():
    stop = StopFlag()
    stop.set()
    for settings_ in ({"seconds": 0.0}, {"stop": stop}):
        book = ledger(step=1.0, **settings_)
        book.offer(0.0, "start")
        assert not prove((np.ones(2), [[0, 1]], [1]), book)
        assert book.cost == pytest.approx(0.0)


@pytest.mark.parametrize("name", SUMS)
@given(graph=graphs(max_nodes=6, weighted=True, signed=True))
@settings(max_examples=20)
def test_the_optimum_itself_is_the_bound(name, graph):
    instance, book = SUMS[name].declare(graph), ledger(step=0.25)
    best = best_score(SUMS[name], graph) - (0 if instance.constant is None else instance.constant[0])
    assert is_enumerable(structure_of(instance))
    prove_by_enumeration(instance, book)
    assert book.complete
    assert book.cost == (best if instance.sense == "min" else -best)


def test_objectives_of_any_terms():
    ptr = np.array([0, 3])
    terms = (
        Linear(ptr, np.array([-1.0, 2.0, -3.0])),
        AllPairs(ptr, np.ones(3)),
        Cover(ptr, np.array([0, 2]), np.array([0, 1]), np.array([5.0])),
    )
    box = Range(ptr, np.ones(3), np.array([2.0]), np.array([2.0]), np.ones(1))
    book = ledger()
    prove_by_enumeration(Instance(ptr, terms, (Constraint(box, np.ones(1)),)), book)
    assert book.complete
    assert book.cost == pytest.approx(-3.0, abs=1e-9)


def test_large_instances_are_not_enumerable_and_time_can_run_out():
    assert not is_enumerable(structure_of(PROBLEMS["mis"].declare(random_graph(0, 25, 0.5))))
    assert not is_enumerable(structure_of(PROBLEMS["mis"].declare(random_graph(0, 200, 0.0))))
    book = ledger(seconds=0.0)
    prove_by_enumeration(PROBLEMS["mis"].declare(random_graph(0, 5, 0.5)), book)
    assert not book.complete
    assert book.cost == -np.inf


def test_where_nothing_is_feasible_nothing_is_offered():
    ptr, book = np.array([0, 2]), ledger()
    box = Range(ptr, np.full(2, 2.0), np.array([1.0]), np.array([1.5]), np.ones(1))
    prove_by_enumeration(Instance(ptr, (Linear(ptr, np.ones(2)),), (Constraint(box, np.ones(1)),)), book)
    assert not book.complete
    assert book.cost == -np.inf
