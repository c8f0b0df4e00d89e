"""Methods of this package that need no network: greedy rules, two kinds of annealing, and the search of `solve`.

* `run_greedy_fixed`, `run_greedy`: the rules of `annealco.search.greedy`.
* `run_mean_field`: one mean-field annealing, then the decoder that networks use; the paper's MFA.
* `run_annealing`: simulated annealing alone, cooling after cooling until the budget is used up.
* `run_search`: the search of `annealco.solve`, without a network and without a bound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.baselines.method import Outcome, on_instance
from annealco.clock import Budget
from annealco.energy import Instance
from annealco.graph.graph import Graph
from annealco.problems import Problem
from annealco.search.annealing import simulated_annealing
from annealco.search.decode import decode
from annealco.search.greedy import fixed, updated
from annealco.search.mean_field import mean_field_annealing
from annealco.solving.solution import Solution
from annealco.solving.solve import solve_each
from annealco.solving.solver import Solver

run_greedy_fixed = on_instance(fixed)
"""A `SolveGraph` of the fixed order."""

run_greedy = on_instance(updated)
"""A `SolveGraph` of the rule that looks again after every choice."""

SWEEPS = 1000
"""The temperature falls geometrically over so many sweeps, whatever the budget."""


def anneal_and_decode(instance: Instance, *, seed: int, threads: int, **_: object) -> NDArray[np.bool_]:
    """Return the set of one cooling, [num_nodes]; repeatable.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> star = Graph.from_edges([[0, 0, 0], [1, 2, 3]])
        >>> anneal_and_decode(PROBLEMS["mis"].declare(star), seed=0, threads=1).tolist()
        [False, True, True, True]
    """
    probability = mean_field_annealing(instance, num_sweeps=SWEEPS, seed=seed, num_threads=threads)
    return decode(instance, probability, num_threads=threads)


run_mean_field = on_instance(anneal_and_decode)
"""A `SolveGraph` of mean-field annealing."""


def anneal(
    instance: Instance, *, budget: float, seed: int, threads: int, moves: int | None = None
) -> NDArray[np.bool_]:
    """Return the best set of so many seconds, or of so many moves a thread, [num_nodes], one run a thread."""
    found = simulated_annealing(
        instance,
        budget=Budget(seconds=budget) if moves is None else Budget(moves=moves),
        seed=seed,
        num_restarts=threads,
        num_threads=threads,
    )
    return found.assignment


run_annealing = on_instance(anneal)
"""A `SolveGraph` of simulated annealing."""


NO_LIMIT = 1e6
"""Seconds where moves are what counts."""


def run_search(
    problem: Problem,
    graph: Graph,
    *,
    budget: float,
    seed: int,
    threads: int = 1,
    start: NDArray[np.bool_] | None = None,  # noqa: ARG001 (it decodes a start of its own)
    moves: int | None = None,
) -> Outcome:
    """Search for so many seconds, or moves however long they take; `annealco.baselines.method.SolveGraph`."""
    limit = budget if moves is None else NO_LIMIT
    # A restart is one thread's: as many of them as there are threads leave none idle.
    solver = Solver(
        problem, time_limit=limit, moves=moves, bound=False, seed=seed, restarts=threads, num_threads=threads
    )
    return run_solver(solver, graph)


def run_solver(solver: Solver, graph: Graph) -> Outcome:
    """Return what a solver finds on one graph as bits; its own clock leaves out the first run of a network."""
    [found] = solve_each(solver, graph.bare())
    bits, trace = as_bits(found, graph.num_nodes), tuple(found.trace)
    return Outcome(bits, found.bound, found.optimal, seconds=found.seconds, trace=trace)


def as_bits(found: Solution, num_nodes: int) -> NDArray[np.bool_]:
    """Return the nodes of a solution whose labels are numbers, [num_nodes]."""
    bits = np.zeros(num_nodes, np.bool_)
    bits[np.array(found.nodes, dtype=np.int64)] = True
    return bits
