"""What the searches by flips share: a repaired start of one graph, and a run in the compiled core."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco import _core
from annealco.energy import Instance
from annealco.graph.errors import InputError
from annealco.search.budget import Budget, Trace
from annealco.search.repair import finish


def repaired_start(instance: Instance, start: ArrayLike) -> NDArray[np.bool_]:
    """Return a start of one graph, [num_nodes], made feasible and then as good as single flips can."""
    if instance.num_graphs != 1:
        raise InputError(f"a search is of one graph, this instance has {instance.num_graphs}")
    return finish(instance, start, num_threads=1)


def run_search(
    search: _core.FlipSearch, budget: Budget, target: float, trace: Trace
) -> tuple[int, NDArray[np.bool_], float]:
    """Go on until the budget is spent or the target reached; return moves, the best assignment and its cost."""
    clock = budget.clock()
    assignment, cost = search.run(clock, target)
    trace.follow(clock)
    return clock.moves, assignment, cost
