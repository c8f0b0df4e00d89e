"""Disjoint sets: of sets that must be hit and share no node, each costs its cheapest member at least."""

import numpy as np

from annealco.bounds import BoundKind
from annealco.bounds.certify import lower_sum
from annealco.energy.structure import structure_of


def prove(instance, ledger, **_):
    """Offer the sum over sets that are taken one after the other, where they share no node with those before."""
    structure = structure_of(instance)
    met, prices = set(), []
    for first, last in zip(structure.set_ptr[:-1], structure.set_ptr[1:], strict=True):
        members = structure.members[first:last].tolist()
        if met.isdisjoint(members):
            met.update(members)
            prices.append(structure.linear[members].min())
    ledger.offer(lower_sum(np.array(prices)), "disjoint sets")  # the sum, rounded down


BOUND = BoundKind(
    name="disjoint_sets",
    title="sets that share no node, each at its cheapest member",
    takes=lambda structure: structure.kind == "covering",
    prove=prove,
    brief=True,
)
