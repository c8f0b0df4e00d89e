"""What a search returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annealco.energy import Energy, Instance


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The best assignment that a search found on one graph.

    Attributes:
        assignment: [num_nodes].
        cost: its objective as a cost, whatever the sense of the instance.
        feasible: whether it violates nothing. A search that found nothing feasible returns what it has.
        moves: how many were made.
        seconds: wall-clock time, preparation included.
        trace: (seconds, cost) whenever something better had been found.
    """

    assignment: NDArray[np.bool_]
    cost: float
    feasible: bool
    moves: int
    seconds: float
    trace: tuple[tuple[float, float], ...]


def rescored(
    instance: Instance,
    assignment: NDArray[np.bool_],
    *,
    moves: int,
    seconds: float,
    trace: tuple[tuple[float, float], ...],
) -> SearchResult:
    """Return a result whose cost and feasibility are evaluated by the terms, not carried along by a search.

    Example:
        >>> from annealco.energy import Linear
        >>> ptr = np.array([0, 2])
        >>> rescored(Instance(ptr, (Linear(ptr, np.ones(2)),)), np.ones(2, bool), moves=0, seconds=0.0, trace=()).cost
        2.0
    """
    cost = float(Energy(instance.node_ptr, instance.objective).value(assignment)[0])
    feasible = bool(instance.violations(assignment)[0] == 0)
    return SearchResult(assignment, cost, feasible, moves, seconds, trace)
