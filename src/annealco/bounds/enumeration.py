"""Try all assignments of an instance that is small enough: then the optimum itself is the bound."""

from __future__ import annotations

import numpy as np

from annealco.bounds.ledger import Ledger
from annealco.bounds.rounding import EPSILON
from annealco.energy import Energy, Instance, Pairs
from annealco.energy.terms import AllPairs, Cover, Term

MAX_WORK = 2**23
"""Up to so many assignments times terms are tried, a matter of a tenth of a second."""

BLOCK = 2**12
TOLERANCE = 1e-9
"""What violates the constraints by less counts as feasible, which can only lower the bound."""


def is_enumerable(instance: Instance) -> bool:
    """Tell whether all assignments of an instance of one graph can be tried."""
    terms = [*instance.objective, *(constraint.term for constraint in instance.constraints)]
    work = instance.num_nodes + sum(_size(term) for term in terms)
    return instance.num_nodes < MAX_WORK.bit_length() and work << instance.num_nodes <= MAX_WORK


def prove_by_enumeration(instance: Instance, ledger: Ledger) -> bool:
    """Offer the least cost of all feasible assignments; tell whether there was time to find one."""
    least = np.inf
    for first in range(0, 2**instance.num_nodes, BLOCK):
        if ledger.settled:
            return False
        number = np.arange(first, min(first + BLOCK, 2**instance.num_nodes))
        bits = (number[:, None] >> np.arange(instance.num_nodes) & 1).astype(np.float64)
        feasible = instance.violations(bits)[:, 0] <= TOLERANCE
        cost = Energy(instance.node_ptr, instance.objective).value(bits[feasible])[:, 0]
        least = min(least, float(cost.min(initial=np.inf)))
    if not np.isfinite(least):
        return False
    doubt = sum(4 * (_size(term) + 4) * EPSILON * _most(term) for term in instance.objective)
    ledger.offer(least - doubt, "enumeration")
    return True


def _most(term: Term) -> float:
    """Return what a term can sum up to at most; of an `AllPairs` term each coefficient once for every node."""
    repeated = len(term.coefficient) if isinstance(term, AllPairs) else 1
    return repeated * float(np.abs(term.coefficient).sum())


def _size(term: Term) -> int:
    """Return about how many numbers one evaluation goes through."""
    if isinstance(term, Pairs):
        return 2 * int(term.pairs.shape[1])
    if isinstance(term, AllPairs):
        return 4 * len(term.coefficient) + 2 * int(term.excluded.shape[1])
    return len(term.members) if isinstance(term, Cover) else int(term.node_ptr[-1])
