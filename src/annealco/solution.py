"""What solving a problem on one graph returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

TOLERANCE = 1e-9
"""Values closer than this, relative to their size, are equal."""


@dataclass(frozen=True)
class Solution:
    """A feasible set, what it is worth, and how far from the optimum it can be.

    Attributes:
        problem: name of the problem.
        nodes: the set, in the labels of the user's graph.
        value: the problem's own plain score of the set.
        feasible: always True: an infeasible answer is never returned.
        bound: a proven bound on the optimum (above for a maximum, below for a minimum), or None.
        gap: how far value and bound are apart, relative to the larger, or None without a bound.
        optimal: whether value equals bound, which proves the set optimal.
        method: what found the set and, behind a plus sign, what proved the bound.
        seconds: wall-clock time, the bound's included.
        seed: what the random choices were made with.
        graph: name or number of the graph among those that were given.
        trace: (seconds, value) of each improvement.
    """

    problem: str
    nodes: list[Any]
    value: float
    feasible: bool
    bound: float | None
    gap: float | None
    optimal: bool
    method: str
    seconds: float
    seed: int
    graph: str
    trace: list[tuple[float, float]] = field(default_factory=list, repr=False)

    def as_json(self) -> dict[str, Any]:
        """Return what the command line prints, of plain types."""
        keys = (
            "graph",
            "problem",
            "nodes",
            "value",
            "feasible",
            "bound",
            "gap",
            "optimal",
            "method",
            "seconds",
            "seed",
        )
        return {key: getattr(self, key) for key in keys}


def gap_between(value: float, bound: float | None) -> float | None:
    """Return |value − bound| relative to the larger of the two, 0 where they are equal, None without a bound.

    Example:
        >>> gap_between(9, 10), gap_between(0, 0), gap_between(3, None)
        (0.1, 0.0, None)
    """
    if bound is None:
        return None
    size = max(abs(value), abs(bound))
    apart = abs(value - bound)
    return 0.0 if apart <= TOLERANCE * size else apart / size
