"""Hand a program to Gurobi, as far as its licence goes.

The one that comes with the package ends at 2,000 variables and 2,000 rows; what does not fit is told, not a failure.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from annealco.arrays import FloatArray
from annealco.baselines.exact import OUT_OF_TIME, Answer, SolveProgram, run_exact
from annealco.baselines.exact.lowering import Program


def build(program: Program) -> SolveProgram:
    """Build a model of Gurobi."""
    import gurobipy
    from scipy.sparse import csr_array

    rows = program.rows
    environment = gurobipy.Env(params={"OutputFlag": 0, "MIPGap": 0})
    model = gurobipy.Model(env=environment)
    kinds = np.array(["B"] * program.num_nodes + ["C"] * (program.num_variables - program.num_nodes))
    variables = model.addMVar(program.num_variables, ub=program.most, vtype=kinds)
    matrix = csr_array((rows.value, rows.column, rows.start), shape=(rows.num_rows, program.num_variables))
    for sense, side in ((">", rows.lower), ("<", rows.upper)):
        finite = np.flatnonzero(np.isfinite(side))
        if len(finite):
            model.addMConstr(matrix[finite], variables, sense, side[finite])
    model.setObjective(program.cost @ variables)

    def solve(*, seconds: float, seed: int, threads: int, start: FloatArray | None) -> Answer:
        model.Params.TimeLimit = seconds
        model.Params.Seed = seed
        model.Params.Threads = threads
        if start is not None:
            variables.Start = start
        try:
            model.optimize()
        except gurobipy.GurobiError as error:
            if error.errno != gurobipy.GRB.Error.SIZE_LIMIT_EXCEEDED:
                raise
            size = f"{program.num_variables:,} variables and {rows.num_rows:,} rows"
            return Answer(None, note=f"{size} are more than Gurobi's licence here allows")
        return _read(model, variables, gurobipy.GRB)

    return solve


def _read(model: Any, variables: Any, constants: Any) -> Answer:
    if model.Status in {constants.INFEASIBLE, constants.INF_OR_UNBD}:
        return Answer(None, note="infeasible")
    if model.SolCount == 0:
        timed_out = model.Status == constants.TIME_LIMIT
        note = OUT_OF_TIME if timed_out else f"no solution was found: status {model.Status} of Gurobi"
        return Answer(None, model.ObjBound, note=note)
    return Answer(np.asarray(variables.X, dtype=np.float64), model.ObjBound, model.Status == constants.OPTIMAL)


run = partial(run_exact, build)
"""A `SolveGraph` of Gurobi."""
