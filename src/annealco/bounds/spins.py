"""Write a quadratic objective over bits as one over spins s = 2x − 1 ∈ {−1, 1}, with couplings alone.

    Σ a_i x_i + Σ b_uv x_u x_v = constant + Σ h_i s_i + Σ J_uv s_u s_v,   J = b/4, h_i = a_i/2 + Σ_v b_iv/4

A field h_i is a coupling to one more spin, fixed to 1; since flipping all spins changes no product, it need not be
fixed. A cut has no fields: an edge counts by whether its two spins differ. The weights that a_i sums up to cancel those
of the pairs then, and fields that are no larger than the rounding of such a sum are read as 0; the constant is −Σ J.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from annealco._core import Couplings, spin_fields
from annealco.bounds.neighbours import Int32Array
from annealco.bounds.rounding import grid_step, lower_sum
from annealco.bounds.structure import PairArray, Structure
from annealco.graph.segments import FloatArray, scatter_sum


class Spins(NamedTuple):
    """Couplings between spins: the cost is at least the constant plus Σ J_uv s_u s_v.

    Attributes:
        num_spins: number of nodes, and one more where there are fields.
        pairs: [2, num_pairs], different spins, each pair once.
        coupling: J, [num_pairs], not 0.
        constant: see above; below the exact one by what rounding may have changed in fields that are not 0.
        satisfied: what the cost would be at least if every coupling were satisfied, constant − Σ |J|.
    """

    num_spins: int
    pairs: PairArray
    coupling: FloatArray
    constant: float
    satisfied: float

    @property
    def couplings(self) -> Couplings:
        """The same for the core."""
        low, high = self.pairs.astype(np.int32, copy=False)
        return Couplings(self.num_spins, low, high, self.coupling)


def spins_of(structure: Structure) -> Spins:
    """Return the spins of a structure's objective.

    Example:
        >>> from annealco.energy import Instance, Linear, Pairs
        >>> from annealco.bounds.structure import read_structure
        >>> ptr = np.array([0, 2])
        >>> edge = Instance(ptr, (Linear(ptr, -np.ones(2)), Pairs(ptr, np.array([[0], [1]]), np.array([2.0]))))
        >>> spins = spins_of(read_structure(edge))
        >>> spins.num_spins, spins.coupling.tolist(), round(spins.constant, 9)
        (2, [0.5], -0.5)
    """
    low, high = (np.ascontiguousarray(ends, dtype=np.int32) for ends in structure.pairs)
    field, doubt, ascends = spin_fields(structure.linear, low, high, structure.pair_value)
    pairs, coupling = np.stack([low, high]), structure.pair_value / 4
    if not ascends or not coupling.all():
        pairs, coupling = _merge(pairs, coupling, structure.num_nodes)
    if structure.single and np.all(np.abs(field) <= doubt):
        # Here −J − |J| is exact for each pair: a cut of positive weights costs 0 at least, whatever they are.
        satisfied = lower_sum(-2 * np.maximum(coupling, 0.0)) + 0.0
        return Spins(structure.num_nodes, pairs, coupling, lower_sum(-coupling), satisfied)
    exposed = np.flatnonzero(field).astype(np.int32)
    extra = np.stack([exposed, np.full_like(exposed, structure.num_nodes)])
    error = 0.0 if grid_step(np.concatenate([structure.linear, structure.pair_value])) > 0 else 2 * float(doubt.sum())
    constants = np.concatenate([structure.linear / 2, structure.pair_value / 4, [-error]])
    couplings = np.concatenate([coupling, field[exposed]])
    return Spins(
        num_spins=structure.num_nodes + 1,
        pairs=np.concatenate([pairs, extra], axis=1),
        coupling=couplings,
        constant=lower_sum(constants),
        satisfied=lower_sum(np.concatenate([constants, -np.abs(couplings)])),
    )


def _merge(pairs: Int32Array, value: FloatArray, num_nodes: int) -> tuple[Int32Array, FloatArray]:
    """Add up pairs that are listed again, and drop those that come to 0."""
    key, place = np.unique(pairs.min(axis=0).astype(np.int64) * num_nodes + pairs.max(axis=0), return_inverse=True)
    total = scatter_sum(value, place, len(key))
    kept = total != 0
    return np.stack(np.divmod(key[kept], num_nodes)).astype(np.int32), total[kept]
