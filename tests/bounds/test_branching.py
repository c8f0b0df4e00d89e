import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp

from annealco.bounds.branch_bound import demands_of
from annealco.bounds.branching import EXHAUSTED, RUNNING, explore
from annealco.bounds.choice_tree import start_tree
from annealco.bounds.cutting_plane import SetList
from tests.bounds.references import least_cover


@st.composite
def covers(draw):
    size = draw(st.integers(1, 7))
    sets = [
        sorted(each) for each in draw(st.lists(st.sets(st.integers(0, size - 1), min_size=1), min_size=1, max_size=7))
    ]
    weight = draw(st.lists(st.integers(1, 9), min_size=size, max_size=size))
    demand = [draw(st.integers(1, len(each))) for each in sets]
    return np.array(weight, float), sets, demand


def as_demands(weight, sets, demand):
    start = np.concatenate([[0], np.cumsum([len(each) for each in sets])]).astype(np.int64)
    member = np.array([node for each in sets for node in each], np.int32)
    return demands_of(weight, SetList(start, member), np.array(demand))


@given(covers(), st.integers(0, 60))
@settings(max_examples=150)
def test_the_limit_is_exceeded_exactly_where_no_cover_keeps_it(case, limit):
    weight, sets, demand = case
    demands, best = as_demands(*case), least_cover(weight, sets, demand)
    tree = start_tree(demands, np.zeros(len(sets)), limit + 0.5, 0.5)
    while (status := explore(demands, tree, 5)) == RUNNING:
        pass
    assert status == EXHAUSTED
    if best <= limit:
        assert tree.cost[1] == best
        assert tree.cost[0] == best - 0.5
    else:
        assert tree.cost[1] == np.inf
        assert tree.cost[0] == limit + 0.5


@given(covers())
@settings(max_examples=30)
def test_wild_prices_do_no_harm(case):
    weight, sets, demand = case
    demands = as_demands(*case)
    price = np.random.default_rng(0).uniform(0, 100, len(sets))
    tree = start_tree(demands, price, weight.sum() + 0.5, 0.5)
    while explore(demands, tree, 5) == RUNNING:
        pass
    assert tree.cost[1] == least_cover(weight, sets, demand)


@pytest.mark.parametrize("chunk", [1, 7, 1000])
def test_chunks_do_not_change_what_is_found(chunk):
    rng = np.random.default_rng(0)
    sets = [sorted(rng.choice(25, 4, replace=False).tolist()) for _ in range(40)]
    demands = as_demands(np.ones(25), sets, [1] * 40)
    tree = start_tree(demands, np.zeros(40), 100.0, 0.5)
    while explore(demands, tree, chunk) == RUNNING:
        pass
    matrix = np.zeros((40, 25))
    for row, members in enumerate(sets):
        matrix[row, members] = 1
    solved = milp(np.ones(25), integrality=np.ones(25), bounds=Bounds(0, 1), constraints=LinearConstraint(matrix, 1))
    assert tree.cost[1] == tree.cost[0] + 0.5 == round(solved.fun)
