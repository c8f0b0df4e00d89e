"""Trained networks as methods: what a checkpoint proposes, decoded, alone or with the search behind it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from annealco.baselines.method import Outcome
from annealco.baselines.search_alone import NO_LIMIT, run_solver
from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import Problem
from annealco.solving import Model, Solver, Trained, find_model

RESTARTS = 8
"""Proposals a graph: the best decoded one counts."""


class Learned(NamedTuple):
    """A way to use a trained network.

    Attributes:
        name: what users type, before ``=DIR``.
        summary: what it is, in a few words.
        polish: whether the search goes on from what is decoded.
    """

    name: str
    summary: str
    polish: bool = False


LEARNED: dict[str, Learned] = {
    each.name: each
    for each in (
        Learned("annealed", "a network by annealed training, decoded; needs a checkpoint"),
        Learned("annealed+search", "the same with the search behind it", polish=True),
        Learned("erdos", "a network trained without annealing, decoded; needs a checkpoint"),
    )
}
"""Every way by its name."""


def run_checkpoint(
    folder: str,
    problem: Problem,
    graph: Graph,
    *,
    budget: float,
    seed: int,
    threads: int = 1,
    polish: bool = False,
    moves: int | None = None,
) -> Outcome:
    """Solve one graph with the network in a folder; `annealco.baselines.method.Run` tells what is given."""
    solver = Solver(
        problem,
        time_limit=budget if moves is None else NO_LIMIT,
        moves=moves,
        restarts=RESTARTS,
        polish=polish,
        bound=False,
        model=_network(str(Path(folder).resolve())),
        seed=seed,
        num_threads=threads,
    )
    return run_solver(solver, graph)


def refusal(folder: str, problem: Problem) -> str | None:
    """Return why a checkpoint is not for a problem, or None where it is; one that is not there is an InputError."""
    network = _network(str(Path(folder).resolve()))
    if isinstance(network, Trained) and network.problem != problem.name:
        return f"{folder} was trained for {network.problem}"
    return None


@lru_cache(maxsize=4)
def _network(folder: str) -> Model:
    network = find_model(folder)
    if isinstance(network, str):
        raise InputError(f"{folder} is no trained network")
    return network
