"""What solving a problem on one graph returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

WHOLE = 2.0**53
"""Sums of whole numbers are exact up to here."""

UNKNOWN = 1e-9
"""How far apart, relative to their size, equal values can be that are sums of weights nobody knows any more."""


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
        optimal: whether value equals bound, but for what rounding explains, which proves the set optimal.
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


def gap_between(value: float, bound: float | None, *, excused: float = 0.0) -> float | None:
    """Return |value − bound| relative to the larger of the two, 0 where they are equal, None without a bound.

    Args:
        value: of a set.
        bound: on it, or a reference.
        excused: a difference that rounding explains, see `annealco.bounds.certify.Slack`; 0 where sums are exact.

    Example:
        >>> gap_between(9, 10), gap_between(0, 0), gap_between(3, None), gap_between(0.3, 0.1 + 0.2, excused=1e-15)
        (0.1, 0.0, None, 0.0)
    """
    if bound is None:
        return None
    apart = abs(value - bound)
    return 0.0 if apart <= excused else apart / max(abs(value), abs(bound))


def is_reached(value: float, reference: float) -> bool:
    """Tell whether a value is a reference, of which only the number is left: exactly so where both are whole.

    Example:
        >>> is_reached(1e12, 1e12 + 1), is_reached(0.3, 0.1 + 0.2)
        (False, True)
    """
    size = max(abs(value), abs(reference))
    whole = float(value).is_integer() and float(reference).is_integer() and size < WHOLE
    return gap_between(value, reference, excused=0.0 if whole else UNKNOWN * size) == 0.0
