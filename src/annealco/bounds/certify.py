"""Round outward: sums and grids that keep a bound proven in floating point, and how far rounding can change a cost.

The latter tells when a value has met its bound. Where all sums are exact in floating point, as with whole weights,
nothing is excused: a value has met a bound where the two are equal. With other weights a value and the bound that it
meets are sums of the same numbers in different orders.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from annealco import _core
from annealco.arrays import FloatArray, scatter_sum
from annealco.energy import AllPairs, Cover, Instance, Linear, Pairs, Range
from annealco.energy.structure import Structure, structure_of
from annealco.energy.terms import Term, unknown_term

EPSILON = float(np.finfo(np.float64).eps)


def lower_sum(values: FloatArray) -> float:
    """Return the largest float that is not above the exact sum of [n] floats.

    Example:
        >>> lower_sum(np.array([0.5, 0.25])), lower_sum(np.array([1.0, 1e-30])), upper_sum(np.array([1.0, 1e-30]))
        (0.75, 1.0, 1.0000000000000002)
    """
    return _core.lower_sum(np.ascontiguousarray(values, np.float64))


def upper_sum(values: FloatArray) -> float:
    """Return the least float that is not below the exact sum of [n] floats."""
    return -lower_sum(-values)


def grid_step(values: FloatArray) -> float:
    """Return the largest step of which every one of [n] floats is a multiple, or 0 where sums would not be exact.

    With integer weights the step is their greatest common divisor, with halves among them it is a fraction. Sums of any
    of the values are then multiples too, and exact in floating point.

    Example:
        >>> grid_step(np.array([6.0, -4.0, 0.0])), grid_step(np.array([1.5, 3.0])), grid_step(np.array([0.1, 1.0]))
        (2.0, 1.5, 0.0)
    """
    return _core.grid_step(np.ascontiguousarray(values, np.float64))


def ceil_to_grid(value: float, step: float) -> float:
    """Return the least multiple of the step that is not below the value, or the value itself where the step is 0.

    The quotient's own rounding is harmless: it never passes an integer.

    Example:
        >>> ceil_to_grid(20.1, 1.0), ceil_to_grid(20.0, 1.0), ceil_to_grid(20.1, 0.0)
        (21.0, 20.0, 20.1)
    """
    if step == 0 or not math.isfinite(value):
        return value
    return math.ceil(value / step) * step


EXCUSED = 8
"""A value and its bound may be this many slacks apart: bounds are lowered by one, and their proofs take a few more."""

MOST_EXCUSED = 1e-9
"""And at most this, relative to the value or to what cancels in it: the roundings of a very long sum cancel."""


class Slack(NamedTuple):
    """By how much rounding can change a cost that is computed for an assignment.

    Attributes:
        share: in proportion to the cost.
        constant: whatever the cost is.
        cancelled: how much of what is added up has the other sign: a sum of large parts may be small.
    """

    share: float = 0.0
    constant: float = 0.0
    cancelled: float = 0.0

    def at(self, cost: float) -> float:
        return self.share * abs(cost) + self.constant

    def excused(self, cost: float) -> float:
        """Return how far a bound may be from a cost, or from a value, that meets it; 0 where sums are exact.

        Example:
            >>> Slack().excused(1e12), Slack(share=1e-15).excused(100.0)
            (0.0, 8e-13)
        """
        return min(EXCUSED * self.at(cost), MOST_EXCUSED * max(abs(cost), self.cancelled))


EXACT = Slack()


def loosest_cost(bound: float, gap: float) -> float:
    """Return the largest cost within a relative gap of a lower bound: (cost − bound) / max(|cost|, |bound|) ≤ gap < 1.

    Example:
        >>> loosest_cost(80.0, 0.2), loosest_cost(-100.0, 0.2), loosest_cost(7.0, 0.0)
        (100.0, -80.0, 7.0)
    """
    return bound / (1 - gap) if bound > 0 else bound * (1 - gap)


def loosest_bound(cost: float, gap: float) -> float:
    """Return the least lower bound that a cost is within a relative gap of; the inverse of `loosest_cost`.

    Example:
        >>> loosest_bound(100.0, 0.2), loosest_bound(-80.0, 0.2), loosest_bound(7.0, 0.0)
        (80.0, -100.0, 7.0)
    """
    return cost * (1 - gap) if cost > 0 else cost / (1 - gap)


def cost_step(instance: Instance) -> float:
    """Return a step of which the cost of every assignment of one graph is a multiple, or 0 where sums are not exact.

    Example:
        >>> from annealco.energy import Linear
        >>> ptr = np.array([0, 2])
        >>> [cost_step(Instance(ptr, (Linear(ptr, np.array([each, 1.0])),))) for each in (1.5, 0.1)]
        [0.5, 0.0]
    """
    structure = structure_of(instance)
    if not structure.is_quadratic:
        return 0.0
    constant = np.zeros(0) if instance.constant is None else instance.constant
    if step := grid_step(np.concatenate([constant, *(term.coefficient for term in instance.objective)])):
        return step
    # The edges of a cut add up to a quarter of all coefficients.
    if _fields(structure).any() or not structure.single:
        return 0.0
    return grid_step(np.concatenate([constant, structure.pair_value / 2]))


def cost_slack(instance: Instance) -> Slack:
    """Return by how much rounding can change the cost of an assignment of one graph: not at all where sums are exact.

    Example:
        >>> from annealco.energy import Linear
        >>> ptr = np.array([0, 2])
        >>> whole, tenths = (Instance(ptr, (Linear(ptr, np.array(each)),)) for each in ([3.0, 9.0], [0.1, 0.7]))
        >>> cost_slack(whole).at(9.0), 0 < cost_slack(tenths).at(0.1) < 1e-15
        (0.0, True)
    """
    if cost_step(instance) > 0:
        return EXACT
    terms = _slack_of_terms(instance)
    if instance.constant is None:
        return terms
    # What the terms come to is at most the cost and the constant together in size, and one more sum is rounded.
    share = terms.share + EPSILON
    size = abs(float(instance.constant[0]))
    return Slack(share, terms.constant + share * size, terms.cancelled + size)


def _slack_of_terms(instance: Instance) -> Slack:
    """Return the slack of an objective without its constant, where sums are not exact."""
    structure = structure_of(instance)
    if not structure.is_quadratic:
        return Slack(constant=sum((term_size(term) + 4) * EPSILON * _most(term) for term in instance.objective))
    inside, across, doubt = cost_parts(structure)
    parts = np.concatenate([inside, across])
    # A sum of k floats t is off by at most k roundings of Σ |t|, which is |Σ t| and twice what has the other sign.
    share = (len(parts) + 4) * EPSILON
    opposite = min(float(np.maximum(parts, 0.0).sum()), float(np.maximum(-parts, 0.0).sum()))
    return Slack(share, 2 * share * opposite + doubt, opposite)


def cost_parts(structure: Structure) -> tuple[FloatArray, FloatArray, float]:
    """Return h, [num_nodes], −b/2, [num_pairs], and by how much rounding can have changed the sum of h.

    With h_i = a_i + Σ_v b_iv/2, Σ a_i x_i + Σ b_uv x_u x_v is Σ h_i x_i + Σ −b_uv/2 [x_u ≠ x_v]. A cut has no h, but
    for rounding: its cost is then a sum of the edges' own weights, as its score is.
    """
    half, ends, count = structure.pair_value / 2, structure.pairs.reshape(-1), structure.num_nodes
    inside, terms = _fields(structure), np.bincount(ends, minlength=count)
    size = np.abs(structure.linear) + scatter_sum(np.tile(np.abs(half), 2), ends, count)
    doubt = np.where(terms > 0, (terms + 4) * EPSILON * size, 0.0)
    if structure.single and np.all(np.abs(inside) <= doubt):
        return np.zeros(count), -half, 0.0
    return inside, -half, float(doubt.sum())


def _fields(structure: Structure) -> FloatArray:
    ends = np.tile(structure.pair_value / 2, 2)
    return structure.linear + scatter_sum(ends, structure.pairs.reshape(-1), structure.num_nodes)


def term_size(term: Term) -> int:
    """Return about how many numbers one evaluation of a term goes through."""
    if isinstance(term, Pairs):
        return 2 * int(term.pairs.shape[1])
    if isinstance(term, AllPairs):
        return 4 * len(term.coefficient) + 2 * int(term.excluded.shape[1])
    if isinstance(term, Cover):
        return len(term.members)
    if isinstance(term, (Linear, Range)):
        return int(term.node_ptr[-1])
    raise unknown_term(term, user="a slack")


def _most(term: Term) -> float:
    """Return the size of all that a term sums up at most."""
    size = float(np.abs(term.coefficient).sum())
    if isinstance(term, AllPairs):
        # Each coefficient is there once for every other node at most.
        return len(term.coefficient) * size
    if isinstance(term, Range):
        limits = np.abs(np.concatenate([term.lower, term.upper]))
        return size * float(np.abs(term.weight).sum() + limits[np.isfinite(limits)].sum())
    return size
