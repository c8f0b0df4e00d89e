"""The best known value of a case, with a proof where possible: search and bound first, then an exact solver."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from annealco.baselines import METHODS, Method, find_method
from annealco.bounds.certify import cost_slack
from annealco.errors import InputError
from annealco.evaluation.processor_share import run_for_cpu
from annealco.evaluation.references.cases import Case
from annealco.evaluation.references.store import Reference
from annealco.problems import Problem
from annealco.solving.solution import Solution, gap_between
from annealco.solving.solve import solve_each
from annealco.solving.solver import Solver

PREFERRED = ("cp_sat", "scip", "highs")
"""Exact solvers in the order in which one is chosen: by how often they prove what search and bound leave open."""

CHOICES = (*PREFERRED, "gurobi", "none")
"""Accepted names. Gurobi is never chosen by default: its licence is the user's responsibility."""


def choose_exact(name: str | None) -> Method | None:
    """Return an exact solver by name, the preferred one of those installed for None, and None for ``none``.

    Example:
        >>> choose_exact("none") is None
        True
    """
    if name is None:
        return next((METHODS[each] for each in PREFERRED if METHODS[each].is_installed), None)
    if name not in CHOICES:
        raise InputError(f"unknown exact solver {name!r}; choose one of {', '.join(CHOICES)}")
    if name not in METHODS:
        return None
    find_method(name).check_installed()
    return find_method(name)


def best_known(
    case: Case,
    *,
    time_limit: float,
    exact: Method | None,
    exact_limit: float | None = None,
    known: Reference | None = None,
    alone: bool = False,
) -> Reference:
    """Return the best of search, what was planted, what was known, and the exact solver.

    Args:
        case: what to solve.
        time_limit: seconds for search and bound.
        exact: asked where nothing is proven yet, from the best set so far, unless it cannot take the problem.
        exact_limit: seconds for the exact solver, by default as many as for search and bound.
        known: an earlier result.
        alone: whether nothing else runs in this process, so that its CPU seconds tell what others left to it.
    """
    solution = run_for_cpu(lambda limit: _solve(case, limit), time_limit)[0] if alone else _solve(case, time_limit)
    found = Reference(
        case.number, solution.value, False, solution.method, solution.seconds, tuple(sorted(map(int, solution.nodes)))
    )
    planted = case.problem.score(case.graph, case.planted) if case.planted else None
    if planted is not None and is_better(case.problem, planted, found.value):
        found = replace(found, value=planted, nodes=case.planted, method=f"planted ({found.method})")
    if known is not None and known.nodes is not None and is_better(case.problem, known.value, found.value):
        found = replace(found, value=known.value, nodes=known.nodes, method=f"{known.method} ({found.method})")
    found = replace(found, proven=_is_met(case, found.value, solution.bound))
    if exact is not None and not found.proven and exact.refusal(case.problem, case.graph) is None:
        found = _run_exact(exact, case, found, time_limit if exact_limit is None else exact_limit)
    return _with_volume(case, found)


def complement_reference(case: Case, other: Reference) -> Reference:
    """Return the reference whose set is the complement of a best set of another problem, as covers of packings are."""
    rest = tuple(sorted(set(range(case.graph.num_nodes)) - set(other.nodes or ())))
    value = case.problem.score(case.graph, rest)
    if value is None:
        raise InputError(f"what the reference of graph {case.number} leaves is no {case.problem.name}")
    return replace(other, value=value, nodes=rest)


def _solve(case: Case, time_limit: float) -> Solution:
    [solution] = solve_each(Solver(case.problem, time_limit=time_limit, num_threads=1), case.graph)
    return solution


def is_better(problem: Problem, first: float, second: float) -> bool:
    """Tell whether one value is better than another."""
    return first > second if problem.sense == "max" else first < second


def _is_met(case: Case, value: float, bound: float | None) -> bool:
    """Tell whether a value equals a bound, but for what rounding explains."""
    excused = cost_slack(case.problem.declare(case.graph)).excused(value)
    return gap_between(value, bound, excused=excused) == 0.0


def _run_exact(exact: Method, case: Case, found: Reference, seconds: float) -> Reference:
    """Let an exact solver improve a set, or prove it."""
    start = np.zeros(case.graph.num_nodes, np.bool_)
    start[list(found.nodes or ())] = True
    outcome = exact.run(case.problem, case.graph, budget=seconds, seed=0, threads=1, start=start)
    taken = found.seconds + outcome.seconds
    nodes = () if outcome.assignment is None else tuple(np.flatnonzero(outcome.assignment).tolist())
    value = None if outcome.assignment is None else case.problem.score(case.graph, nodes)
    if value is not None and is_better(case.problem, value, found.value):
        return replace(found, value=value, nodes=nodes, proven=outcome.proven, method=exact.name, seconds=taken)
    proven = _is_met(case, found.value, outcome.bound)
    method = f"{found.method.partition(' + ')[0]} + {exact.name}" if proven else found.method
    return replace(found, proven=proven, method=method, seconds=taken)


def _with_volume(case: Case, found: Reference) -> Reference:
    if not case.has_volume:
        return replace(found, seconds=round(found.seconds, 3))
    volume = int(case.graph.degree[list(found.nodes or ())].sum())
    return replace(found, seconds=round(found.seconds, 3), volume=volume)
