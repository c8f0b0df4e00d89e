"""Uniform prices: a node that costs c and is in d sets can pay c / d for each; a set is worth its cheapest payer."""

import numpy as np

from annealco.bounds import BoundKind
from annealco.bounds.certify import lower_sum
from annealco.energy.structure import structure_of

SAFE = 1 - 1e-12
"""Quotients are rounded: prices a little lower stay feasible."""


def prove(instance, ledger, *, seed):
    """Offer the sum over all sets."""
    structure = structure_of(instance)
    count = np.bincount(structure.members, minlength=instance.num_nodes)
    share = SAFE * structure.linear / np.maximum(count, 1)
    sets = [
        structure.members[low:high] for low, high in zip(structure.set_ptr[:-1], structure.set_ptr[1:], strict=True)
    ]
    ledger.offer(lower_sum(np.array([share[each].min() for each in sets])), "uniform prices")


BOUND = BoundKind(
    name="uniform_prices",
    title="every set at its cheapest share of a node",
    takes=lambda structure: structure.kind == "covering",
    prove=prove,
    brief=True,
)
