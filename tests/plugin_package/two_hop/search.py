"""Random restarts: repair random assignments, and keep the best."""

import math

import numpy as np

from annealco.search import Found, SearchKind
from annealco.search.repair import finish


class RandomRestarts:
    """A search under way on one graph."""

    solved = False

    def __init__(self, instance, start, seed):
        self.instance, self.rng = instance, np.random.default_rng(seed)
        self.best, self.cost = start.copy(), self.cost_of(start)

    def cost_of(self, assignment):
        """Return what is minimised; inf where something is violated."""
        feasible = self.instance.violations(assignment)[0] == 0
        return float(self.instance.cost.value(assignment)[0]) if feasible else math.inf

    def run(self, budget, target, trace):
        """Go on until the budget is spent or the target is reached."""
        clock, moves = budget.clock(), 0
        while moves != budget.moves and self.cost > target and not clock.is_over:
            moves += 1
            other = finish(self.instance, self.rng.random(len(self.best)) < 0.5, num_threads=1)
            cost = self.cost_of(other)
            if cost < self.cost:
                self.best, self.cost = other, cost
                trace.record(cost)
        return Found(moves, self.best, self.cost)


SEARCH = SearchKind(
    name="random_restarts",
    title="random restarts",
    takes=lambda structure: structure.kind == "covering",
    begin=lambda instance, start, *, seed, seconds, stop: RandomRestarts(instance, start, seed),
)
