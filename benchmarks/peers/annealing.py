"""D-Wave's simulated annealing on the quadratic form −Σ w_i x_i + Σ_uv P min(w_u, w_v) x_u x_v."""

from __future__ import annotations

import itertools
import time

import numpy as np
from numpy.typing import NDArray

from annealco.graph.graph import Graph
from peers.answer import Answer, Run
from peers.independent import as_answer, conflict_graph

PENALTY = 1.5
"""P above 1 makes every minimum independent; far above, the landscape gets rough."""

FIRST_SWEEPS = 20
READS = 4
"""The first, short read tells how many sweeps the time allows; they are spread over this many reads."""


def simulated_annealing(graph: Graph, problem: str) -> Run:
    """Build the quadratic model."""
    from dimod import BinaryQuadraticModel
    from dwave.samplers import SimulatedAnnealingSampler

    conflicts = conflict_graph(graph, problem)
    low, high = conflicts.edges
    lighter = PENALTY * np.minimum(graph.node_weight[low], graph.node_weight[high])
    model = BinaryQuadraticModel.from_numpy_vectors(-graph.node_weight, (low, high, lighter), 0.0, "BINARY")
    sampler = SimulatedAnnealingSampler()

    def run(seconds: float, seed: int) -> Answer:
        ends, sweeps = time.perf_counter() + seconds, FIRST_SWEEPS
        best: NDArray[np.integer] | None = None
        for number in itertools.count():
            begun = time.perf_counter()
            found = sampler.sample(model, num_reads=1, num_sweeps=sweeps, seed=seed + number)
            best = _heavier(conflicts, best, np.array(found.variables)[found.record.sample[0] > 0])
            now = time.perf_counter()
            a_sweep = found.info["timing"]["sampling_ns"] * 1e-9 / sweeps
            overhead = now - begun - sweeps * a_sweep
            sweeps = int((min(ends - now, seconds / READS) - overhead) / a_sweep)
            if sweeps < FIRST_SWEEPS:
                break
        return as_answer(graph, problem, best)

    return run


def _heavier(
    conflicts: Graph, best: NDArray[np.integer] | None, nodes: NDArray[np.integer]
) -> NDArray[np.integer] | None:
    """Return the heavier of the best and a sample, if the sample is independent."""
    chosen = np.zeros(conflicts.num_nodes, bool)
    chosen[nodes] = True
    if np.any(chosen[conflicts.edges[0]] & chosen[conflicts.edges[1]]):
        return best
    weight = conflicts.node_weight
    return nodes if best is None or weight[nodes].sum() > weight[best].sum() else best
