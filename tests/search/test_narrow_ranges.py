"""Narrow ranges against enumeration."""

import numpy as np
import pytest

from annealco.energy import Constraint, Instance, Linear, Pairs, Range
from annealco.search.repair import repair
from tests.search.instances import knapsack


@pytest.mark.parametrize("width", [0, 1, 5])
def test_every_narrow_range_that_can_be_met_is_met(width):
    rng = np.random.default_rng(width)
    for size in (4, 7, 10):
        for _ in range(10):
            instance = knapsack(rng, size, width=width)
            rows = repair(instance, rng.random((6, size)) < 0.5)
            assert np.all(instance.violations(rows) == 0)


def test_two_flips_are_enough_for_fractional_weights_of_a_large_graph():
    rng = np.random.default_rng(0)
    size = 20_000
    ptr, weight = np.array([0, size]), rng.uniform(1, 2, size)
    box = Range(ptr, weight, np.array([10_000.0]), np.array([10_000.0 + 1e-3]), np.ones(1))
    instance = Instance(ptr, (Linear(ptr, rng.normal(size=size)),), (Constraint(box, np.ones(1)),))
    assert instance.violations(repair(instance, rng.random(size) < 0.5))[0] == 0


def test_the_cheapest_of_several_ways_is_taken():
    ptr = np.array([0, 4])
    box = Range(ptr, np.array([5.0, 4.0, 1.0, 3.0]), np.array([8.0]), np.array([8.0]), np.ones(1))
    instance = Instance(ptr, (Linear(ptr, np.array([9.0, 0.0, 0.0, 0.0])),), (Constraint(box, np.ones(1)),))
    assert repair(instance, np.zeros(4, bool)).tolist() == [False, True, True, True]  # 4 + 1 + 3, since 5 + 3 costs 9.


def test_what_breaks_a_pair_is_taken_back():
    ptr = np.array([0, 2])
    box = Range(ptr, np.array([2.0, 2.0]), np.array([4.0]), np.array([4.0]), np.array([0.1]))
    apart = Pairs(ptr, np.array([[0], [1]]), np.ones(1))
    instance = Instance(ptr, (), (Constraint(box, np.ones(1)), Constraint(apart, np.ones(1))))
    after = repair(instance, [False, False])
    assert after.sum() == 1  # Half of the way is better than none, and the pair stays apart.


def test_whole_weights_of_a_large_graph_reach_every_sum_that_they_can():
    """Nodes times sums are too many for a table, and two flips do not reach all of these."""
    ptr, weight = np.array([0, 900]), np.repeat([701.0, 300.0], [300, 600])
    for goal in (701 * 7 + 300 * 3, 701 * 299, 701 * 300 + 300 * 599, 300):
        box = Range(ptr, weight, np.array([float(goal)]), np.array([float(goal)]), np.ones(1))
        instance = Instance(ptr, (Linear(ptr, np.ones(900)),), (Constraint(box, np.ones(1)),))
        rows = repair(instance, np.random.default_rng(goal).random((3, 900)) < 0.5)
        assert (rows @ weight == goal).all()
