"""This package, without a network and without a bound: search alone, on one thread."""

from __future__ import annotations

import numpy as np

from annealco.graph.graph import Graph
from peers.answer import Answer, Run


def annealco(graph: Graph, problem: str) -> Run:
    """Return the solver; there is nothing to build, so that everything is timed."""
    from annealco.solving import solve

    def run(seconds: float, seed: int) -> Answer:
        found = solve(graph, problem, time_limit=seconds, seed=seed, bound=False, num_threads=1)
        return Answer(np.array(found.nodes, dtype=int))

    return run
