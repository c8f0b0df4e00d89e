"""Prove how little a cut can cost: exactly where nothing restricts it, and by branching where a range does.

An objective whose pairs all have coefficients b ≤ 0 is Σ h_i x_i + Σ −b_uv/2 [x_u ≠ x_v], and its least cost a minimum
cut. Within a range of a weighted sum, minimum cuts at multipliers of the range bound it, and branch and bound closes
the gap (`native/bounds/ranged_cut.hpp`). Further constraints are left out, which keeps a bound valid.
"""

from __future__ import annotations

import math

import numpy as np

from annealco._core import Couplings, RangedCut
from annealco.bounds.certify import cost_parts
from annealco.bounds.ledger import BoundKind, Ledger
from annealco.energy import Instance, Range
from annealco.energy.structure import Structure, structure_of

SETUP_SECONDS = 4e-7
"""What setting up takes per node and pair: where this is more than what is left of the time, nothing is begun."""

MOST_SIZE = 1e270
"""Objectives that come to more in all have no bound: what is near the largest float cannot be scaled."""

TOLERANCE = 1e-9
"""Sums that leave a range by less, relative to all weights, count as inside, which can only lower the bound."""


def _takes(structure: Structure) -> bool:
    return structure.is_quadratic and structure.pairs.shape[1] > 0 and bool(np.all(structure.pair_value <= 0))


def _prove(instance: Instance, ledger: Ledger, *, seed: int) -> None:  # noqa: ARG001 (no chance)
    structure = structure_of(instance)
    work = structure.num_nodes + structure.pairs.shape[1]
    field, across, doubt = cost_parts(structure)
    if not np.abs(field).sum() + across.sum() < MOST_SIZE:
        return
    low, high = (np.ascontiguousarray(ends, np.int32) for ends in structure.pairs)
    chosen = structure.members[structure.set_ptr[:-1][np.diff(structure.set_ptr) == 1]].astype(np.int32)
    ranges: list[Range | None] = [box for box in structure.ranges if not np.any(box.weight < 0)]
    for box in ranges or [None]:
        if ledger.settled or SETUP_SECONDS * work > ledger.seconds_left:
            return
        weight = np.zeros(structure.num_nodes) if box is None else box.weight.astype(np.float64)
        room = TOLERANCE * (1 + float(weight.sum()))
        lower, upper = (-math.inf, math.inf) if box is None else (box.lower[0] - room, box.upper[0] + room)
        search = RangedCut(Couplings(structure.num_nodes, low, high, across), field, weight, lower, upper, chosen)
        search.run(ledger.enough + doubt, ledger.clock())
        # Where nothing lies in the range there is no bound to speak of.
        if math.isfinite(search.bound):
            whole = search.is_solved and structure.kind in {"quadratic", "ranged"}
            ledger.offer(math.nextafter(search.bound - doubt, -math.inf), "minimum cuts", complete=whole)


MINIMUM_CUT = BoundKind(
    name="minimum_cut",
    title="minimum cuts at multipliers of a range, and branching, where pairs want to agree",
    takes=_takes,
    prove=_prove,
)
