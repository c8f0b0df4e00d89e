"""Tell which problems a method takes, by asking it on a small graph."""

from __future__ import annotations

from annealco.baselines.method import Method
from annealco.graph.generators.ring import ring_with_chords
from annealco.problems import PROBLEMS


def problems_of(method: Method) -> list[str]:
    """Return the problems that a method takes on a graph without weights.

    Example:
        >>> from annealco.baselines import METHODS
        >>> problems_of(METHODS["networkx"])
        ['mis', 'clique', 'mds']
    """
    graph = ring_with_chords()
    return [name for name, problem in PROBLEMS.items() if method.refusal(problem, graph) is None]
