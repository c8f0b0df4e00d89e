"""What a search returns.

What the searches by flips share: a start of one graph, and a run in the compiled core.

Seeds of any size for the random numbers of the compiled core, which takes 64 bits.

How many threads work on graphs and restarts in parallel; no result depends on it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco import _core
from annealco.clock import Budget, Trace
from annealco.energy import Energy, Instance
from annealco.errors import InputError


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The best assignment that a search found on one graph.

    Attributes:
        assignment: [num_nodes].
        cost: its objective as a cost, whatever the sense of the instance.
        feasible: whether it violates nothing. A search that found nothing feasible returns what it has.
        moves: how many were made.
        seconds: wall-clock time, preparation included.
        trace: (seconds, cost) whenever something better had been found.
    """

    assignment: NDArray[np.bool_]
    cost: float
    feasible: bool
    moves: int
    seconds: float
    trace: tuple[tuple[float, float], ...]


def rescored(
    instance: Instance,
    assignment: NDArray[np.bool_],
    *,
    moves: int,
    seconds: float,
    trace: tuple[tuple[float, float], ...],
) -> SearchResult:
    """Return a result whose cost and feasibility are evaluated by the terms, not carried along by a search.

    Example:
        >>> from annealco.energy import Linear
        >>> ptr = np.array([0, 2])
        >>> rescored(Instance(ptr, (Linear(ptr, np.ones(2)),)), np.ones(2, bool), moves=0, seconds=0.0, trace=()).cost
        2.0
    """
    cost = float(Energy(instance.node_ptr, instance.objective).value(assignment)[0])
    feasible = bool(instance.violations(assignment)[0] == 0)
    return SearchResult(assignment, cost, feasible, moves, seconds, trace)


def as_start(instance: Instance, start: ArrayLike) -> NDArray[np.bool_]:
    """Return a start of one graph as the core takes it, [num_nodes]."""
    if instance.num_graphs != 1:
        raise InputError(f"a search is of one graph, this instance has {instance.num_graphs}")
    given = np.asarray(start)
    if given.shape != (instance.num_nodes,) or not np.all((given == 0) | (given == 1)):
        raise InputError(f"a start must be 0 or 1 for each of {instance.num_nodes} nodes, its shape is {given.shape}")
    return np.ascontiguousarray(given, dtype=np.bool_)


def run_search(
    search: _core.FlipSearch, budget: Budget, target: float, trace: Trace
) -> tuple[int, NDArray[np.bool_], float]:
    """Go on until the budget is spent or the target reached; return moves, the best assignment and its cost."""
    clock = budget.clock()
    assignment, cost = search.run(clock, target)
    trace.follow(clock)
    return clock.moves, assignment, cost


def seed_word(*seed: int) -> int:
    """Return 64 bits that depend on all the numbers given, none of which is negative.

    Example:
        >>> seed_word(1, 2) == seed_word(1, 2), seed_word(1, 2) == seed_word(2, 1), seed_word(2**100) < 2**64
        (True, False, True)
    """
    return int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])


def count_threads(num_threads: int | None) -> int:
    """Return the number of threads asked for, by default the processors this program may use."""
    if num_threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if num_threads < 1:
        raise InputError(f"num_threads must be at least 1, it is {num_threads}")
    return num_threads
