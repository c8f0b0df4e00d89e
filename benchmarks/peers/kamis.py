"""The KaMIS family of independent set solvers, from chszlablib: they ignore short limits, so look at the time taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from annealco.graph.graph import Graph
from peers.answer import Answer, Run
from peers.independent import as_answer, conflict_graph


def online_mis(graph: Graph, problem: str) -> Run:
    """Build the graph for OnlineMIS, local search with reductions on the fly."""
    return _build(graph, problem, lambda library: library.online_mis)


def redu_mis(graph: Graph, problem: str) -> Run:
    """Build the graph for ReduMIS, reductions and an evolutionary search."""
    return _build(graph, problem, lambda library: library.redumis)


def chils(graph: Graph, problem: str) -> Run:
    """Build the graph for CHILS, concurrent local search for weighted graphs, here with one thread."""
    return _build(graph, problem, lambda library: library.chils)


def _build(graph: Graph, problem: str, method: Callable[[Any], Callable[..., Any]]) -> Run:
    from chszlablib import Graph as TheirGraph
    from chszlablib import IndependenceProblems

    conflicts = conflict_graph(graph, problem)
    # They insist on arrays that they could write to.
    theirs = TheirGraph.from_csr(
        conflicts.indptr.copy(), conflicts.indices.copy(), node_weights=graph.node_weight.astype(np.int64)
    )

    def run(seconds: float, seed: int) -> Answer:
        found = method(IndependenceProblems)(theirs, time_limit=seconds, seed=seed)
        return as_answer(graph, problem, found.vertices)

    return run
