"""Simulated annealing and tabu search in turns, with one best assignment between them.

Annealing sinks deep where many small changes add up; tabu search, whose restarts choose or drop whole regions, finds
the way where constraints keep single flips from getting there. Each gets about half of the time. Where there are
ranges, both begin with sweeps through them, so that no greedy growth from the forced nodes is better.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco.energy import Instance
from annealco.search.advance import advance_within
from annealco.search.anneal import AnnealingSearch
from annealco.search.budget import Budget, Trace
from annealco.search.incumbent import save_best
from annealco.search.sweep import sweep_from_both_ends
from annealco.search.tabu import TabuSearch

VISITS_A_NODE, MOVES_A_NODE = 800, 32
"""How long a turn of annealing and one of tabu search is, for each node: a move takes as long as some 25 visits."""


class AlternatingSearch:
    """Annealing and tabu search on one graph, in turns, that can be continued.

    Attributes:
        name: of the method.
        solved: never known.
    """

    name = "annealing and tabu search"
    solved = False

    def __init__(self, instance: Instance, start: ArrayLike, seed: int) -> None:
        annealing = AnnealingSearch(instance, start, seed)
        sweep_from_both_ends(annealing.forms, annealing.state.bits, annealing.incumbent)
        tabu = TabuSearch(instance, annealing.state.bits.chosen, seed, incumbent=annealing.incumbent)
        self.incumbent = annealing.incumbent
        self.searches = (annealing, tabu)
        self.turns = (VISITS_A_NODE * instance.num_nodes, MOVES_A_NODE * instance.num_nodes)
        self.whose = 0
        self.left = self.turns[0]

    def run(self, budget: Budget, target: float, trace: Trace) -> tuple[int, NDArray[np.bool_], float]:
        """Go on until the budget is spent or the target reached; return moves, the best assignment and its cost."""
        moves = advance_within(budget, self.advance, self.incumbent, target=target, trace=trace)
        best, cost = self.searches[self.whose].best()
        return moves, best, cost

    def advance(self, moves: int) -> None:
        """Make so many moves, of whoever's turn it is."""
        while moves > 0:
            now = min(moves, self.left)
            self.searches[self.whose].advance(now)
            moves, self.left = moves - now, self.left - now
            if self.left == 0:
                # Between turns the best must not be told by flips away from the assignment of either.
                save_best(self.incumbent, self.searches[self.whose].state.bits.chosen)
                self.whose = 1 - self.whose
                self.left = self.turns[self.whose]
