"""D-Wave's simulated annealing (dwave-samplers) on the energy as a quadratic form."""

from __future__ import annotations

import itertools
import time
from functools import partial

import numpy as np

from annealco.baselines.external import SolveInstance, as_quadratic_form, run_external
from annealco.baselines.method import Assignment
from annealco.energy import Instance

PENALTY = 1.5
"""Multiple of the critical penalty: above 1 every minimum is feasible; far above, the landscape gets rough."""

FIRST_SWEEPS = 20
READS = 4
"""The first, short read tells how many sweeps the time allows; they are spread over this many reads."""


def build(instance: Instance) -> SolveInstance:
    """Build the quadratic model."""
    from dimod import BinaryQuadraticModel
    from dwave.samplers import SimulatedAnnealingSampler

    form = as_quadratic_form(instance.energy(PENALTY))
    model = BinaryQuadraticModel.from_numpy_vectors(form.linear, (*form.pairs, form.value), form.constant, "BINARY")
    sampler = SimulatedAnnealingSampler()

    def solve(seconds: float, seed: int) -> Assignment | None:
        ends, sweeps = time.perf_counter() + seconds, FIRST_SWEEPS
        best: Assignment | None = None
        for number in itertools.count():
            begun = time.perf_counter()
            found = sampler.sample(model, num_reads=1, num_sweeps=sweeps, seed=seed + number)
            bits = np.zeros(instance.num_nodes, np.bool_)
            bits[np.array(found.variables, dtype=np.int64)] = found.record.sample[0] > 0
            # Nodes without weight have no penalty: what they violate is repaired.
            best = _better(instance, best, bits if instance.violations(bits)[0] == 0 else repaired(instance, bits))
            now = time.perf_counter()
            a_sweep = found.info["timing"]["sampling_ns"] * 1e-9 / sweeps
            overhead = now - begun - sweeps * a_sweep
            sweeps = int((min(ends - now, seconds / READS) - overhead) / max(a_sweep, 1e-9))
            if sweeps < FIRST_SWEEPS:
                return best
        return best

    return solve


def repaired(instance: Instance, bits: Assignment) -> Assignment:
    """Return bits whose energy is not higher, feasible wherever the instance is exact."""
    from annealco.search.repair import repair

    return repair(instance, bits, num_threads=1)


def _better(instance: Instance, best: Assignment | None, bits: Assignment) -> Assignment | None:
    """Return the better of the best and a sample, if the sample is feasible."""
    if instance.violations(bits)[0] > 0:
        return best
    sign = 1 if instance.sense == "max" else -1
    better = best is None or sign * instance.value(bits)[0] > sign * instance.value(best)[0]
    return bits if better else best


run = partial(run_external, build)
"""A `SolveGraph` of D-Wave's annealing."""
