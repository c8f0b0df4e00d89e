"""What search without a network is meant to reach, as numbers to be checked."""

from __future__ import annotations

from typing import Literal, NamedTuple

Measure = Literal["optimal", "ratio"]


class Goal(NamedTuple):
    """A number that our search should reach.

    Attributes:
        family: a key of ``FAMILIES``.
        budget: CPU seconds a graph.
        measure: the share of graphs solved to a known optimum, or the mean ratio to the best that anybody found.
        least: what the measure should be at least.
        count: on how many graphs it is measured.
        references: methods and budgets that prove optima, or look for better sets.
        seeds: with how many seeds each graph is solved.
    """

    family: str
    budget: float
    measure: Measure
    least: float
    count: int
    references: tuple[tuple[str, float], ...] = ()
    seeds: int = 3


PROOF = (("scip", 60.0),)
LONG = (("annealco", 10.0),)

GOALS = [
    Goal("mis-rb-small", 0.05, "optimal", 0.99, 100),
    Goal("mis-rb-small-unforced", 0.2, "optimal", 0.98, 50, PROOF),
    Goal("mis-rb-large", 0.5, "ratio", 0.99, 20),
    Goal("mis-rb-large", 5.0, "optimal", 0.95, 20, seeds=1),
    Goal("clique-rb-small", 0.1, "optimal", 0.99, 100),
    Goal("clique-rb-small-unforced", 0.4, "optimal", 0.98, 50, PROOF),
    Goal("clique-rb-large", 1.0, "ratio", 0.99, 20),
    Goal("clique-rb-large", 10.0, "optimal", 0.95, 20, seeds=1),
    Goal("mds-ba-small", 0.2, "optimal", 0.95, 50, PROOF),
    Goal("mds-ba-large", 1.0, "ratio", 0.997, 20, LONG),
    Goal("mis-rb-small-weighted", 1.0, "ratio", 0.995, 20, PROOF),
    Goal("mis-rb-small-unforced-weighted", 1.0, "ratio", 0.995, 20, PROOF),
    Goal("mis-rb-large-weighted", 1.0, "ratio", 0.995, 10, LONG),
    Goal("mis-rb-large-unforced-weighted", 1.0, "ratio", 0.995, 10, LONG),
    Goal("clique-rb-small-weighted", 1.0, "ratio", 0.995, 20, PROOF),
    Goal("clique-rb-small-unforced-weighted", 1.0, "ratio", 0.995, 20, PROOF),
    Goal("clique-rb-large-weighted", 1.0, "ratio", 0.995, 10, LONG),
    Goal("clique-rb-large-unforced-weighted", 1.0, "ratio", 0.995, 10, LONG),
    Goal("mds-ba-small-weighted", 1.0, "ratio", 0.995, 20, PROOF),
    Goal("mds-ba-large-weighted", 1.0, "ratio", 0.995, 10, LONG),
]
"""The goals; a clique gets twice the time of an independent set."""
