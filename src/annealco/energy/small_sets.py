"""Sets of at most two nodes as pairs: c (1 − x_u) (1 − x_v) = c − c x_u − c x_v + c x_u x_v."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from annealco.energy.terms import Cover, Linear, Pairs
from annealco.graph.rows import occurrences
from annealco.graph.segments import FloatArray, scatter_sum


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
