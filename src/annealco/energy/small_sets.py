"""Sets of at most two nodes as pairs: c (1 − x_u) (1 − x_v) = c − c x_u − c x_v + c x_u x_v."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.energy.rows import AHEAD
from annealco.energy.terms import Cover, Linear, Pairs
from annealco.graph.segments import FloatArray, IntArray, scatter_sum
from annealco.jit import kernel, prefetch


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
    linear, members, coefficient = np.zeros(int(term.node_ptr[-1])), term.members, term.coefficient
    relieve_members(term.set_ptr, members, coefficient, linear)
    constant = scatter_sum(coefficient, term.graph_of_set, len(term.node_ptr) - 1)
    if len(members) < 2 * len(coefficient):
        sizes = np.diff(term.set_ptr)
        members, coefficient = members[np.repeat(sizes == 2, sizes)], coefficient[sizes == 2]
    pairs = Pairs(term.node_ptr, members.reshape(-1, 2).T, coefficient)
    return Expansion(Linear(term.node_ptr, linear), pairs, constant)


@kernel
def relieve_members(
    set_ptr: IntArray, members: NDArray[np.integer], coefficient: FloatArray, linear: FloatArray
) -> None:
    """Take the coefficient of every set off the members' own, [num_nodes]."""
    for each in range(len(coefficient)):
        for k in range(set_ptr[each], set_ptr[each + 1]):
            if k + AHEAD < len(members):
                prefetch(linear, members[k + AHEAD])
            linear[members[k]] -= coefficient[each]
