"""Solvers that can prove optimality: CP-SAT, HiGHS, SCIP and Gurobi, on one processor each, asked for no gap at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.graph.graph import Graph
from peers.answer import Answer, Run, UnsupportedError
from peers.independent import as_answer
from peers.linear_rows import LinearRows, linear_rows

CP_SAT_WORKERS = 8
"""CP-SAT is a portfolio: eight workers that share one processor find much more than one does in the same time."""


def cp_sat(graph: Graph, problem: str) -> Run:
    """Build a model of OR-tools' CP-SAT."""
    from ortools.sat.python import cp_model

    written = linear_rows(graph, problem)
    model = cp_model.CpModel()
    variables = [model.new_bool_var("") for _ in written.weight]
    for row in written.rows:
        chosen = [variables[node] for node in row]
        model.add_at_most_one(chosen) if written.packing else model.add_bool_or(chosen)
    total = cp_model.LinearExpr.weighted_sum(variables, _whole(written.weight))
    model.maximize(total) if written.packing else model.minimize(total)

    def run(seconds: float, seed: int) -> Answer:
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = seconds
        solver.parameters.num_workers = CP_SAT_WORKERS
        solver.parameters.random_seed = seed
        status = solver.solve(model)
        if status not in {cp_model.OPTIMAL, cp_model.FEASIBLE}:
            return Answer(None)
        chosen = np.array([solver.boolean_value(variable) for variable in variables])
        return _read(graph, problem, written, chosen, proven=status == cp_model.OPTIMAL)

    return run


def highs(graph: Graph, problem: str) -> Run:
    """Build a model of HiGHS."""
    import highspy

    written = linear_rows(graph, problem)
    size, count = len(written.weight), len(written.rows)
    ptr, entries = written.flat
    solver = highspy.Highs()
    options = {"output_flag": False, "threads": 1, "parallel": "off", "mip_rel_gap": 0.0, "mip_abs_gap": 0.0}
    for name, value in options.items():
        solver.setOptionValue(name, value)
    numbers = np.arange(size, dtype=np.int32)
    solver.addVars(size, np.zeros(size), np.ones(size))
    solver.changeColsCost(size, numbers, -written.weight if written.packing else written.weight)
    solver.changeColsIntegrality(size, numbers, np.full(size, highspy.HighsVarType.kInteger))
    least = np.full(count, -np.inf if written.packing else 1.0)
    most = np.full(count, 1.0 if written.packing else np.inf)
    solver.addRows(count, least, most, len(entries), ptr[:-1], entries, np.ones(len(entries)))

    def run(seconds: float, seed: int) -> Answer:
        solver.setOptionValue("time_limit", seconds)
        solver.setOptionValue("random_seed", seed)
        solver.run()
        if solver.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
            return Answer(None)
        proven = solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
        return _read(graph, problem, written, np.array(solver.getSolution().col_value) > 0.5, proven=proven)

    return run


def scip(graph: Graph, problem: str) -> Run:
    """Build a model of SCIP."""
    from pyscipopt import Model, quicksum

    written = linear_rows(graph, problem)
    model = Model()
    model.hideOutput()
    variables = [model.addVar(vtype="B") for _ in written.weight]
    for row in written.rows:
        chosen = quicksum(variables[node] for node in row)
        model.addCons(chosen <= 1 if written.packing else chosen >= 1)
    total = quicksum(weight * variable for weight, variable in zip(written.weight, variables, strict=True))
    model.setObjective(total, "maximize" if written.packing else "minimize")

    def run(seconds: float, seed: int) -> Answer:
        model.setParam("limits/time", seconds)
        model.setParam("randomization/randomseedshift", seed)
        model.optimize()
        if model.getNSols() == 0:
            return Answer(None)
        best = model.getBestSol()
        chosen = np.array([best[variable] for variable in variables]) > 0.5
        return _read(graph, problem, written, chosen, proven=model.getStatus() == "optimal")

    return run


def gurobi(graph: Graph, problem: str) -> Run:
    """Build a model of Gurobi, whose free licence ends at 2,000 variables and as many rows."""
    import gurobipy
    from scipy.sparse import csr_array

    written = linear_rows(graph, problem)
    if max(len(written.weight), len(written.rows)) > 2000:
        raise UnsupportedError(f"{len(written.rows)} rows are more than the free licence allows")
    ptr, entries = written.flat
    matrix = csr_array((np.ones(len(entries)), entries, ptr), shape=(len(written.rows), len(written.weight)))
    environment = gurobipy.Env(params={"OutputFlag": 0, "Threads": 1, "MIPGap": 0})
    model = gurobipy.Model(env=environment)
    variables = model.addMVar(len(written.weight), vtype="B")
    model.addMConstr(matrix, variables, "<" if written.packing else ">", np.ones(len(written.rows)))
    model.setObjective(written.weight @ variables, -1 if written.packing else 1)

    def run(seconds: float, seed: int) -> Answer:
        model.Params.TimeLimit = seconds
        model.Params.Seed = seed
        model.optimize()
        if model.SolCount == 0:
            return Answer(None)
        return _read(graph, problem, written, variables.X > 0.5, proven=model.Status == gurobipy.GRB.OPTIMAL)

    return run


def _whole(weight: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return weights as the integers that CP-SAT needs."""
    if not np.array_equal(weight, np.round(weight)):
        raise UnsupportedError("CP-SAT needs integer weights")
    return weight.astype(np.int64)


def _read(graph: Graph, problem: str, written: LinearRows, chosen: NDArray[np.bool_], *, proven: bool) -> Answer:
    nodes = np.flatnonzero(chosen)
    return as_answer(graph, problem, nodes, proven=proven) if written.packing else Answer(nodes, proven)
