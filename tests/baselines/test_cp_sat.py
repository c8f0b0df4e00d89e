from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines import METHODS
from annealco.baselines.exact.cp_sat import build
from annealco.baselines.exact.lowering import Program, equal_rows, lower
from annealco.energy import Instance, Linear, Range
from annealco.errors import InputError
from annealco.graph.generators import generate
from annealco.problems import PROBLEMS
from tests.baselines.backend import check_infeasible, check_limit, check_optima, check_out_of_time
from tests.budgets import ANY_MOMENT, FAR
from tests.problems.sums import SUMS

pytest.importorskip("ortools")


@pytest.mark.parametrize("problem", SUMS)
def test_optima_are_found_and_proven(problem: str) -> None:
    check_optima("cp_sat", problem)


def test_a_limit_is_kept_and_a_start_not_lost() -> None:
    check_limit("cp_sat")


def test_what_is_infeasible_is_said_to_be() -> None:
    check_infeasible(build)


def test_what_is_not_found_in_time_is_said_to_be() -> None:
    check_out_of_time(build)


def test_rows_of_fractions_are_taken_where_they_have_a_step() -> None:
    rows = equal_rows(np.array([[0, 1, 2]]), (0.5, 0.75, 1.25), lower=0.6, upper=1.3)
    program = Program(3, np.array([-1.0, -2.0, -4.1]), np.ones(3), rows)
    answer = build(program)(seconds=FAR, seed=0, threads=1, start=None)
    assert answer.values is not None
    assert answer.values.tolist() == [0, 0, 1]
    assert answer.bound == pytest.approx(-4.1)
    no_step = program.rows._replace(value=np.array([0.1, 2.0**60, 1 / 3]))
    with pytest.raises(InputError, match="CP-SAT needs rows of whole numbers"):
        build(Program(3, np.ones(3), np.ones(3), no_step))


def test_an_excess_is_a_whole_number() -> None:
    node_ptr = np.array([0, 3])
    excess = Range(node_ptr, np.array([2.0, 3.0, 4.0]), np.zeros(1), np.array([5.0]), np.array([0.5]))
    program = lower(Instance(node_ptr, (Linear(node_ptr, np.full(3, -4.0)), excess)))
    answer = build(program)(seconds=FAR, seed=0, threads=1, start=None)
    assert answer.values is not None
    assert (answer.values.tolist(), answer.optimal) == ([1, 1, 1, 4, 0], True)
    between = Range(node_ptr, np.array([2.0, 3.0, 4.0]), np.zeros(1), np.array([5.5]), np.array([0.5]))
    with pytest.raises(InputError, match="CP-SAT needs rows of whole numbers"):
        build(lower(Instance(node_ptr, (between,))))


def test_one_thread_has_the_bounds_of_all_searches() -> None:
    # A single search without linear programs stays at 1, and proves nothing.
    found = METHODS["cp_sat"].run(PROBLEMS["mds"], generate("ba-small", count=1, seed=2), budget=FAR)
    assert (found.bound, found.proven) == (28, True)


def test_a_bound_is_one_at_any_moment() -> None:
    graph = generate("rb-small-unforced", count=1, seed=1)
    best = METHODS["search"].run(PROBLEMS["mis"], graph, budget=FAR, moves=20_000)
    for budget in (1e-5, ANY_MOMENT):
        found = METHODS["cp_sat"].run(PROBLEMS["mis"], graph, budget=budget)
        assert found.bound is None or found.bound >= np.count_nonzero(best.assignment)
