from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco.bounds.covering import Covering, certified_cost, covering_of
from annealco.bounds.structure import read_structure
from annealco.energy import Constraint, Cover, Instance, Linear
from annealco.problems import PROBLEMS
from tests.bounds.references import least_cover, sets_of
from tests.graph.strategies import graphs
from tests.problems.brute_force import best_score


@st.composite
def priced(draw):
    size = draw(st.integers(1, 6))
    sets = [sorted(each) for each in draw(st.lists(st.sets(st.integers(0, size - 1), min_size=1), max_size=6))]
    weight = np.array(draw(st.lists(st.floats(0.1, 10), min_size=size, max_size=size)))
    price = np.array(draw(st.lists(st.floats(-1, 20), min_size=len(sets), max_size=len(sets))))
    start = np.concatenate([[0], np.cumsum([len(each) for each in sets])]).astype(np.int64)
    member = np.array([node for each in sets for node in each], np.int32)
    return Covering(weight, start, member, draw(st.floats(-5, 5))), sets, price


@given(priced())
def test_any_prices_prove_a_bound_and_nearly_all_of_it(case):
    covering, sets, price = case
    paid = [max(Fraction(0), Fraction(each)) for each in price.tolist()]
    exact = Fraction(covering.constant) + sum(paid, start=Fraction(0))
    for node, weight in enumerate(covering.weight.tolist()):
        load = sum((p for p, each in zip(paid, sets, strict=True) if node in each), start=Fraction(0))
        exact += min(Fraction(0), Fraction(weight) - load)
    proven = certified_cost(covering, price)
    assert Fraction(proven) <= exact
    assert float(exact) - proven <= 1e-12 * (1 + sum(map(float, paid)) * len(covering.weight))
    assert proven <= covering.constant + least_cover(covering.weight.tolist(), sets) + 1e-9


@given(graphs(min_nodes=1, max_nodes=6, weighted=True))
@settings(max_examples=40)
def test_a_covering_has_the_same_optimum(graph):
    covering = covering_of(read_structure(PROBLEMS["mds"].declare(graph)))
    least = least_cover(covering.weight.tolist(), sets_of(covering.set_ptr, covering.members))
    assert covering.constant + least == best_score(PROBLEMS["mds"], graph)


def test_nodes_that_cost_nothing_hit_their_sets_and_gains_are_taken():
    ptr = np.array([0, 4])
    sets = Cover(ptr, np.array([0, 2, 4]), np.array([0, 1, 2, 3]), np.ones(2))
    instance = Instance(ptr, (Linear(ptr, np.array([-2.0, 1.0, 3.0, 4.0])),), (Constraint(sets, np.ones(2)),))
    covering = covering_of(read_structure(instance))
    assert covering.constant == pytest.approx(-2.0)
    assert sets_of(covering.set_ptr, covering.members) == [[2, 3]]
    assert covering.weight.tolist() == [0.0, 1.0, 3.0, 4.0]
