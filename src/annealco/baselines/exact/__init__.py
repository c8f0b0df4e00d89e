"""Solve an instance with a solver that can prove optimality: lower it, hand it over, read the answer back."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from annealco.arrays import FloatArray
from annealco.baselines.exact.lowering import Program, lower
from annealco.baselines.method import Outcome
from annealco.bounds.certify import ceil_to_grid
from annealco.energy import Instance
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import Problem

SLACK = 1e-6
"""Solvers compute in floating point: so much, relative to its size, is taken off a bound that is not on a grid."""


OUT_OF_TIME = "no solution was found within the time limit"


class Answer(NamedTuple):
    """What a solver says of a program.

    Attributes:
        values: [num_variables] of the best solution, or None.
        bound: no solution costs less; −inf for none.
        optimal: whether the solver calls the solution optimal.
        note: why there is no solution, where there is none.
    """

    values: NDArray[np.float64] | None
    bound: float = -math.inf
    optimal: bool = False
    note: str = ""


class SolveProgram(Protocol):
    """Solve the program that was built, for so many seconds, from a start [num_variables] where there is one."""

    def __call__(self, *, seconds: float, seed: int, threads: int, start: FloatArray | None) -> Answer: ...


BuildProgram = Callable[[Program], SolveProgram]
"""Write a program down as a solver wants it; what that costs is not part of solving."""


def run_exact(
    build: BuildProgram,
    problem: Problem,
    graph: Graph,
    *,
    budget: float,
    seed: int,
    threads: int,
    start: NDArray[np.bool_] | None,
) -> Outcome:
    """Lower, build, solve; `annealco.baselines.method.SolveGraph` tells what is given."""
    instance = problem.declare(graph)
    program = lower(instance)
    if program.num_variables == 0:
        return Outcome(np.zeros(0, np.bool_), bound=_in_sense(instance, program.constant), proven=True)
    solve = build(program)
    first = None if start is None else program.complete(_checked(instance, start))
    begun = time.perf_counter()
    answer = solve(seconds=budget, seed=seed, threads=threads, start=first)
    return read_answer(instance, program, answer, seconds=time.perf_counter() - begun)


def read_answer(instance: Instance, program: Program, answer: Answer, *, seconds: float = 0.0) -> Outcome:
    """Return an answer as an outcome: bits instead of variables, the bound on the grid of all costs."""
    bound = ceil_to_grid(answer.bound - SLACK * max(1.0, abs(answer.bound)), program.step) + program.constant
    if answer.values is None:
        return Outcome(None, _in_sense(instance, bound), note=answer.note, seconds=seconds)
    bits = answer.values[: program.num_nodes] > 0.5
    if instance.violations(bits)[0] > 0:
        return Outcome(None, _in_sense(instance, bound), note="infeasible by rounding", seconds=seconds)
    cost = float(instance.cost.value(bits)[0])
    optimal = answer.optimal or (program.step > 0 and cost <= bound)
    return Outcome(bits, _in_sense(instance, cost if optimal else bound), optimal, answer.note, seconds)


def _in_sense(instance: Instance, bound: float) -> float | None:
    if not math.isfinite(bound):
        return None
    return bound if instance.sense == "min" else -bound + 0.0


def _checked(instance: Instance, start: NDArray[np.bool_]) -> NDArray[np.bool_]:
    if start.shape != (instance.num_nodes,) or instance.violations(start)[0] > 0:
        raise InputError(f"a start must be [{instance.num_nodes}] bits of a feasible set")
    return start
