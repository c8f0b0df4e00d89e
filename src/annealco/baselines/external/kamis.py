"""The KaMIS family of independent set solvers, from chszlablib: they ignore short limits, so look at the time taken."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from annealco.baselines.external import SolveInstance, conflict_graph, run_external
from annealco.baselines.method import Assignment
from annealco.energy import Instance


def build(instance: Instance, *, algorithm: str) -> SolveInstance:
    """Build the conflict graph for one of ``IndependenceProblems``' algorithms."""
    import chszlablib

    conflicts = conflict_graph(instance)
    graph = conflicts.graph
    # They insist on arrays that they could write to.
    theirs = chszlablib.Graph.from_csr(
        graph.indptr.copy(), graph.indices.copy(), node_weights=graph.node_weight.astype(np.int64)
    )
    method: Any = getattr(chszlablib.IndependenceProblems, algorithm)

    def solve(seconds: float, seed: int) -> Assignment:
        found = method(theirs, time_limit=seconds, seed=seed)
        return conflicts.as_bits(np.asarray(found.vertices, dtype=np.int64))

    return solve


build_online_mis = partial(build, algorithm="online_mis")
"""OnlineMIS: local search with reductions on the fly."""

build_redu_mis = partial(build, algorithm="redumis")
"""ReduMIS: reductions and an evolutionary search."""

build_chils = partial(build, algorithm="chils")
"""CHILS: concurrent local search for weighted graphs, here with one thread."""

run_online_mis = partial(run_external, build_online_mis)
run_redu_mis = partial(run_external, build_redu_mis)
run_chils = partial(run_external, build_chils)
