from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines.exact import Answer, read_answer, run_exact
from annealco.baselines.exact.lowering import lower
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.baselines import milp
from tests.budgets import FAR

CYCLE = Graph.from_edges([[0, 1, 2, 3, 0], [1, 2, 3, 4, 4]])
MIS = PROBLEMS["mis"].declare(CYCLE)


def given(answer: Answer, graph: Graph = CYCLE):
    instance = PROBLEMS["mis"].declare(graph)
    return read_answer(instance, lower(instance), answer, seconds=2.5)


def test_bounds_are_raised_to_the_grid_and_turned_to_the_user_s_sense() -> None:
    found = given(Answer(np.array([1.0, 0, 0, 0, 0]), -2.4999))
    assert (found.bound, found.proven, found.seconds) == (2.0, False, 2.5)
    # A float solver's −2 may be slightly above: that proves nothing better.
    assert given(Answer(None, -2 + 1e-9)).bound == 2.0
    assert given(Answer(None)).bound is None


def test_a_bound_that_is_reached_proves_without_the_solver_s_word() -> None:
    found = given(Answer(np.array([0.999, 0, 1, 1e-9, 0]), -2.3))
    assert (found.bound, found.proven) == (2.0, True)
    assert found.assignment is not None
    assert found.assignment.tolist() == [True, False, True, False, False]
    real = CYCLE.with_weights(node_weight=np.full(5, 0.1) + np.arange(5) / 7)
    assert not given(Answer(np.array([0.0, 0, 0, 1, 0]), -0.6), real).proven


def test_what_rounds_to_an_infeasible_set_is_no_set() -> None:
    found = given(Answer(np.array([0.6, 0.6, 0, 0, 0]), -2.0, optimal=True))
    assert (found.assignment, found.proven, found.note) == (None, False, "infeasible by rounding")


def test_a_start_is_completed_and_checked() -> None:
    seen = []

    def build(program):
        def solve(*, start, **rest):
            seen.append((start, rest))
            return Answer(start)

        return solve

    path = Graph.from_edges([[0, 1], [1, 2]])
    run_exact(build, PROBLEMS["max_cut"], path, budget=30, seed=4, threads=2, start=np.array([True, True, False]))
    [(start, rest)] = seen
    # Of the edges, the first is not cut and the second is.
    assert start.tolist() == [1, 1, 0, 0, 1]
    assert rest == {"seconds": 30, "seed": 4, "threads": 2}
    for bad in (np.ones(5, bool), np.ones(4, bool)):
        with pytest.raises(InputError, match=r"a start must be \[5\] bits of a feasible set"):
            run_exact(milp.build, PROBLEMS["mis"], CYCLE, budget=FAR, seed=0, threads=1, start=bad)


def test_no_nodes_are_solved_at_once() -> None:
    nothing = Graph.from_edges(np.zeros((2, 0), int), 0)
    found = run_exact(milp.build, PROBLEMS["mis"], nothing, budget=FAR, seed=0, threads=1, start=None)
    assert (found.bound, found.proven) == (0.0, True)
