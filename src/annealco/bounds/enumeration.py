"""Try all assignments of an instance that is small enough: then the optimum itself is the bound."""

from __future__ import annotations

import math

import numpy as np

from annealco.bounds.ledger import Ledger
from annealco.bounds.slack import cost_parts, cost_slack, term_size
from annealco.bounds.structure import Structure, read_structure
from annealco.energy import Energy, Instance
from annealco.graph.segments import FloatArray

MAX_WORK = 2**23
"""Up to so many assignments times terms are tried, a matter of a tenth of a second."""

BLOCK = 2**12
TOLERANCE = 1e-9
"""What violates the constraints by less counts as feasible, which can only lower the bound."""


def is_enumerable(instance: Instance) -> bool:
    """Tell whether all assignments of an instance of one graph can be tried."""
    terms = [*instance.objective, *(constraint.term for constraint in instance.constraints)]
    work = instance.num_nodes + sum(term_size(term) for term in terms)
    return instance.num_nodes < MAX_WORK.bit_length() and work << instance.num_nodes <= MAX_WORK


def prove_by_enumeration(instance: Instance, ledger: Ledger) -> bool:
    """Offer the least cost of all feasible assignments; tell whether there was time to find one."""
    least, structure = np.inf, read_structure(instance)
    for first in range(0, 2**instance.num_nodes, BLOCK):
        if ledger.settled:
            return False
        number = np.arange(first, min(first + BLOCK, 2**instance.num_nodes))
        bits = (number[:, None] >> np.arange(instance.num_nodes) & 1).astype(np.float64)
        feasible = instance.violations(bits)[:, 0] <= TOLERANCE
        least = min(least, float(_costs(instance, structure, bits[feasible]).min(initial=np.inf)))
    if not np.isfinite(least):
        return False
    doubt = cost_slack(instance).at(least)
    ledger.offer(math.nextafter(least - doubt, -math.inf) if doubt > 0 else least, "enumeration")
    return True


def _costs(instance: Instance, structure: Structure | None, bits: FloatArray) -> FloatArray:
    """Return the costs of assignments [num_assignments, num_nodes], each within the slack of the instance."""
    if structure is None:
        return Energy(instance.node_ptr, instance.objective).value(bits)[:, 0]
    inside, across, _ = cost_parts(structure)
    low, high = structure.pairs
    return np.asarray(bits @ inside + (bits[:, low] != bits[:, high]) @ across)
