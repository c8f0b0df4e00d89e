"""The searches that continue where they stopped, and the choice among them by the terms of an instance.

Hitting set problems go to the covering search, pairs that are too many to list to the search for cliques by
neighbourhoods; of everything else, what has no constraints is annealed, and what has some is annealed and searched by
tabu search in turns.

Improve an assignment by the search that fits the terms of its instance.
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from annealco._core import StopFlag
from annealco.clock import Budget, Trace, now
from annealco.energy import Energy, Instance
from annealco.search.annealing import AnnealingSearch
from annealco.search.cliques import CliqueSearch, as_partners
from annealco.search.covering import CoveringSearch, reduced_sets
from annealco.search.tabu import AlternatingSearch

Bits = NDArray[np.bool_]


class Search(Protocol):
    """A search with a state of its own."""

    name: str

    @property
    def solved(self) -> bool:
        """Whether nothing is left to look at, so that the best is an optimum."""

    def run(self, budget: Budget, target: float, trace: Trace) -> tuple[int, Bits, float]:
        """Go on until the budget is spent or the target reached; return moves, the best assignment and its cost."""


def choose_search(
    instance: Instance, start: Bits, seed: int, *, seconds: float | None = None, stop: StopFlag | None = None
) -> Search:
    """Return the search that fits the terms of an instance of one graph.

    Args:
        instance: of one graph.
        start: [num_nodes] the assignment to begin with.
        seed: for the search.
        seconds: that the search will have; reductions stop when they have taken their share of it.
        stop: once it is set, reductions end with what they have.
    """
    reduced = reduced_sets(instance, seconds=seconds, stop=stop)
    if reduced is not None:
        return CoveringSearch(reduced.sets, reduced.reduction, start, seed)
    partners = as_partners(instance)
    if partners is not None:
        return CliqueSearch(partners, start, seed)
    if not instance.constraints:
        return AnnealingSearch(instance, start, seed)
    return AlternatingSearch(instance, start, seed)


class Improver:
    """A search on one graph that can be asked for its best, and continued.

    Attributes:
        assignment: [num_nodes] the best so far.
        cost: its cost, infinite where it is not feasible.
        moves: how many moves were made.
        trace: when which cost was reached.
        method: the name of the search.
    """

    least_seconds = 0.002
    """In which it gets under way on a small graph."""

    def __init__(
        self,
        instance: Instance,
        start: Bits,
        *,
        seed: int,
        started: float | None = None,
        seconds: float | None = None,
    ) -> None:
        """Begin with an assignment.

        Args:
            instance: of one graph.
            start: [num_nodes] the assignment.
            seed: for the search.
            started: clock reading from which the trace counts; now by default.
            seconds: that all calls of `improve` will have together, None where nothing may depend on the clock.
        """
        self.instance = instance
        self.seed = seed
        self.seconds = seconds
        self.moves = 0
        self.trace = Trace() if started is None else Trace(started)
        self.assignment = start
        self.cost = self._cost_of(start) if instance.violations(start)[0] == 0 else math.inf
        self.trace.record(self.cost)
        self.method = "decoding"
        self._search: Search | None = None

    def begin(self, stop: StopFlag | None = None) -> Search:
        """Return the search, set up by the first call; once the flag is set, set-up ends with what it has."""
        if self._search is None:
            self._search = choose_search(self.instance, self.assignment, self.seed, seconds=self.seconds, stop=stop)
            self.method = self._search.name
        return self._search

    def improve(self, budget: Budget, *, target: float = -math.inf) -> None:
        """Search until the budget is spent or the cost reaches the target, a known lower bound."""
        begun = now()
        search = self.begin(budget.stop)
        moves, assignment, cost = search.run(budget.after(now() - begun), target, self.trace)
        self.moves += moves
        # A search adds to its cost and takes from it millions of times, which weights off any grid do not survive.
        if cost < math.inf and (cost := self._cost_of(assignment)) < self.cost:
            self.assignment, self.cost = assignment, cost

    def _cost_of(self, assignment: Bits) -> float:
        return float(Energy(self.instance.node_ptr, self.instance.objective).value(assignment)[0])

    @property
    def solved(self) -> bool:
        """Whether the search left nothing to look at, so that the best is an optimum."""
        return self._search is not None and self._search.solved
