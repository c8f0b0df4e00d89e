"""Simulated annealing: random single flips at a falling temperature; the algorithm is in native/search/annealing.hpp.

Nodes are visited in turn; a flip that changes f by Δ is made with probability min(1, exp(−Δ / τ)), and τ falls from
sweep to sweep (Metropolis et al., 1953; Kirkpatrick, Gelatt and Vecchi, 1983). At a constant temperature assignments
are visited as often as exp(−f / τ) says.

Quadratic functions without constraints whose pairs are few go to annealing with recombination
(native/search/recombination.hpp). Spins that follow from a few others are eliminated exactly; what is left is annealed
several times, and where all results agree on how two spins lie to each other the two become one, which leaves a small
model that is reduced and annealed in its turn (Houdayer and Martin, 1999). A move visits a spin that is left.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from annealco import _core
from annealco.arrays import FloatArray
from annealco.clock import Budget, Trace, now
from annealco.energy import Instance
from annealco.energy.compiled import core_terms
from annealco.energy.schedules import Schedule
from annealco.energy.structure import Structure
from annealco.errors import InputError
from annealco.search.mean_field import as_temperatures
from annealco.search.protocol import (
    Bits,
    FlipSearch,
    SearchKind,
    SearchResult,
    as_start,
    count_threads,
    rescored,
    result_of,
    seed_word,
    takes_all,
)

LENGTHS = (64, 128, 256, 512, 1024, 2048)
"""Sweeps of the coolings of a search by default, of which the last is repeated."""

Result = TypeVar("Result")


class AnnealingSearch(FlipSearch):
    """Annealing of one graph, cooling after cooling, that can be continued; a move visits a node, flipped or not."""

    def __init__(
        self,
        instance: Instance,
        start: ArrayLike,
        seed: int,
        *,
        schedule: Schedule | ArrayLike | None = None,
        num_sweeps: int | None = None,
        penalty_scale: float = 1.0,
        row: int = 0,
    ) -> None:
        if num_sweeps is not None and num_sweeps < 1:
            raise InputError(f"num_sweeps must be at least 1, it is {num_sweeps}")
        core = _core.annealing(
            core_terms(instance, penalty_scale),
            as_start(instance, start),
            seed=seed_word(seed, row),
            coolings=coolings_of(instance, schedule, num_sweeps),
            num_sweeps=num_sweeps,
        )
        super().__init__(core)


def _begin(instance: Instance, start: Bits, *, seed: int, **_: object) -> AnnealingSearch:
    return AnnealingSearch(instance, start, seed)


ANNEALING = SearchKind(name="annealing", title="simulated annealing", takes=takes_all, begin=_begin)


REDUCTION_SHARE = 0.2
"""How much of the time reductions take at most."""

MANY_NEIGHBOURS = 64
"""From so many pairs per node on, few spins are eliminated and results that differ do so everywhere."""


MOST_PAIRS = 500_000
"""With more pairs, some seconds are better spent on plain annealing than on setting up reductions."""


class RecombinationSearch(FlipSearch):
    """Annealing with recombination of one quadratic function without constraints, that can be continued."""

    def __init__(self, instance: Instance, start: ArrayLike, seed: int, *, reduction_seconds: float = math.inf) -> None:
        core = _core.recombination(
            core_terms(instance),
            as_start(instance, start),
            seed=seed_word(seed),
            reduction_seconds=reduction_seconds,
        )
        super().__init__(core)


def _begin_recombination(
    instance: Instance, start: Bits, *, seed: int, seconds: float | None, **_: object
) -> RecombinationSearch:
    share = math.inf if seconds is None else REDUCTION_SHARE * seconds
    return RecombinationSearch(instance, start, seed, reduction_seconds=share)


def _has_few_pairs(structure: Structure) -> bool:
    if structure.kind != "quadratic":
        return False
    return 0 < int(structure.pairs.shape[1]) <= min(MOST_PAIRS, MANY_NEIGHBOURS * structure.num_nodes // 2)


RECOMBINATION = SearchKind(
    name="recombination",
    title="annealing with recombination",
    takes=_has_few_pairs,
    begin=_begin_recombination,
)


def coolings_of(instance: Instance, schedule: Schedule | ArrayLike | None, num_sweeps: int | None) -> list[FloatArray]:
    """Return the temperatures of each cooling; none for the default."""
    if schedule is None:
        return []
    lengths = LENGTHS if num_sweeps is None and callable(schedule) else (num_sweeps or 1,)
    return [np.ascontiguousarray(as_temperatures(instance, schedule, each, 1.0)[:, 0]) for each in lengths]


def simulated_annealing(
    instance: Instance,
    *,
    budget: Budget,
    start: ArrayLike | None = None,
    schedule: Schedule | ArrayLike | None = None,
    num_sweeps: int | None = None,
    num_restarts: int = 1,
    penalty_scale: float = 1.0,
    seed: int = 0,
    num_threads: int | None = None,
) -> SearchResult:
    """Anneal one graph, cooling after cooling; return the best feasible assignment found.

    What a cooling ends with is repaired and maximalised, so the penalty may be lower than an exact one.

    Args:
        instance: of one graph.
        budget: seconds count from the call, and restarts share them; moves are of each restart, a move being the visit
            of a node. A budget of moves alone is repeatable, bit for bit.
        start: [num_nodes] where the first cooling begins, repaired first; the empty set by default.
        schedule: the temperature of every sweep, [num_sweeps], or a function of progress from 0 to 1. By default it
            falls geometrically between temperatures that are read off the prices of flips at the start.
        num_sweeps: of every cooling, where the schedule is no array. By default each cooling is twice as long as
            the one before, up to 2048 sweeps.
        num_restarts: how many independent runs.
        penalty_scale: multiple of the critical penalty in the energy.
        seed: of all random choices; a restart's result depends on it and on its number.
        num_threads: all processors by default; no result of a budget of moves depends on it.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> square = Graph.from_edges([[0, 0, 1, 2], [1, 3, 2, 3]], 4)
        >>> simulated_annealing(PROBLEMS["max_cut"].declare(square), budget=Budget(moves=1000)).cost
        -4.0
    """
    if num_restarts < 1:
        raise InputError(f"num_restarts must be at least 1, it is {num_restarts}")
    given = np.zeros(instance.num_nodes, dtype=np.bool_) if start is None else start
    threads = min(count_threads(num_threads), num_restarts)
    stop = budget.stop or _core.StopFlag()
    joined = Trace()

    def run(row: int) -> tuple[int, Bits, float, Trace]:
        search = AnnealingSearch(
            instance, given, seed, schedule=schedule, num_sweeps=num_sweeps, penalty_scale=penalty_scale, row=row
        )
        # The seconds are divided among the restarts that a thread makes one after the other.
        share = (row // threads + 1) / math.ceil(num_restarts / threads)
        own = (
            replace(budget, stop=stop)
            if budget.seconds is None
            else replace(budget, stop=stop, seconds=budget.seconds * share)
        )
        trace = Trace(joined.started)
        found = search.run(own.after(now() - joined.started), -math.inf, trace)
        return *found, trace

    results = _run_all(run, num_restarts, threads, stop)
    moves = sum(each[0] for each in results)
    _, best, cost, _ = min(results, key=lambda each: each[2])
    joined.join(each[3] for each in results)
    seconds = now() - joined.started
    joined.record(cost, seconds)
    return rescored(instance, best, moves=moves, seconds=seconds, trace=tuple(joined.points))


def _run_all(run: Callable[[int], Result], num_restarts: int, threads: int, stop: _core.StopFlag) -> list[Result]:
    """Return the results of all restarts."""
    if threads == 1:
        return [run(row) for row in range(num_restarts)]
    with ThreadPoolExecutor(threads) as pool:
        try:
            tasks = [pool.submit(run, row) for row in range(num_restarts)]
            return [result_of(each) for each in tasks]
        except BaseException:
            # Ctrl-C reaches the main thread alone.
            stop.set()
            raise
