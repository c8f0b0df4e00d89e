"""What ``annealco.baselines`` has beyond exact solvers, as peers."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from annealco.baselines import METHODS
from annealco.baselines.external import BuildInstance
from annealco.baselines.external.networkx_approximation import APPROXIMATIONS, build_on_graph
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from peers.answer import Answer, Run


def external(module: str, build: str = "build") -> Callable[[Graph, str], Run]:
    """Return what builds a solver of others; building is not timed."""

    def write(graph: Graph, problem: str) -> Run:
        make: BuildInstance = getattr(import_module(f"annealco.baselines.external.{module}"), build)
        solve = make(PROBLEMS[problem].declare(graph))
        return lambda seconds, seed: as_answer(solve(seconds, seed))

    return write


def networkx_approximation(graph: Graph, problem: str) -> Run:
    """Build a networkx graph."""
    solve = build_on_graph(PROBLEMS[problem].declare(graph), graph=graph, chosen=APPROXIMATIONS[problem])
    return lambda seconds, seed: as_answer(solve(seconds, seed))


def annealco(graph: Graph, problem: str) -> Run:
    """Return our search; there is nothing to build, so that everything is timed."""

    def run(seconds: float, seed: int) -> Answer:
        return as_answer(METHODS["search"].run(PROBLEMS[problem], graph, budget=seconds, seed=seed).assignment)

    return run


def as_answer(bits: NDArray[np.bool_] | None) -> Answer:
    """Return bits as nodes."""
    return Answer(None if bits is None else np.flatnonzero(bits))
