"""Simulated annealing of ours, alone: cooling after cooling until the time is over."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.baselines.on_instance import on_instance
from annealco.energy import Instance
from annealco.search.annealing import simulated_annealing
from annealco.search.budget import Budget


def anneal(
    instance: Instance, *, budget: float, seed: int, threads: int, moves: int | None = None
) -> NDArray[np.bool_]:
    """Return the best set of so many seconds, or of so many moves a thread, [num_nodes], one run a thread."""
    found = simulated_annealing(
        instance,
        budget=Budget(seconds=budget) if moves is None else Budget(moves=moves),
        seed=seed,
        num_restarts=threads,
        num_threads=threads,
    )
    return found.assignment


run = on_instance(anneal)
"""A `Run` of simulated annealing."""
