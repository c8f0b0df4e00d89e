"""What searches begin with: the probabilities that a network proposes, or even ones, and the sets decoded from them."""

from __future__ import annotations

import math
import sys

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco.clock import now
from annealco.energy import Instance
from annealco.energy.structure import structure_of
from annealco.errors import InputError, user_errors
from annealco.graph.graph import Graph
from annealco.graph.interop import as_numpy
from annealco.registry import is_of_package
from annealco.search.decode import decode
from annealco.search.ratio import Quotient, decode_quotient
from annealco.solving.solver import Solver

NETWORK_SHARE = 0.25
"""The most of the time limit in which a network that a search follows begins steps."""

STEP_SECONDS, STEP_SECONDS_PER_ITEM, STEP_SECONDS_PER_NODE = 6e-3, 1e-7, 2e-6
"""What the first step of a network takes: at least, for each node and edge, and for each node and further restart."""

START_SHARE, DECODED_AT_ONCE = 0.5, 16
"""The most of the time limit in which further starts are decoded, so many at once on each thread."""

RESTART_NOISE = 1e-3
"""Size of the random logits that tell restarts without a model apart: enough to break ties, too little for more."""


def probabilities(solver: Solver, graph: Graph, instance: Instance) -> NDArray[np.float64]:
    """Return the probabilities to decode, [num_starts, num_nodes]: the model's, or even ones but for noise, or both."""
    model = solver.model
    if solver.trained is not None:
        seconds = NETWORK_SHARE * solver.time_limit if solver.is_timed else math.inf
        restarts = min(solver.restarts, _restarts_in_time(graph, seconds))
        model = solver.trained.with_settings(num_restarts=restarts, seed=solver.seed, seconds=seconds, stop=solver.stop)
    if callable(model):
        with user_errors("the model failed", is_own=is_of_package(model)):
            given = model(graph, instance)
        logits = _as_logits(given, graph.num_nodes)
    elif solver.restarts == 1:
        return np.full((1, graph.num_nodes), even_probability(instance))
    else:
        noise = np.random.default_rng(solver.seed).normal(0, RESTART_NOISE, (solver.restarts, graph.num_nodes))
        noise[0] = 0.0
        logits = noise + _logit(even_probability(instance))
    if _has_plain_start(solver):
        logits = np.concatenate([logits, np.full((1, graph.num_nodes), _logit(even_probability(instance)))])
    return 1 / (1 + np.exp(-np.clip(logits, -700, 700)))


def _as_logits(given: ArrayLike, num_nodes: int) -> NDArray[np.float64]:
    """Return what a model gave as rows, [num_rows, num_nodes]; a tensor may have a gradient."""
    try:
        logits = np.atleast_2d(np.asarray(as_numpy(given), dtype=np.float64))
    except (TypeError, ValueError):
        raise InputError(f"a model must give numbers, not {type(given).__name__}") from None
    if logits.ndim != 2 or logits.shape[1] != num_nodes or not len(logits):
        raise InputError(f"a model must give logits of [{num_nodes}] or some rows of them, not {list(logits.shape)}")
    if not np.isfinite(logits).all():
        raise InputError("a model must give finite logits")
    return logits


def even_probability(instance: Instance) -> float:
    """Return what every node is chosen with where nothing is known: a half, or less where there are large sets to hit.

    A set is then hit once on average. With a half, large sets are as good as hit whatever a node does, and to decoding
    all nodes are alike.

    Example:
        >>> from annealco.problems import PROBLEMS
        >>> star = Graph.from_edges([[0, 0, 0, 0], [1, 2, 3, 4]])
        >>> [even_probability(PROBLEMS[name].declare(star)) for name in ("mis", "vertex_cover")]
        [0.5, 0.5]
        >>> round(1 / even_probability(PROBLEMS["mds"].declare(star)), 9)
        2.6
    """
    sizes = np.diff(structure_of(instance).set_ptr)
    return 1 / max(2.0, float(sizes.mean())) if len(sizes) else 0.5


def _logit(probability: float) -> float:
    return math.log(probability / (1 - probability))


def has_time_for_network(solver: Solver, graph: Graph) -> bool:
    """Tell whether the first step of a network, if there is one that a search follows, fits into its share of time."""
    if solver.trained is None or not solver.is_timed:
        return True
    needed = STEP_SECONDS + STEP_SECONDS_PER_ITEM * (graph.num_nodes + graph.num_edges)
    return needed <= NETWORK_SHARE * solver.time_limit


def _restarts_in_time(graph: Graph, seconds: float) -> int:
    """Return how many restarts of a network can make a step in so many seconds; one that has time for a step can."""
    if math.isinf(seconds):
        return sys.maxsize
    return max(1, int((seconds - STEP_SECONDS) / (STEP_SECONDS_PER_NODE * max(1, graph.num_nodes))))


def _has_plain_start(solver: Solver) -> bool:
    """Tell whether the last of several searches begins without the network's proposals, in case they mislead."""
    return solver.trained is not None and solver.polish and solver.restarts > 1


def has_head_start(solver: Solver, threads: int) -> bool:
    """Tell whether that search may begin while the network still proposes: on a thread of its own, if time counts."""
    return _has_plain_start(solver) and solver.is_timed and threads > 1


def decoded_starts(
    solver: Solver,
    instance: Instance,
    quotient: Quotient | None,
    rows: NDArray[np.float64],
    *,
    threads: int,
    started: float,
) -> NDArray[np.bool_]:
    """Decode probabilities, and of what a network proposed keep the best, so many that each has its time.

    Args:
        solver: what to do.
        instance: of one graph.
        quotient: where that is what counts.
        rows: [num_rows, num_nodes], of which the last ones may be left out where there are too many for the time.
        threads: how many rows may be decoded at once.
        started: clock reading when the time began.

    Returns:
        Sets, [num_starts, num_nodes].
    """
    if quotient is not None and not solver.polish:
        starts = decode_quotient(quotient, rows, penalty_scale=solver.penalty_scale, num_threads=threads)
    else:
        starts = _decoded_in_time(solver, instance, rows, threads, started)
    # A restart of a network may propose often.
    if solver.trained is None or len(starts) <= solver.restarts:
        return starts
    cost = instance.energy().value(starts).sum(axis=1) if quotient is None else quotient.costs(starts)
    if _has_plain_start(solver) and len(starts) == len(rows):
        cost[-1] = -math.inf
    return starts[np.sort(np.argsort(cost, kind="stable")[: solver.restarts])]


def _decoded_in_time(
    solver: Solver, instance: Instance, rows: NDArray[np.float64], threads: int, started: float
) -> NDArray[np.bool_]:
    """Decode rows, some at once, until half of the time has passed or the user wants an end."""
    until = started + START_SHARE * solver.time_limit if solver.is_timed else math.inf
    parts: list[NDArray[np.bool_]] = []
    for first in range(0, len(rows), DECODED_AT_ONCE * threads):
        if parts and (now() >= until or solver.stop.is_set()):
            break
        some = rows[first : first + DECODED_AT_ONCE * threads]
        parts.append(decode(instance, some, penalty_scale=solver.penalty_scale, num_threads=threads))
    return np.concatenate(parts)
