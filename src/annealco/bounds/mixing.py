"""Minimise couplings between unit vectors, the semidefinite relaxation of spins, one vector at a time.

    min Σ J_uv ⟨v_u, v_v⟩ + ρ ‖Σ d_i v_i‖²   over unit vectors v_i

Given all others, the best v_i points against their pull g_i = Σ_j J_ij v_j + 2ρ d_i (Σ_j d_j v_j − d_i v_i). Going
round this way converges to the optimum where the vectors have √(2n) dimensions or more (Wang, Chang and Kolter, 2017).
The lengths ‖g_i‖ are the dual variables.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from annealco.bounds.incidence import incidence_of
from annealco.bounds.neighbours import Int32Array
from annealco.bounds.spins import Spins
from annealco.graph.segments import FloatArray, IntArray
from annealco.jit import compiled_with


class Mixing(NamedTuple):
    """Vectors on their way to the optimum; changed in place by `mix`.

    Attributes:
        start: [num_spins + 1] offsets into ``other`` and ``coupling``.
        other: [2 * num_pairs] the other spin of each coupling.
        coupling: [2 * num_pairs] J.
        load: [num_spins] d, 0 where there is no range.
        vector: [num_spins, num_dimensions], of length 1.
        total: [num_dimensions] Σ d_i v_i.
        pull: [num_spins] ‖g_i‖.
    """

    start: IntArray
    other: Int32Array
    coupling: FloatArray
    load: FloatArray
    vector: FloatArray
    total: FloatArray
    pull: FloatArray


def start_mixing(spins: Spins, load: FloatArray, *, seed: int) -> Mixing:
    """Return random vectors for spins with loads [num_spins]."""
    rows, count = incidence_of(spins.pairs, spins.num_spins), spins.num_spins
    vector = np.random.default_rng(seed).normal(size=(count, math.isqrt(2 * count) + 2))
    vector /= np.linalg.norm(vector, axis=1)[:, None]
    return Mixing(
        start=rows.start,
        other=rows.other,
        coupling=spins.coupling[rows.pair],
        load=load,
        vector=vector,
        total=load @ vector,
        pull=np.zeros(count),
    )


@compiled_with(fastmath=True)
def mix(mixing: Mixing, penalty: float, rounds: int) -> float:
    """Go round all vectors so many times, with ρ = penalty; return how much that lowered the sum."""
    lowered, pulled = 0.0, np.empty(mixing.vector.shape[1])
    for _ in range(rounds):
        for spin in range(len(mixing.pull)):
            vector, load = mixing.vector[spin], mixing.load[spin]
            pulled[:] = 2 * penalty * load * (mixing.total - load * vector)
            for entry in range(mixing.start[spin], mixing.start[spin + 1]):
                coupling, other = mixing.coupling[entry], mixing.vector[mixing.other[entry]]
                for place in range(len(pulled)):
                    pulled[place] += coupling * other[place]
            length, along = 0.0, 0.0
            for place in range(len(pulled)):
                length += pulled[place] * pulled[place]
                along += pulled[place] * vector[place]
            length = math.sqrt(length)
            mixing.pull[spin] = length
            if length > 0:
                lowered += along + length
                for place in range(len(pulled)):
                    turned = -pulled[place] / length
                    mixing.total[place] += load * (turned - vector[place])
                    vector[place] = turned
    return lowered
