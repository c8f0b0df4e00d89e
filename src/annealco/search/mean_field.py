"""Mean-field annealing: solve for the best product distribution while the temperature falls.

At temperature τ the free energy E_Q[f] − τ H(Q) is stationary where every node has

    φ_i = σ(−(E[f | x_i = 1] − E[f | x_i = 0]) / τ).

Nodes are set to that one after the other, sweep after sweep, each sweep at a lower temperature (Bilbro et al., 1988):
what annealed training asks of a network, done for one instance alone.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from annealco import _core
from annealco.arrays import FloatArray
from annealco.energy import Instance
from annealco.energy.compiled import core_terms
from annealco.energy.schedules import LAST_TEMPERATURE, Schedule, geometric, temperatures
from annealco.errors import InputError
from annealco.search.protocol import count_threads, seed_word


def mean_field_annealing(
    instance: Instance,
    *,
    schedule: Schedule | ArrayLike | None = None,
    num_sweeps: int = 100,
    num_restarts: int | None = None,
    penalty_scale: float = 1.0,
    seed: int = 0,
    num_threads: int | None = None,
) -> FloatArray:
    """Return the probabilities of a product distribution that has been cooled down; O(num_sweeps · size) a restart.

    Args:
        instance: one or many graphs.
        schedule: the temperature of every sweep, [num_sweeps] or [num_sweeps, num_graphs], or a function of progress
            from 0 to 1. By default it falls geometrically from each graph's largest change by one flip
            (`Instance.lipschitz`) to 0.001.
        num_sweeps: how many, where the schedule is no array.
        num_restarts: how many independent runs from different starts; None for one.
        penalty_scale: multiple of the critical penalty in the energy.
        seed: of starts and orders; a graph's result depends on it and the number of the restart, not on other graphs.
        num_threads: all processors by default; no result depends on it.

    Returns:
        Probabilities, [num_nodes] or, where restarts are asked for, [num_restarts, num_nodes].

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> star = Graph.from_edges([[0, 0, 0], [1, 2, 3]], 4)
        >>> mean_field_annealing(PROBLEMS["mis"].declare(star)).round(3).tolist()
        [0.0, 1.0, 1.0, 1.0]
    """
    if num_restarts is not None and num_restarts < 1:
        raise InputError(f"num_restarts must be at least 1, it is {num_restarts}")
    cooled = as_temperatures(instance, schedule, num_sweeps, penalty_scale)
    probability = np.empty((num_restarts or 1, instance.num_nodes))
    seeds = np.array([seed_word(seed, row) for row in range(len(probability))], dtype=np.uint64)
    _core.mean_field(
        core_terms(instance, penalty_scale),
        probability,
        np.ascontiguousarray(cooled.T),
        seeds,
        num_threads=count_threads(num_threads),
    )
    return probability if num_restarts is not None else probability[0]


def as_temperatures(
    instance: Instance, schedule: Schedule | ArrayLike | None, num_sweeps: int, penalty_scale: float
) -> FloatArray:
    """Return the temperature of every sweep and graph, [num_sweeps, num_graphs]."""
    if num_sweeps < 1:
        raise InputError(f"num_sweeps must be at least 1, it is {num_sweeps}")
    if schedule is None:
        first = np.maximum(instance.lipschitz(penalty_scale), LAST_TEMPERATURE)
        schedule = partial(geometric, first=first, last=LAST_TEMPERATURE)
    found = temperatures(schedule, num_sweeps) if callable(schedule) else np.asarray(schedule, dtype=np.float64)
    table = found[:, None] if found.ndim == 1 else found
    if table.ndim != 2 or table.shape[1] not in {1, instance.num_graphs} or not np.all(table > 0):
        shape = f"[num_sweeps] or [num_sweeps, {instance.num_graphs}]"
        raise InputError(f"a schedule must hold temperatures above 0 of shape {shape}, it has {list(found.shape)}")
    return np.broadcast_to(table, (len(table), instance.num_graphs))
