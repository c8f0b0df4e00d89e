"""This package's search without a network and without a bound, as `solve` runs it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.baselines.method import Outcome
from annealco.graph.graph import Graph
from annealco.problems import Problem
from annealco.solution import Solution
from annealco.solving import Solver

NO_LIMIT = 1e6
"""Seconds where moves are what counts."""


def run(
    problem: Problem,
    graph: Graph,
    *,
    budget: float,
    seed: int,
    threads: int = 1,
    start: NDArray[np.bool_] | None = None,  # noqa: ARG001 (it decodes a start of its own)
    moves: int | None = None,
) -> Outcome:
    """Search for so many seconds, or for so many moves however long they take; see `annealco.baselines.method.Run`."""
    limit = budget if moves is None else NO_LIMIT
    # A restart is one thread's: as many of them as there are threads leave none idle.
    solver = Solver(
        problem, time_limit=limit, moves=moves, bound=False, seed=seed, restarts=threads, num_threads=threads
    )
    return run_solver(solver, graph)


def run_solver(solver: Solver, graph: Graph) -> Outcome:
    """Return what a solver finds on one graph as bits; its own clock leaves out the compilation of kernels."""
    plain = Graph(graph.node_ptr, graph.edges, graph.node_weight, graph.edge_weight)
    [found] = solver.solve_each(plain)
    bits, trace = as_bits(found, graph.num_nodes), tuple(found.trace)
    return Outcome(bits, found.bound, found.optimal, seconds=found.seconds, trace=trace)


def as_bits(found: Solution, num_nodes: int) -> NDArray[np.bool_]:
    """Return the nodes of a solution whose labels are numbers, [num_nodes]."""
    bits = np.zeros(num_nodes, np.bool_)
    bits[np.array(found.nodes, dtype=np.int64)] = True
    return bits
