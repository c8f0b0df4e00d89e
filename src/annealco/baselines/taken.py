"""Tell which problems a method takes, by asking it on a small graph."""

from __future__ import annotations

import numpy as np

from annealco.baselines.method import Method
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS


def problems_of(method: Method) -> list[str]:
    """Return the problems that a method takes on a graph without weights.

    Example:
        >>> from annealco.baselines import METHODS
        >>> problems_of(METHODS["networkx"])
        ['mis', 'clique', 'mds']
    """
    ring = np.arange(8)
    # Every node has four neighbours: nothing here is special.
    graph = Graph.from_edges([np.tile(ring, 2), np.concatenate([(ring + 1) % 8, (ring + 3) % 8])])
    return [name for name, problem in PROBLEMS.items() if method.refuses(problem, graph) is None]
