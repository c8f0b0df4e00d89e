"""Read off the terms of an instance what bounds can be proven from.

Leaving out a constraint can only lower the least cost, so that a constraint which is not understood is left out and the
bound still holds. What an objective is made of must be understood as a whole.

Sets of at most two nodes as pairs: c (1 − x_u) (1 − x_v) = c − c x_u − c x_v + c x_u x_v.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.arrays import FloatArray, IntArray, occurrences, scatter_sum
from annealco.energy.instance import Instance
from annealco.energy.terms import AllPairs, Cover, Linear, Pairs, Range

PairArray = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class Structure:
    """An instance of one graph: minimise Σ a_i x_i + Σ b_uv x_u x_v within constraints of known kinds.

    Attributes:
        linear: a, [num_nodes], where it is the sum of several terms not above it.
        single: whether it is one term at most. Then what it and the pairs leave of a node within rounding is nothing,
            as in a cut; of several terms a small one may be what is left.
        pairs: [2, num_pairs] of the objective.
        pair_value: b, [num_pairs].
        conflicts: [2, num_conflicts] pairs of which at most one node can be chosen.
        apart: constraints by which all pairs conflict but the excluded ones.
        set_ptr: [num_sets + 1] offsets into ``members``.
        members: [num_members] of the sets in which some node must be chosen.
        ranges: constraints on weighted sums.
    """

    linear: FloatArray
    single: bool
    pairs: PairArray
    pair_value: FloatArray
    conflicts: PairArray
    apart: tuple[AllPairs, ...]
    set_ptr: IntArray
    members: PairArray
    ranges: tuple[Range, ...]

    @property
    def num_nodes(self) -> int:
        return len(self.linear)


def read_structure(instance: Instance) -> Structure | None:
    """Return what the terms of an instance of one graph say, or None for an objective of other terms.

    Example:
        >>> from annealco.energy import Constraint
        >>> ptr = np.array([0, 3])
        >>> joined = Pairs(ptr, np.array([[0], [1]]), np.ones(1))
        >>> instance = Instance(ptr, (Linear(ptr, -np.ones(3)),), (Constraint(joined, np.ones(1)),), sense="max")
        >>> read_structure(instance).conflicts.tolist()
        [[0], [1]]
    """
    if not all(isinstance(term, (Linear, Pairs)) for term in instance.objective):
        return None
    quadratic = [term for term in instance.objective if isinstance(term, Pairs)]
    linear = [term.coefficient for term in instance.objective if isinstance(term, Linear)]
    # A constraint with a negative coefficient can vanish with each of its items violated.
    terms = [each.term for each in instance.constraints if not np.any(each.term.coefficient < 0)]
    set_ptr, members = _join_sets([term for term in terms if isinstance(term, Cover)])
    return Structure(
        linear=reduce(_add_below, linear) if linear else np.zeros(instance.num_nodes),
        single=len(linear) <= 1,
        pairs=_join_pairs([term.pairs for term in quadratic]),
        pair_value=np.concatenate([np.zeros(0), *(term.coefficient for term in quadratic)]),
        conflicts=_join_pairs([_priced_pairs(term) for term in terms if isinstance(term, Pairs)]),
        apart=tuple(term for term in terms if isinstance(term, AllPairs)),
        set_ptr=set_ptr,
        members=members,
        ranges=tuple(term for term in terms if isinstance(term, Range) and term.coefficient[0] > 0),
    )


def _add_below(total: FloatArray, part: FloatArray) -> FloatArray:
    """Return sums that are not above the exact ones: to lower a cost keeps a bound, and small parts may be lost."""
    rounded = total + part
    added = rounded - total
    lost = (total - (rounded - added)) + (part - added)
    return np.where(lost < 0, np.nextafter(rounded, -np.inf), rounded)


def _priced_pairs(term: Pairs) -> PairArray:
    priced = term.coefficient > 0
    return term.pairs if priced.all() else term.pairs[:, priced]


def _join_pairs(parts: list[PairArray]) -> PairArray:
    return parts[0] if len(parts) == 1 else np.concatenate([np.zeros((2, 0), np.int32), *parts], axis=1)


def _join_sets(terms: list[Cover]) -> tuple[IntArray, PairArray]:
    """Return offsets and members of the sets with a price."""
    if len(terms) == 1 and np.all(terms[0].coefficient > 0):
        return terms[0].set_ptr.astype(np.int64, copy=False), terms[0].members.astype(np.int32, copy=False)
    lengths, members = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)]
    for term in terms:
        priced = term.coefficient > 0
        lengths.append(np.diff(term.set_ptr)[priced])
        members.append(term.members[priced[term.set_of_member]].astype(np.int32))
    return np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64), np.concatenate(members)


class Expansion(NamedTuple):
    """A term written out; what is left over is a constant of each graph, [num_graphs]."""

    linear: Linear
    pairs: Pairs
    constant: FloatArray


def is_quadratic(term: Cover) -> bool:
    """Tell whether no set has more than two members."""
    return bool(np.all(np.diff(term.set_ptr) <= 2))


def expand(term: Cover) -> Expansion:
    """Return a quadratic term written out.

    Example:
        >>> edge = Cover(np.array([0, 2]), np.array([0, 2]), np.array([0, 1]), np.array([5.0]))
        >>> linear, pairs, constant = expand(edge)
        >>> linear.coefficient.tolist(), pairs.coefficient.tolist(), constant.tolist()
        ([-5.0, -5.0], [5.0], [5.0])
    """
    members, coefficient = term.members, term.coefficient
    linear = -_sums_by_member(term)
    constant = scatter_sum(coefficient, term.graph_of_set, len(term.node_ptr) - 1)
    if len(members) < 2 * len(coefficient):
        sizes = np.diff(term.set_ptr)
        members, coefficient = members[np.repeat(sizes == 2, sizes)], coefficient[sizes == 2]
    pairs = Pairs(term.node_ptr, members.reshape(-1, 2).T, coefficient)
    return Expansion(Linear(term.node_ptr, linear), pairs, constant)


def _sums_by_member(term: Cover) -> FloatArray:
    """Return the sum of the coefficients of the sets that each node is in, [num_nodes]."""
    size, coefficient = int(term.node_ptr[-1]), term.coefficient
    if len(coefficient) and coefficient.min() == coefficient.max():
        return occurrences(term.members, size).astype(np.float64) * float(coefficient[0])
    return scatter_sum(coefficient[term.set_of_member], term.members, size)
