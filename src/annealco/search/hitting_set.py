"""The covering view: choose variables of least cost such that every set holds a chosen one.

Independent set (the nodes left out hit every edge), vertex cover, clique (they hit every pair that is not joined),
dominating set and set cover are all this one problem, read off the terms here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.energy import AllPairs, Cover, Instance, Linear, Pairs
from annealco.graph.operations import MAX_COMPLEMENT_PAIRS
from annealco.graph.rows import sets_of_nodes
from annealco.graph.segments import FloatArray, IntArray
from annealco.graph.sparse_side import num_pairs

Int32Array = NDArray[np.int32]

MAX_LISTED_PAIRS = 30_000_000
"""More pairs than this are not listed; a clique of such a graph is searched on the graph itself."""

CHEAP_PAIRS, PAIRS_A_PARTNER = 500_000, 20
"""Nor are more than these, in all and for each pair that is allowed: neighbourhoods of such a graph are small."""


class HittingSet(NamedTuple):
    """A hitting set problem as flat arrays.

    Attributes:
        cost: [num_variables], not negative.
        set_ptr: [num_sets + 1] offsets into ``members``.
        members: [num_members] variables.
        variable_ptr: [num_variables + 1] offsets into ``sets``.
        sets: [num_members] the sets of each variable.
        partner: [num_members] the other member of a set of two, beside ``sets``, or −1.
        inverted: whether variable i is chosen where node i is not.
    """

    cost: FloatArray
    set_ptr: IntArray
    members: Int32Array
    variable_ptr: IntArray
    sets: Int32Array
    partner: Int32Array
    inverted: bool


def as_hitting_set(instance: Instance) -> HittingSet | None:
    """Read a hitting set problem off an instance of one graph, or None where it is none.

    The objective must be linear and of one sign: costs with `Cover` constraints, or gains with pairs that exclude
    each other.
    """
    if not instance.constraints or not all(isinstance(term, Linear) for term in instance.objective):
        return None
    cost = sum((term.coefficient for term in instance.objective), start=np.zeros(instance.num_nodes))
    terms = [constraint.term for constraint in instance.constraints]
    if np.all(cost >= 0) and all(isinstance(term, Cover) for term in terms):
        covers = [term for term in terms if isinstance(term, Cover)]
        lengths = np.concatenate([np.diff(term.set_ptr) for term in covers])
        members = np.concatenate([term.members for term in covers])
        return assemble(cost, lengths, members, inverted=False)
    if np.all(cost <= 0) and all(isinstance(term, (Pairs, AllPairs)) for term in terms):
        listed = [_listed_pairs(term) for term in terms if isinstance(term, (Pairs, AllPairs))]
        if any(pairs is None for pairs in listed):
            return None
        pairs = np.concatenate([pairs for pairs in listed if pairs is not None], axis=1)
        return assemble(-cost, np.full(pairs.shape[1], 2), pairs.T.reshape(-1), inverted=True)
    return None


def _listed_pairs(term: Pairs | AllPairs) -> NDArray[np.integer] | None:
    """Return the pairs that must not both be chosen, [2, num_pairs], or None where they are too many."""
    if isinstance(term, Pairs):
        return term.pairs
    allowed, every = term.excluded.shape[1], int(num_pairs(term.node_ptr).sum())
    most = min(MAX_LISTED_PAIRS, max(CHEAP_PAIRS, PAIRS_A_PARTNER * allowed))
    if every - allowed > most or every > MAX_COMPLEMENT_PAIRS:
        return None
    return term.listed().pairs


def assemble(cost: FloatArray, lengths: IntArray, members: NDArray[np.integer], *, inverted: bool) -> HittingSet:
    """Build a problem from the lengths [num_sets] of its sets and their members one after the other."""
    set_ptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    listed = np.array(members, dtype=np.int32)
    variable_ptr, sets = sets_of_nodes(set_ptr, listed, len(cost))
    # Of a set of two, the exclusive-or of both members and one of them is the other.
    both, paired = np.zeros(len(lengths), dtype=np.int32), lengths == 2
    first = set_ptr[:-1][paired]
    both[paired] = listed[first] ^ listed[first + 1]
    own = np.repeat(np.arange(len(cost), dtype=np.int32), np.diff(variable_ptr))
    return HittingSet(
        cost=np.array(cost, dtype=np.float64),
        set_ptr=set_ptr,
        members=listed,
        variable_ptr=variable_ptr,
        sets=sets,
        partner=np.where(paired[sets], both[sets] ^ own, np.int32(-1)),
        inverted=inverted,
    )
