"""Make a method of a function that reads everything it needs off the instance."""

from __future__ import annotations

import time
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from annealco.baselines.method import Outcome
from annealco.energy import Instance
from annealco.graph.graph import Graph
from annealco.problems import Problem


class Find(Protocol):
    """Return an assignment, [num_nodes] bits, of an instance of one graph.

    `Run` tells what else is given; where moves are, they count instead of seconds for whoever counts moves.
    """

    def __call__(
        self, instance: Instance, *, budget: float, seed: int, threads: int, moves: int | None
    ) -> NDArray[np.bool_]: ...


class CountedRun(Protocol):
    """A `Run` that can be given moves instead of seconds: such runs are repeatable."""

    def __call__(
        self,
        problem: Problem,
        graph: Graph,
        *,
        budget: float,
        seed: int,
        threads: int = 1,
        start: NDArray[np.bool_] | None = None,
        moves: int | None = None,
    ) -> Outcome: ...


def on_instance(find: Find) -> CountedRun:
    """Return a `Run`, by moves too, that declares the instance and times what is done with it.

    Example:
        >>> from annealco.problems import PROBLEMS
        >>> nothing = on_instance(lambda instance, **_: np.zeros(instance.num_nodes, bool))
        >>> nothing(PROBLEMS["mis"], Graph.from_edges([[0], [1]]), budget=1, seed=0).assignment.tolist()
        [False, False]
    """

    def run(
        problem: Problem,
        graph: Graph,
        *,
        budget: float,
        seed: int,
        threads: int = 1,
        start: NDArray[np.bool_] | None = None,  # noqa: ARG001 (what builds a set of its own begins with none)
        moves: int | None = None,
    ) -> Outcome:
        instance = problem.declare(graph)
        begun = time.perf_counter()
        assignment = find(instance, budget=budget, seed=seed, threads=threads, moves=moves)
        return Outcome(assignment, seconds=time.perf_counter() - begun)

    return run
