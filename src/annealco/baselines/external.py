"""Run a solver of others: write the instance down as it wants it, untimed, then solve.

What a Python interface costs is not held against a solver: only solving is timed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from annealco.baselines.method import Outcome
from annealco.energy import Instance
from annealco.graph.graph import Graph
from annealco.problems import Problem

Bits = NDArray[np.bool_]


class Solve(Protocol):
    """Return the bits of the best feasible set of so many seconds, [num_nodes], or None where there is none."""

    def __call__(self, seconds: float, seed: int) -> Bits | None: ...


Build = Callable[[Instance], Solve]
"""Write an instance of one graph down for a solver."""


def run_external(
    build: Build,
    problem: Problem,
    graph: Graph,
    *,
    budget: float,
    seed: int,
    threads: int = 1,  # noqa: ARG001 (these solvers have one)
    start: Bits | None = None,  # noqa: ARG001 (and take no start)
    note: str = "",
) -> Outcome:
    """Declare, build, solve; `annealco.baselines.method.Run` tells what is given."""
    solve = build(problem.declare(graph))
    begun = time.perf_counter()
    found = solve(budget, seed)
    seconds = time.perf_counter() - begun
    return Outcome(found, note=note if found is not None else "nothing feasible was found", seconds=seconds)
