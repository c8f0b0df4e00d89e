"""What the searches by flips share: a start of one graph, and a run in the compiled core."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco import _core
from annealco.energy import Instance
from annealco.graph.errors import InputError
from annealco.search.budget import Budget, Trace


def as_start(instance: Instance, start: ArrayLike) -> NDArray[np.bool_]:
    """Return a start of one graph as the core takes it, [num_nodes]."""
    if instance.num_graphs != 1:
        raise InputError(f"a search is of one graph, this instance has {instance.num_graphs}")
    given = np.asarray(start)
    if given.shape != (instance.num_nodes,) or not np.all((given == 0) | (given == 1)):
        raise InputError(f"a start must be 0 or 1 for each of {instance.num_nodes} nodes, its shape is {given.shape}")
    return np.ascontiguousarray(given, dtype=np.bool_)


def run_search(
    search: _core.FlipSearch, budget: Budget, target: float, trace: Trace
) -> tuple[int, NDArray[np.bool_], float]:
    """Go on until the budget is spent or the target reached; return moves, the best assignment and its cost."""
    clock = budget.clock()
    assignment, cost = search.run(clock, target)
    trace.follow(clock)
    return clock.moves, assignment, cost
