import numpy as np
import pytest
from hypothesis import given, settings

from annealco.bounds.enumeration import is_enumerable, prove_by_enumeration
from annealco.energy import AllPairs, Constraint, Cover, Instance, Linear, Range
from annealco.problems import PROBLEMS
from tests.bounds.references import ledger, random_graph
from tests.graph.strategies import graphs
from tests.problems.brute_force import best_score
from tests.problems.sums import SUMS


@pytest.mark.parametrize("name", SUMS)
@given(graph=graphs(max_nodes=6, weighted=True, signed=True))
@settings(max_examples=20)
def test_the_optimum_itself_is_the_bound(name, graph):
    instance, book = SUMS[name].declare(graph), ledger(step=0.25)
    best = best_score(SUMS[name], graph)
    assert is_enumerable(instance)
    assert prove_by_enumeration(instance, book)
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
    assert prove_by_enumeration(Instance(ptr, terms, (Constraint(box, np.ones(1)),)), book)
    assert book.cost == pytest.approx(-3.0, abs=1e-9)


def test_large_instances_are_not_enumerable_and_time_can_run_out():
    assert not is_enumerable(PROBLEMS["mis"].declare(random_graph(0, 25, 0.5)))
    assert not is_enumerable(PROBLEMS["mis"].declare(random_graph(0, 200, 0.0)))
    book = ledger(seconds=0.0)
    assert not prove_by_enumeration(PROBLEMS["mis"].declare(random_graph(0, 5, 0.5)), book)
    assert book.cost == -np.inf


def test_where_nothing_is_feasible_nothing_is_offered():
    ptr, book = np.array([0, 2]), ledger()
    box = Range(ptr, np.full(2, 2.0), np.array([1.0]), np.array([1.5]), np.ones(1))
    assert not prove_by_enumeration(Instance(ptr, (Linear(ptr, np.ones(2)),), (Constraint(box, np.ones(1)),)), book)
    assert book.cost == -np.inf
