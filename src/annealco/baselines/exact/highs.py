"""Hand a program to the branch and cut of HiGHS."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from annealco.arrays import FloatArray
from annealco.baselines.exact import OUT_OF_TIME, Answer, SolveProgram, run_exact
from annealco.baselines.exact.lowering import Program

OPTIONS = {"output_flag": False, "mip_rel_gap": 0.0, "mip_abs_gap": 0.0}
"""Silent, and content with nothing but the optimum."""


def build(program: Program) -> SolveProgram:
    """Build a model of HiGHS."""
    import highspy

    solver = highspy.Highs()
    for name, value in OPTIONS.items():
        solver.setOptionValue(name, value)
    count, rows = program.num_variables, program.rows
    numbers = np.arange(count, dtype=np.int32)
    solver.addVars(count, np.zeros(count), program.most)
    solver.changeColsCost(count, numbers, program.cost)
    # Products of bits are whole by themselves. Said so all the same: with continuous ones HiGHS 1.14.0 presolves away
    # the optimum of some small cuts, and calls what is left optimal.
    whole = numbers[program.most <= 1]
    solver.changeColsIntegrality(len(whole), whole, np.full(len(whole), highspy.HighsVarType.kInteger))
    start, column = rows.start[:-1].astype(np.int32), rows.column.astype(np.int32)
    solver.addRows(rows.num_rows, rows.lower, rows.upper, len(column), start, column, rows.value)

    def solve(*, seconds: float, seed: int, threads: int, start: FloatArray | None) -> Answer:
        solver.setOptionValue("time_limit", seconds)
        solver.setOptionValue("random_seed", seed)
        solver.setOptionValue("threads", threads)
        solver.setOptionValue("parallel", "on" if threads > 1 else "off")
        if start is not None:
            solver.setSolution(count, numbers, start)
        solver.run()
        return _read(solver, highspy)

    return solve


def _read(solver: Any, highspy: Any) -> Answer:
    info, status = solver.getInfo(), solver.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return Answer(None, note="infeasible")
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        timed_out = status == highspy.HighsModelStatus.kTimeLimit
        note = OUT_OF_TIME if timed_out else f"no solution was found: {solver.modelStatusToString(status).lower()}"
        return Answer(None, info.mip_dual_bound, note=note)
    values = np.array(solver.getSolution().col_value, dtype=np.float64)
    return Answer(values, info.mip_dual_bound, status == highspy.HighsModelStatus.kOptimal)


run = partial(run_exact, build)
"""A `SolveGraph` of HiGHS."""
