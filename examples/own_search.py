"""Iterated local search: flip some nodes of the best assignment, repair what is broken, keep what is not worse."""

import math

import numpy as np

from annealco.search import Found, SearchKind
from annealco.search.repair import finish


class IteratedLocalSearch:
    """A search under way on one graph."""

    solved = False  # It never knows that nothing is left to look at.

    def __init__(self, instance, start, seed):
        self.instance = instance
        self.rng = np.random.default_rng(seed)
        self.best = finish(instance, start, num_threads=1)  # feasible, and no single flip improves it
        self.cost = self.cost_of(self.best)

    def cost_of(self, assignment):
        """Return what is minimised, whatever the sense of the problem; inf where something is violated."""
        feasible = self.instance.violations(assignment)[0] == 0
        return float(self.instance.cost.value(assignment)[0]) if feasible else math.inf

    def run(self, budget, target, trace):
        """Go on where the last call stopped, until the budget is spent or the target reached."""
        clock, moves = budget.clock(), 0
        while moves != budget.moves and self.cost > target and not clock.is_over:
            moves += 1
            flipped = self.rng.random(len(self.best)) < 2 / max(2, len(self.best))
            other = finish(self.instance, self.best ^ flipped, num_threads=1)
            cost = self.cost_of(other)
            if cost <= self.cost:
                self.best, self.cost = other, cost
                trace.record(cost)
        return Found(moves, self.best, self.cost)


def begin(instance, start, *, seed, **_):
    """Begin a search; one that prepares something for long would look at ``seconds`` and the flag ``stop`` too."""
    return IteratedLocalSearch(instance, start, seed)


SEARCH = SearchKind(
    name="iterated",
    title="iterated local search",
    takes=lambda structure: structure.kind in {"packing", "covering", "quadratic"},
    begin=begin,
)
