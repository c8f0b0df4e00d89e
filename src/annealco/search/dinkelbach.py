"""Search for the least quotient by Dinkelbach's method: at the price of the best set; what beats it sets the next.

Every search that continues where it stopped will do: none of them knows of quotients. At one price it is asked after so
many moves whether it has found something better, then after twice as many, and so on; no clock decides what it does.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from annealco.search.budget import Budget, Trace
from annealco.search.improve import Improver
from annealco.search.quotient import Quotient, is_better

MOVES_A_NODE = 64
"""Moves for each node after which a search at a new price is asked for the first time: its first cooling."""


class QuotientImprover:
    """A search for a quotient on one graph that can be asked for its best, and continued: a peer of `Improver`.

    Attributes:
        assignment: [num_nodes] the best so far.
        cost: its quotient, negated where that is maximised; infinite where it is not feasible.
        moves: how many moves were made, at all prices together.
        trace: when which cost was reached.
        method: the name of the search.
        solved: whether a search at the price of the best left nothing to look at, so that the best is an optimum.
    """

    least_seconds = 0.02
    """In which it comes to the last of its prices on a small graph: every price has its own beginning."""

    def __init__(
        self,
        quotient: Quotient,
        start: NDArray[np.bool_],
        *,
        seed: int,
        started: float | None = None,
        seconds: float | None = None,
    ) -> None:
        """Begin with an assignment; `Improver` tells what is given."""
        self.quotient = quotient
        self.seed = seed
        self.seconds = seconds
        self.moves = 0
        self.trace = Trace() if started is None else Trace(started)
        self.assignment = start
        self.cost = float(quotient.costs(start[None])[0])
        self.trace.record(self.cost)
        self.method = "decoding"
        self.solved = False
        self._search: Improver | None = None
        self._round = 0
        self._beginning = 0.0

    def improve(self, budget: Budget, *, target: float = -math.inf) -> None:
        """Search at one price after the other until the budget is spent or the cost reaches the target."""
        begun, before = time.perf_counter(), self.moves
        while self.cost > target and not self.solved and not (budget.stop and budget.stop.is_set()):
            left = budget.after(time.perf_counter() - begun)
            if left.moves is not None:
                left = replace(left, moves=max(0, left.moves - (self.moves - before)))
            # A new price needs a new beginning, which takes large graphs long.
            needed = self._beginning if self._search is None else 0.0
            if left.moves == 0 or (left.seconds is not None and left.seconds <= needed):
                return
            if self._search is None:
                self._search = self._begin()
            else:
                self._go_on(self._search, left)

    def _begin(self) -> Improver:
        """Return a search at the price of the best, from the best."""
        begun = time.perf_counter()
        instance = self.quotient.at(self.cost)
        search = Improver(instance, self.assignment, seed=self.seed, seconds=self.seconds)
        search.improve(Budget(moves=0))
        self.method, self._round = search.method, MOVES_A_NODE * instance.num_nodes
        self._beginning = time.perf_counter() - begun
        return search

    def _go_on(self, search: Improver, left: Budget) -> None:
        """Search at one price for a round."""
        before = search.moves
        some = self._round if left.moves is None else min(self._round, left.moves)
        search.improve(replace(left, moves=some))
        self.moves += search.moves - before
        cost = float(self.quotient.costs(search.assignment[None])[0])
        if is_better(cost, self.cost):
            self.assignment, self.cost, self._search = search.assignment, cost, None
            self.trace.record(cost)
        self.solved = search.solved and self._search is search
        self._round *= 2
