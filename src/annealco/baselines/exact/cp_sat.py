"""Hand a program to CP-SAT of OR-tools, which reckons in whole numbers."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from annealco.arrays import FloatArray, IntArray
from annealco.baselines.exact import OUT_OF_TIME, Answer, SolveProgram, run_exact
from annealco.baselines.exact.lowering import Program
from annealco.bounds.certify import grid_step
from annealco.errors import InputError

COST_BITS = 45
"""Costs that lie on no grid are rounded to so many bits of their sum."""


def build(program: Program) -> SolveProgram:
    """Build a model of CP-SAT.

    Raises:
        InputError: where a row has coefficients that are no multiples of one number.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    variables = [_variable(model, float(most), program) for most in program.most]
    _add_rows(model, variables, program)
    cost, unit = _whole_costs(program)
    model.minimize(cp_model.LinearExpr.weighted_sum(variables, cost.tolist()))

    def solve(*, seconds: float, seed: int, threads: int, start: FloatArray | None) -> Answer:
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = seconds
        solver.parameters.num_workers = threads
        # CP-SAT is a portfolio: one worker by itself solves no linear program, and takes turns only if it is told to.
        solver.parameters.interleave_search = threads == 1
        solver.parameters.random_seed = seed
        model.clear_hints()
        if start is not None:
            for variable, value in zip(variables, np.round(start).astype(int).tolist(), strict=True):
                model.add_hint(variable, value)
        status = solver.solve(model)
        # Rounding a cost to the grid changes a sum by half a unit for each variable at most.
        doubt = 0.0 if program.step > 0 else 0.5 * unit * np.count_nonzero(cost)
        reached = solver.best_objective_bound
        if status == cp_model.UNKNOWN and reached == 0:
            # It says 0 where it has no bound yet, which is none for what is maximised.
            reached = float(np.minimum(cost, 0).sum())
        bound = reached * unit - doubt
        if status == cp_model.UNKNOWN:
            return Answer(None, bound, note=OUT_OF_TIME)
        if status not in {cp_model.OPTIMAL, cp_model.FEASIBLE}:
            return Answer(None, note=solver.status_name(status).lower())
        values = np.array([solver.value(variable) for variable in variables], dtype=np.float64)
        return Answer(values, bound, status == cp_model.OPTIMAL)

    return solve


def _variable(model: Any, most: float, program: Program) -> Any:
    # What has no bound of its own, such as an excess, is bounded by the sum of its row.
    return model.new_bool_var("") if most == 1 else model.new_int_var(0, int(np.abs(program.rows.value).sum()) + 1, "")


def _add_rows(model: Any, variables: list[Any], program: Program) -> None:
    rows = program.rows
    for row, (first, last) in enumerate(zip(rows.start[:-1].tolist(), rows.start[1:].tolist(), strict=True)):
        chosen = [variables[column] for column in rows.column[first:last].tolist()]
        value, lower, upper = rows.value[first:last], float(rows.lower[row]), float(rows.upper[row])
        if (value == 1).all() and (lower, upper) == (-np.inf, 1):
            model.add_at_most_one(chosen)
        elif (value == 1).all() and (lower, upper) == (1, np.inf):
            model.add_bool_or(chosen)
        else:
            _add_sum(model, chosen, value, lower, upper)
            if np.isinf(program.most[rows.column[first:last]]).any():
                _check_whole([*value.tolist(), lower, upper])


def _check_whole(numbers: list[float]) -> None:
    """An excess is what is left of a bound: a whole number only where everything else is."""
    if not all(each.is_integer() for each in numbers if np.isfinite(each)):
        raise InputError("CP-SAT needs rows of whole numbers, and a range here is not")


def _add_sum(model: Any, chosen: list[Any], value: FloatArray, lower: float, upper: float) -> None:
    from ortools.sat.python import cp_model

    step = grid_step(value)
    if step == 0:
        raise InputError("CP-SAT needs rows of whole numbers, and this one's weights have no common step")
    whole = np.round(value / step).astype(np.int64).tolist()
    total = cp_model.LinearExpr.weighted_sum(chosen, whole)
    if np.isfinite(lower):
        model.add(total >= int(np.ceil(lower / step)))
    if np.isfinite(upper):
        model.add(total <= int(np.floor(upper / step)))


def _whole_costs(program: Program) -> tuple[IntArray, float]:
    """Return costs as whole multiples of a unit, and the unit."""
    unit = program.step or float(np.abs(program.cost).sum()) / 2.0**COST_BITS
    return np.round(program.cost / unit).astype(np.int64), unit


run = partial(run_exact, build)
"""A `SolveGraph` of CP-SAT; threads are its workers."""
