"""Simulated annealing: random single flips at a falling temperature, on any energy.

Nodes are visited in turn; a flip that changes f by Δ is made with probability min(1, exp(−Δ / τ)), and τ falls from
sweep to sweep (Metropolis et al., 1953; Kirkpatrick, Gelatt and Vecchi, 1983). At a constant temperature assignments
are visited as often as exp(−f / τ) says. The change of every flip is kept up to date by the flips themselves, so a flip
that is refused costs a few nanoseconds, and one that is made O(degree).
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco.energy import Instance
from annealco.energy.schedules import Schedule, geometric
from annealco.graph.errors import InputError
from annealco.graph.segments import FloatArray
from annealco.jit import kernel
from annealco.search.advance import advance_within
from annealco.search.anneal_moves import PLACES, SWEEP, Annealing, anneal
from annealco.search.beginning import begin_at, finished
from annealco.search.budget import Budget, Trace
from annealco.search.draws import new_draws
from annealco.search.flips import Bits, local_change
from annealco.search.forms import ENERGY, Forms
from annealco.search.incumbent import save_best
from annealco.search.mean_field import as_temperatures
from annealco.search.result import SearchResult, rescored
from annealco.search.threads import count_threads, for_each_graph

FIRST_SWEEPS, LAST_SWEEPS = 64, 2048
"""Sweeps of the first cooling of a search, and the most: each cooling is twice as long as the one before."""

HOT = 0.28
"""Where the default schedule begins, as a part of the mean price of a flip in a local minimum."""

COLD, CHEAP = 0.1, 0.1
"""Where it ends, as a part of the price that this part of the flips that cost anything stays below."""

LEAST_TEMPERATURE = float(np.finfo(np.float64).smallest_subnormal)


class AnnealingSearch:
    """Annealing of one graph, cooling after cooling, that can be continued.

    Attributes:
        name: of the method.
        solved: never known.
        incumbent: the best; another search may share it, in turns.
    """

    name = "simulated annealing"
    solved = False

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
        self.instance = instance
        self.forms, bits, self.incumbent = begin_at(instance, start, penalty_scale=penalty_scale)
        if schedule is None:
            first, last = default_temperatures(self.forms, bits)
            self.schedule: Schedule | ArrayLike = partial(geometric, first=first, last=last)
        else:
            self.schedule = schedule
        self.num_sweeps = num_sweeps
        self.temperatures = self._cooling(FIRST_SWEEPS if num_sweeps is None else num_sweeps)
        self.state = Annealing(
            bits=bits,
            incumbent=self.incumbent,
            place=np.zeros(PLACES, dtype=np.int64),
            draws=new_draws(seed, row),
        )

    def run(
        self, budget: Budget, target: float, trace: Trace, *, started: float | None = None
    ) -> tuple[int, NDArray[np.bool_], float]:
        """Go on until the budget is spent or the target reached; return moves, the best assignment and its cost.

        A move visits a node, whether it is flipped or not.
        """
        moves = advance_within(budget, self.advance, self.incumbent, target=target, trace=trace, started=started)
        return moves, *self.best()

    def advance(self, moves: int) -> None:
        """Make so many moves."""
        while (moves := anneal(self.forms, self.state, self.temperatures, moves)) > 0:
            self._end_cooling()

    def best(self) -> tuple[NDArray[np.bool_], float]:
        """Return the best assignment, or the present one finished where that is better, and its cost.

        Changes nothing: where a run is cut into parts makes no difference to the whole.
        """
        bits, cost = self._finished()
        if cost < self.incumbent.cost[0]:
            return bits.chosen, cost
        save_best(self.incumbent, self.state.bits.chosen)
        return self.incumbent.best.copy(), float(self.incumbent.cost[0])

    def _cooling(self, num_sweeps: int) -> FloatArray:
        return np.ascontiguousarray(as_temperatures(self.instance, self.schedule, num_sweeps, 1.0)[:, 0])

    def _end_cooling(self) -> None:
        """Keep what the cooling led to, and begin another one, twice as long unless the length is given."""
        bits, cost = self._finished()
        if cost < self.incumbent.cost[0]:
            save_best(self.incumbent, self.state.bits.chosen)
            self.incumbent.best[:] = bits.chosen
            self.incumbent.cost[0] = cost
        self.state.place[SWEEP] = 0
        if self.num_sweeps is None and len(self.temperatures) < LAST_SWEEPS:
            self.temperatures = self._cooling(2 * len(self.temperatures))

    def _finished(self) -> tuple[Bits, float]:
        return finished(self.instance, self.forms, self.state.bits.chosen)


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
    began = time.perf_counter()
    given = np.zeros(instance.num_nodes, dtype=np.bool_) if start is None else start
    num_threads = count_threads(num_threads)
    found: list[tuple[int, NDArray[np.bool_], float] | None] = [None] * num_restarts
    traces = [Trace(began) for _ in range(num_restarts)]

    def run(row: int, _first: int, _last: int) -> None:
        search = AnnealingSearch(
            instance, given, seed, schedule=schedule, num_sweeps=num_sweeps, penalty_scale=penalty_scale, row=row
        )
        share = (row // num_threads + 1) / -(-num_restarts // num_threads)
        own = budget if budget.seconds is None else replace(budget, seconds=budget.seconds * share)
        found[row] = search.run(own, -math.inf, traces[row], started=began)

    for_each_graph(np.array([0, instance.num_nodes]), num_restarts, lambda row: row, run, num_threads=num_threads)
    results = [each for each in found if each is not None]
    trace = Trace(began)
    trace.join(traces)
    _, best, cost = min(results, key=lambda each: each[2])
    seconds = time.perf_counter() - began
    trace.record(cost, seconds)
    moves = sum(each[0] for each in results)
    return rescored(instance, best, moves=moves, seconds=seconds, trace=tuple(trace.points))


def default_temperatures(forms: Forms, bits: Bits) -> tuple[float, float]:
    """Return where the default schedule begins and ends, read off the prices of flips in a local minimum."""
    prices = np.zeros(len(bits.chosen))
    price_flips(forms, bits, prices)
    prices = prices[prices > forms.tolerance]
    if not len(prices):
        return float(forms.unit[0]), float(forms.unit[0])
    # Of the smallest floats there are no parts.
    last = max(COLD * float(np.quantile(prices, CHEAP)), LEAST_TEMPERATURE)
    return max(HOT * float(prices.mean()), last), last


@kernel
def price_flips(forms: Forms, bits: Bits, prices: FloatArray) -> None:
    """Fill in by how much each flip would change f, in size and without ranges."""
    for node in range(len(prices)):
        prices[node] = abs(local_change(forms, bits, 0, node, ENERGY))
