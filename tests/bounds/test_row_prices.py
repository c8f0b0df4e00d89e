import numpy as np
from scipy.optimize import linprog

from annealco.bounds.branch_bound import demands_of
from annealco.bounds.choice_tree import CHOSEN, LEFT_OUT, fix, start_tree
from annealco.bounds.cutting_plane import SetList
from annealco.bounds.row_prices import raise_prices


def random_rows(seed):
    """Rows of four of twenty nodes each, their demands and matrix, and weights."""
    rng = np.random.default_rng(seed)
    matrix = np.zeros((15, 20))
    for row in matrix:
        row[rng.choice(20, 4, replace=False)] = 1
    weight, demand = rng.integers(1, 9, 20).astype(float), rng.integers(1, 3, 15)
    start = np.arange(0, 61, 4)
    return weight, matrix, demand, SetList(start, np.nonzero(matrix)[1].astype(np.int32))


def relaxed_cost(weight, matrix, demand, bounds=(0, 1)):
    return linprog(weight, A_ub=-matrix, b_ub=-demand, bounds=bounds).fun


def test_prices_come_close_to_the_relaxation_and_never_exceed_it():
    for seed in range(10):
        weight, matrix, demand, rows = random_rows(seed)
        demands = demands_of(weight, rows, demand)
        tree = start_tree(demands, np.zeros(15), weight.sum(), 0.5)
        least = relaxed_cost(weight, matrix, demand)
        value, error = raise_prices(demands, tree, np.inf if seed % 2 else 2 * least, 400 if seed % 2 == 0 else 1)
        assert value - error <= least + 1e-9
        assert np.all(tree.price[0] >= 0)
        assert seed % 2 or value > 0.9 * least


def test_a_goal_that_is_passed_ends_the_steps():
    weight, matrix, demand, rows = random_rows(0)
    demands = demands_of(weight, rows, demand)
    tree = start_tree(demands, np.zeros(15), weight.sum(), 0.5)
    goal = 0.5 * relaxed_cost(weight, matrix, demand)
    value, error = raise_prices(demands, tree, goal, 400)
    assert goal < value - error <= relaxed_cost(weight, matrix, demand)


def test_what_is_fixed_is_not_paid_for_again():
    weight, matrix, demand, rows = random_rows(3)
    demands = demands_of(weight, rows, demand)
    tree = start_tree(demands, np.zeros(15), weight.sum(), 0.5)
    bounds = [(0, 1)] * 20
    for node, value, fixed in ((0, CHOSEN, (1, 1)), (1, LEFT_OUT, (0, 0))):
        fix(demands, tree, node, value)
        bounds[node] = fixed
    rest = relaxed_cost(weight, matrix, demand, bounds) - weight[0]
    value, error = raise_prices(demands, tree, 2 * rest, 400)
    assert 0.9 * rest < value - error + error <= rest + error + 1e-9
