"""What every exact solver must do, run by the test file of each."""

from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines import METHODS
from annealco.baselines.exact import OUT_OF_TIME, BuildProgram
from annealco.baselines.exact.lowering import Program, equal_rows
from annealco.graph.generators import erdos_renyi, generate
from annealco.problems import PROBLEMS
from annealco.solving.solve import solve
from tests.baselines.instances import solved_instances
from tests.budgets import ANY_MOMENT, BRIEF, FAR


def check_optima(name: str, problem: str) -> None:
    """The optimum of small graphs is found and proven, from a start and without."""
    for each, graph, best in solved_instances(problem, num_random=6, seed=3):
        found = METHODS[name].run(each, graph, budget=FAR)
        assert found.proven, found
        assert found.bound == pytest.approx(best)
        again = METHODS[name].run(each, graph, budget=FAR, seed=5, start=found.assignment)
        assert again.proven
        for assignment in (found.assignment, again.assignment):
            assert each.score(graph, np.flatnonzero(assignment).tolist()) == pytest.approx(best)


def check_limit(name: str) -> None:
    """A start is not lost; at whatever moment a solver is cut off, its set is feasible and its bound above it."""
    mis = PROBLEMS["mis"]
    graph = erdos_renyi(np.random.default_rng(1), num_nodes=60, edge_probability=0.2)
    known = solve(graph, "mis", bound=False, **BRIEF)
    start = np.zeros(graph.num_nodes, bool)
    start[known.nodes] = True
    found = METHODS[name].run(mis, graph, budget=FAR, start=start)
    assert found.assignment is not None
    value = mis.score(graph, np.flatnonzero(found.assignment).tolist())
    assert value is not None
    assert value >= known.value
    assert (found.bound, found.proven) == (value, True)
    graph = generate("rb-small-unforced", count=1, seed=1)
    found = METHODS[name].run(mis, graph, budget=ANY_MOMENT)
    if found.assignment is None:
        assert (found.proven, found.note) == (False, OUT_OF_TIME)
    else:
        value = mis.score(graph, np.flatnonzero(found.assignment).tolist())
        assert value is not None
        assert found.bound is None or found.bound >= value
        assert found.proven == (found.bound == value)


def check_infeasible(build: BuildProgram) -> None:
    """Rows that contradict each other leave no set, and nothing is claimed."""
    rows = equal_rows(np.array([[0, 1]]), (1, 1), lower=3, upper=4)
    answer = build(Program(2, np.ones(2), np.ones(2), rows))(seconds=FAR, seed=0, threads=1, start=None)
    assert (answer.values, answer.optimal, answer.note) == (None, False, "infeasible")


def check_out_of_time(build: BuildProgram) -> None:
    """Sums that must all be halves at once: nothing is found in hours, and that is why there is no set."""
    draw, num_rows, num_nodes = np.random.default_rng(0), 6, 50
    value = draw.integers(1, 100, (num_rows, num_nodes)).astype(float)
    rows = equal_rows(np.tile(np.arange(num_nodes), (num_rows, 1)), (1,) * num_nodes, lower=0, upper=0)
    half = np.floor(value.sum(axis=1) / 2)
    rows = rows._replace(value=value.ravel(), lower=half, upper=half)
    answer = build(Program(num_nodes, np.ones(num_nodes), np.ones(num_nodes), rows))(
        seconds=ANY_MOMENT, seed=0, threads=1, start=None
    )
    assert (answer.values, answer.note) == (None, OUT_OF_TIME)
