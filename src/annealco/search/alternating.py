"""Simulated annealing and tabu search in turns, in the compiled core (native/search/alternating.hpp).

Annealing sinks deep where many small changes add up; tabu search, whose restarts choose or drop whole regions, finds
the way where constraints keep single flips from getting there. Each gets about half of the time. Where there are
ranges, both begin with sweeps through them, so that no greedy growth from the forced nodes is better.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco import _core
from annealco.energy import Instance
from annealco.search.budget import Budget, Trace
from annealco.search.flip_search import as_start, run_search
from annealco.search.forms import core_terms
from annealco.search.seeds import seed_word


class AlternatingSearch:
    """Annealing and tabu search on one graph, in turns, that can be continued.

    Attributes:
        name: of the method.
        solved: never known.
        core: the search in the compiled core.
    """

    name = "annealing and tabu search"
    solved = False

    def __init__(self, instance: Instance, start: ArrayLike, seed: int) -> None:
        self.core = _core.alternating_search(core_terms(instance), as_start(instance, start), seed=seed_word(seed))

    def run(self, budget: Budget, target: float, trace: Trace) -> tuple[int, NDArray[np.bool_], float]:
        """Go on until the budget is spent or the target reached; return moves, the best assignment and its cost."""
        return run_search(self.core, budget, target, trace)
