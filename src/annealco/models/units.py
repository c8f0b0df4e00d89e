"""Count an energy in units of each graph, so that single precision holds its terms.

A network sees fields in units of the node, so that a factor on a whole graph changes nothing. Here it is a power of
two, which changes no digit either.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from annealco.energy import Cover, Energy, Instance, Pairs, Range
from annealco.energy.terms import Term, with_coefficient
from annealco.graph.segments import FloatArray, IntArray, segment_of, segment_sum

MOST_EXPONENT = 50
"""Coefficients are cut off at 2^50: their sums, and ratios of such sums, are finite in single precision."""

LEAST_SCALE = 2.0**-MOST_EXPONENT
"""A node that changes the objective by less, in units of its graph, is seen as one that hardly changes it."""


def in_graph_units(instance: Instance) -> Instance:
    """Return an instance whose objective a typical node of each graph changes by about 1, with penalties to match.

    Typical is the geometric mean, so that one huge or tiny weight does not make all others vanish.

    Example:
        >>> from annealco.energy import Linear
        >>> ptr = np.array([0, 3])
        >>> huge = Instance(ptr, (Linear(ptr, np.array([1.0, 2.0, 4.0]) * 2.0**200),))
        >>> in_graph_units(huge).objective[0].coefficient.tolist()
        [0.5, 1.0, 2.0]
    """
    exponent = _typical_exponent(instance)

    def shifted(term: Term, values: FloatArray) -> FloatArray:
        mantissa, own = np.frexp(values)
        return np.ldexp(mantissa, np.minimum(own - exponent[_graph_of_item(term)], MOST_EXPONENT))

    return replace(
        instance,
        objective=tuple(with_coefficient(term, shifted(term, term.coefficient)) for term in instance.objective),
        constraints=tuple(replace(each, penalty=shifted(each.term, each.penalty)) for each in instance.constraints),
    )


def _typical_exponent(instance: Instance) -> IntArray:
    """Return the mean of log2, rounded, of what nodes change the objective by, [num_graphs]; 0 where it is nothing."""
    bound = Energy(instance.node_ptr, instance.objective).flip_bound()
    _, exponent = np.frexp(bound)
    counts = bound > 0
    total = segment_sum(np.where(counts, exponent - 1.0, 0.0), instance.node_ptr)
    number = segment_sum(counts.astype(np.float64), instance.node_ptr)
    return np.rint(total / np.maximum(number, 1)).astype(np.int64)


def _graph_of_item(term: Term) -> IntArray:
    """Return the graph of each coefficient of a term."""
    if isinstance(term, Pairs):
        return term.graph_of_pair
    if isinstance(term, Cover):
        return term.graph_of_set
    items = np.arange(len(term.coefficient))
    return items if isinstance(term, Range) else segment_of(term.node_ptr, items)
