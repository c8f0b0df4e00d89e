"""Look at a problem as an independent set problem, the one that most solvers know."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from annealco.graph.graph import Graph
from annealco.graph.operations import complement
from peers.answer import Answer


@lru_cache(maxsize=1)
def conflict_graph(graph: Graph, problem: str) -> Graph:
    """Return the graph whose independent sets are the cliques of this one, or its own, or the rest of a cover."""
    return complement(graph) if problem == "clique" else graph


def as_answer(graph: Graph, problem: str, independent: Iterable[int] | None, *, proven: bool = False) -> Answer:
    """Turn an independent set of the conflict graph back."""
    if independent is None:
        return Answer(None)
    chosen = np.zeros(graph.num_nodes, bool)
    chosen[np.fromiter(independent, int)] = True
    return Answer(np.flatnonzero(~chosen if problem == "vertex_cover" else chosen), proven)
