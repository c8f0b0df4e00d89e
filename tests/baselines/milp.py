"""SciPy's own integer programming as the oracle of the lowering: it needs no further package."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from annealco.baselines.exact import Answer, SolveProgram
from annealco.baselines.exact.lowering import Program


def build(program: Program) -> SolveProgram:
    """Return what solves a program by `scipy.optimize.milp`; it knows neither seeds nor threads nor starts."""
    rows = program.rows
    matrix = csr_array((rows.value, rows.column, rows.start), shape=(rows.num_rows, program.num_variables))
    constraints = [LinearConstraint(matrix, rows.lower, rows.upper)] if rows.num_rows else []
    integrality = (np.arange(program.num_variables) < program.num_nodes).astype(int)

    def solve(*, seconds, seed, threads, start):
        options = {"time_limit": seconds, "mip_rel_gap": 0}
        found = milp(
            program.cost,
            integrality=integrality,
            bounds=Bounds(np.zeros(program.num_variables), program.most),
            constraints=constraints,
            options=options,
        )
        bound = -math.inf if found.mip_dual_bound is None else found.mip_dual_bound
        return Answer(found.x, bound, found.status == 0)

    return solve
