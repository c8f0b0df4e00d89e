"""Solvers that can prove optimality: CP-SAT, HiGHS, SCIP and Gurobi, on one processor each, asked for no gap at all."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import numpy as np

from annealco.baselines.exact import BuildProgram, read_answer
from annealco.baselines.exact.lowering import lower
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from peers.answer import Answer, Run, UnsupportedError

CP_SAT_WORKERS = 8
"""CP-SAT is a portfolio: eight workers that share one processor find much more than one does in the same time."""

GUROBI_SIZE = 2000
"""Most variables, and most rows, of Gurobi's free licence."""


def _peer(name: str, *, threads: int = 1, most: float = float("inf")) -> Callable[[Graph, str], Run]:
    """Return what builds the model of a solver in ``annealco.baselines``."""

    def build(graph: Graph, problem: str) -> Run:
        instance = PROBLEMS[problem].declare(graph)
        program = lower(instance)
        if max(program.num_variables, program.rows.num_rows) > most:
            raise UnsupportedError(f"{program.rows.num_rows} rows are more than the free licence allows")
        write: BuildProgram = import_module(f"annealco.baselines.exact.{name}").build
        try:
            solve = write(program)
        except InputError as error:
            raise UnsupportedError(str(error)) from None

        def run(seconds: float, seed: int) -> Answer:
            found = read_answer(instance, program, solve(seconds=seconds, seed=seed, threads=threads, start=None))
            return Answer(None) if found.assignment is None else Answer(np.flatnonzero(found.assignment), found.proven)

        return run

    return build


cp_sat = _peer("cp_sat", threads=CP_SAT_WORKERS)
highs = _peer("highs")
scip = _peer("scip")
gurobi = _peer("gurobi", most=GUROBI_SIZE)
