"""Hand a program to the branch and cut of SCIP."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from annealco.arrays import FloatArray
from annealco.baselines.exact import OUT_OF_TIME, Answer, SolveProgram, run_exact
from annealco.baselines.exact.lowering import Program


def build(program: Program) -> SolveProgram:
    """Build a model of SCIP, which solves on one thread however many it is given."""
    from pyscipopt import Model, quicksum

    model = Model()
    model.hideOutput()
    variables = [
        model.addVar(vtype="B" if number < program.num_nodes else "C", lb=0.0, ub=None if np.isinf(most) else most)
        for number, most in enumerate(program.most.tolist())
    ]
    _add_rows(model, variables, program, quicksum)
    total = quicksum(cost * variable for cost, variable in zip(program.cost.tolist(), variables, strict=True) if cost)
    model.setObjective(total, "minimize")

    def solve(*, seconds: float, seed: int, threads: int, start: FloatArray | None) -> Answer:  # noqa: ARG001 (one)
        model.freeTransform()
        model.setParam("limits/time", seconds)
        model.setParam("randomization/randomseedshift", seed)
        if start is not None:
            known = model.createSol()
            for variable, value in zip(variables, start.tolist(), strict=True):
                model.setSolVal(known, variable, value)
            model.addSol(known)
        model.optimize()
        return _read(model, variables)

    return solve


def _add_rows(model: Any, variables: list[Any], program: Program, total_of: Any) -> None:
    rows = program.rows
    for row, (first, last) in enumerate(zip(rows.start[:-1].tolist(), rows.start[1:].tolist(), strict=True)):
        entries = zip(rows.value[first:last].tolist(), rows.column[first:last].tolist(), strict=True)
        total = total_of(value * variables[column] for value, column in entries)
        if np.isfinite(rows.lower[row]):
            model.addCons(total >= float(rows.lower[row]))
        if np.isfinite(rows.upper[row]):
            model.addCons(total <= float(rows.upper[row]))


def _read(model: Any, variables: list[Any]) -> Answer:
    status = model.getStatus()
    if status == "infeasible":
        return Answer(None, note="infeasible")
    bound = float(model.getDualbound())
    bound = -np.inf if abs(bound) >= model.infinity() else bound
    if model.getNSols() == 0:
        return Answer(None, bound, note=OUT_OF_TIME if status == "timelimit" else f"no solution was found: {status}")
    best = model.getBestSol()
    return Answer(np.array([best[variable] for variable in variables], dtype=np.float64), bound, status == "optimal")


run = partial(run_exact, build)
"""A `SolveGraph` of SCIP."""
