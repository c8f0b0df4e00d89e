"""The covering search on what reductions leave, with scouts where it finds nothing better.

A search that drops and chooses a few variables at a time stays near its hitting set. Where good ones lie far apart, as
large cliques with few nodes in common do, it would never leave the first it met. So now and then a scout starts
elsewhere with weights of its own, and where it finds a cheaper set the search goes on from there. Scouts are sent ever
more seldom: most problems are not of that kind.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.search.budget import Budget, Trace, spend
from annealco.search.cover_state import BEST, IMPROVED, MOVE, CoverState, begin
from annealco.search.covering import complete, run
from annealco.search.hitting_set import HittingSet
from annealco.search.reduction import Reduction, reduce_sets

Bits = NDArray[np.bool_]

FIRST_SCOUT, LATER_SCOUTS, SCOUT_MOVES = 20, 1.3, 3
"""Moves a variable without a better set before the first scout, by how much this grows, and moves a variable of one."""


class CoveringSearch:
    """The covering search; its weights stay from one call to the next."""

    name = "covering search"

    def __init__(self, sets: HittingSet, start: Bits, seed: int, *, reduction: Reduction | None = None) -> None:
        self.inverted = sets.inverted
        self.reduction = reduce_sets(sets) if reduction is None else reduction
        # Leaving a node out costs what choosing it would have gained.
        self.offset = float(sets.cost[self.reduction.chosen].sum() - (sets.cost.sum() if sets.inverted else 0.0))
        chosen = ~start if sets.inverted else start
        self.seed = seed
        self.state = begin(self.reduction.kernel, chosen[self.reduction.left], seed=seed)
        complete(self.reduction.kernel, self.state)
        self.patience = FIRST_SCOUT * len(self.reduction.left)
        self.scout: CoverState | None = None
        self.scouts = 0

    @property
    def solved(self) -> bool:
        """Whether reductions left nothing."""
        return len(self.reduction.left) == 0

    def run(self, budget: Budget, target: float, trace: Trace) -> tuple[int, Bits, float]:
        """Go on; see `annealco.search.searches.Search`."""
        limit = target - self.offset

        def chunk(moves: int) -> bool:
            go_on = self._advance(moves, limit)
            trace.record(float(self.state.cost[BEST]) + self.offset)
            return go_on

        moves = spend(budget, chunk)
        best = self.reduction.lift(self.state.best)
        return moves, ~best if self.inverted else best, float(self.state.cost[BEST]) + self.offset

    def _advance(self, moves: int, limit: float) -> bool:
        """Make moves of the search and of scouts; say whether to go on. How moves are cut up makes no difference."""
        if self.solved:
            return bool(run(self.reduction.kernel, self.state, moves, limit))
        while moves > 0:
            if self.scout is None and self._until_scout() <= 0:
                self._send_scout()
            scout = self.scout
            if scout is None:
                some = min(moves, self._until_scout())
                if not run(self.reduction.kernel, self.state, some, limit):
                    return False
            else:
                left = SCOUT_MOVES * len(self.reduction.left) - int(scout.number[MOVE])
                some = min(moves, left)
                go_on = run(self.reduction.kernel, scout, some, limit)
                if scout.cost[BEST] < self.state.cost[BEST]:
                    self.state, self.scout = scout, None
                elif some == left or not go_on:
                    self.scout = None
                if self.state.cost[BEST] <= limit:
                    return False
            moves -= some
        return True

    def _until_scout(self) -> int:
        return self.patience - int(self.state.number[MOVE] - self.state.number[IMPROVED])

    def _send_scout(self) -> None:
        """Start from a random variable that is left out: whatever this forces is chosen, and the rest greedily."""
        self.scouts += 1
        self.patience = int(LATER_SCOUTS * self.patience)
        kernel = self.reduction.kernel
        # Seeds of restarts count up from one another.
        rng = np.random.default_rng([self.seed, self.scouts])
        chosen = np.zeros(len(kernel.cost), np.bool_)
        variable = int(rng.integers(len(chosen)))
        partners = kernel.partner[kernel.variable_ptr[variable] : kernel.variable_ptr[variable + 1]]
        chosen[partners[partners >= 0]] = True
        self.scout = begin(kernel, chosen, seed=int(rng.integers(2**31)))
        complete(kernel, self.scout)
