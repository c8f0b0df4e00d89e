from fractions import Fraction

import numpy as np
import pytest

from annealco.energy import AllPairs, Constraint, Cover, Energy, Instance, Linear, Pairs, Range
from annealco.energy.structure import expand, has_small_sets, structure_of
from tests.bounds.references import random_graph
from tests.problems.sums import PRICED, SUMS

PTR = np.array([0, 3])


def constraint(term):
    return Constraint(term, np.ones_like(term.coefficient))


def test_terms_of_one_kind_are_joined():
    first, second = Pairs(PTR, np.array([[0], [1]]), np.ones(1)), Pairs(PTR, np.array([[1], [2]]), np.ones(1))
    sets = Cover(PTR, np.array([0, 1, 3]), np.array([2, 0, 1]), np.ones(2))
    box = Range(PTR, np.ones(3), np.array([1.0]), np.array([2.0]), np.ones(1))
    instance = Instance(
        PTR,
        (Linear(PTR, np.array([1.0, 2.0, 3.0])), Linear(PTR, np.ones(3)), first),
        tuple(constraint(term) for term in (first, second, sets, sets, box, AllPairs(PTR, np.ones(3)))),
    )
    found = structure_of(instance)
    assert found.linear.tolist() == [2.0, 3.0, 4.0]
    assert found.pairs.tolist() == [[0], [1]]
    assert found.conflicts.tolist() == [[0, 1], [1, 2]]
    assert found.set_ptr.tolist() == [0, 1, 3, 4, 6]
    assert found.members.tolist() == [2, 0, 1, 2, 0, 1]
    assert len(found.ranges) == len(found.apart) == 1


def test_items_without_a_price_do_not_constrain():
    pairs = Pairs(PTR, np.array([[0, 1], [1, 2]]), np.array([0.0, 1.0]))
    sets = Cover(PTR, np.array([0, 1, 3]), np.array([2, 0, 1]), np.array([0.0, 2.0]))
    box = Range(PTR, np.ones(3), np.array([1.0]), np.array([2.0]), np.zeros(1))
    found = structure_of(Instance(PTR, (), tuple(constraint(term) for term in (pairs, sets, box))))
    assert found.conflicts.tolist() == [[1], [2]]
    assert found.set_ptr.tolist() == [0, 2]
    assert found.members.tolist() == [0, 1]
    assert found.ranges == ()


def test_a_constraint_that_can_vanish_with_violations_is_left_out():
    mixed = Pairs(PTR, np.array([[0, 1], [1, 2]]), np.array([-1.0, 1.0]))
    assert structure_of(Instance(PTR, (), (constraint(mixed),))).conflicts.shape == (2, 0)


@pytest.mark.parametrize(
    "term",
    [
        AllPairs(PTR, np.ones(3)),
        Cover(PTR, np.array([0, 1]), np.array([0]), np.ones(1)),
        Range(PTR, np.ones(3), np.zeros(1), np.ones(1), np.ones(1)),
    ],
)
def test_other_terms_in_the_objective_are_not_understood(term):
    found = structure_of(Instance(PTR, (Linear(PTR, np.ones(3)), term)))
    assert not found.is_quadratic
    assert found.kind == "other"


def test_every_problem_is_understood():
    graph = random_graph(0, 6, 0.5)
    kinds = {name: structure_of(problem.declare(graph)) for name, problem in SUMS.items()}
    assert kinds["mis"].conflicts.shape[1] == graph.num_edges
    assert len(kinds["clique"].apart) == 1
    assert len(kinds["mds"].set_ptr) == 7
    assert len(kinds["cut"].ranges) == len(kinds[PRICED].ranges) == 1
    assert kinds[PRICED].linear == pytest.approx(kinds["cut"].linear - 0.25 * graph.degree)
    assert kinds["vertex_cover"].members.shape == (2 * graph.num_edges,)
    assert kinds["max_cut"].pairs.shape[1] == graph.num_edges


def test_sums_of_linear_terms_are_not_above_the_exact_ones():
    ptr, rng = np.array([0, 50]), np.random.default_rng(0)
    parts = [rng.normal(size=50) * 2.0 ** rng.integers(-60, 60, 50) for _ in range(3)]
    found = structure_of(Instance(ptr, tuple(Linear(ptr, part) for part in parts)))
    exact = [sum(map(Fraction, each)) for each in zip(*(part.tolist() for part in parts), strict=True)]
    assert not found.single
    assert all(Fraction(below) <= true for below, true in zip(found.linear.tolist(), exact, strict=True))
    assert found.linear == pytest.approx(np.array([float(each) for each in exact]), rel=1e-12)


THREE_GRAPHS = np.array([0, 3, 3, 6])


def test_values_are_those_of_the_sets():
    rng = np.random.default_rng(0)
    term = Cover(THREE_GRAPHS, np.array([0, 2, 3, 5, 7]), np.array([0, 2, 1, 4, 3, 5, 4]), rng.normal(size=4))
    linear, pairs, constant = expand(term)
    assert has_small_sets(term)
    bits = np.array(np.meshgrid(*[[0, 1]] * 6)).reshape(6, -1).T
    expected = Energy(THREE_GRAPHS, (linear, pairs)).value(bits) + constant
    assert term.value(bits) == pytest.approx(expected)
    assert pairs.pairs.tolist() == [[0, 4, 5], [2, 3, 4]]


def test_larger_sets_are_not_quadratic_and_none_at_all_is():
    assert not has_small_sets(Cover(THREE_GRAPHS, np.array([0, 3]), np.array([0, 1, 2]), np.ones(1)))
    empty = Cover(THREE_GRAPHS, np.array([0]), np.zeros(0, np.int32), np.zeros(0))
    assert has_small_sets(empty)
    assert expand(empty).constant.tolist() == [0.0, 0.0, 0.0]
