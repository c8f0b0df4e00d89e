"""The five terms every energy is a sum of, as frozen arrays.

A term maps an assignment x ∈ {0, 1}^num_nodes to one number a graph. The set is closed: what a term means to torch
(`expectation.py`), to the compiled core (`compiled.py`) or to an integer solver is written once a kind, outside this
file, and every problem made of terms gets all of it. What an instance is as a whole is read off its terms in
`structure.py`.

| term       | f(x) of a graph                                  | `coefficient`            |
|------------|--------------------------------------------------|--------------------------|
| `Linear`   | Σ_i a_i x_i                                      | a, [num_nodes]           |
| `Pairs`    | Σ_(u,v) b_uv x_u x_v over the listed pairs       | b, [num_pairs]           |
| `AllPairs` | Σ_{i<j} min(c_i, c_j) x_i x_j, unlisted pairs    | c, [num_nodes]           |
| `Cover`    | Σ_h c_h Π_{i∈h} (1 − x_i)                        | c, [num_sets]            |
| `Range`    | β (d·x − D1)_+ + β (D0 − d·x)_+                  | β, [num_graphs]          |
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco.arrays import FloatArray, IntArray, exclusive_prefix, scatter_sum, segment_of, segment_sum
from annealco.errors import InputError
from annealco.graph.operations import unjoined_pairs, worth_complementing

Interval = tuple[FloatArray, FloatArray]
RangeMethod = Literal["gaussian", "exact", "plugin"]


@dataclass(frozen=True, eq=False)
class Linear:
    """Σ_i a_i x_i.

    Example:
        >>> Linear(np.array([0, 2]), np.array([1.0, -3.0])).value(np.array([1, 1])).tolist()
        [-2.0]
    """

    node_ptr: IntArray
    coefficient: FloatArray

    def __post_init__(self) -> None:
        _check_shape("Linear.coefficient", self.coefficient, int(self.node_ptr[-1]))

    def value(self, assignment: ArrayLike) -> FloatArray:
        """Evaluate [..., num_nodes] bits to [..., num_graphs]."""
        return segment_sum(self.coefficient * _bits(assignment, self.node_ptr), self.node_ptr)

    def flip_interval(self) -> Interval:
        """Bound f(x_i = 1) − f(x_i = 0) from below and above, two arrays of [num_nodes]."""
        return self.coefficient, self.coefficient


@dataclass(frozen=True, eq=False)
class Pairs:
    """Σ b_uv x_u x_v over listed pairs of different nodes, each listed once and within one graph.

    Example:
        >>> path = Pairs(np.array([0, 3]), np.array([[0, 1], [1, 2]]), np.array([5.0, 7.0]))
        >>> path.value(np.array([0, 1, 1])).tolist()
        [7.0]
    """

    node_ptr: IntArray
    pairs: NDArray[np.integer[Any]]
    coefficient: FloatArray

    def __post_init__(self) -> None:
        _check_shape("Pairs.coefficient", self.coefficient, self.pairs.shape[1])
        _check_nodes("Pairs.pairs", self.pairs, self.node_ptr)
        if np.any(self.pairs[0] == self.pairs[1]):
            raise InputError("Pairs.pairs must be of different nodes; a square of one is Linear")

    def listed(self) -> Pairs:
        """Return the term itself; an `AllPairs` returns one that lists its pairs."""
        return self

    @cached_property
    def graph_of_pair(self) -> IntArray:
        """Number of the graph of each pair, [num_pairs]."""
        return segment_of(self.node_ptr, self.pairs[0])

    def value(self, assignment: ArrayLike) -> FloatArray:
        """Evaluate [..., num_nodes] bits to [..., num_graphs]."""
        bits = _bits(assignment, self.node_ptr)
        first, second = bits[..., self.pairs[0]], bits[..., self.pairs[1]]
        if bits.dtype == np.bool_ and bits.ndim == 1:
            chosen = np.flatnonzero(first & second)
            graph = self.graph_of_pair[chosen] if len(self.node_ptr) > 2 else np.zeros(len(chosen), np.int64)
            return scatter_sum(self.coefficient[chosen], graph, len(self.node_ptr) - 1)
        return scatter_sum(self.coefficient * first * second, self.graph_of_pair, len(self.node_ptr) - 1)

    def flip_interval(self) -> Interval:
        """Bound f(x_i = 1) − f(x_i = 0) from below and above, two arrays of [num_nodes]."""
        ends, twice = self.pairs.reshape(-1), np.concatenate([self.coefficient, self.coefficient])
        count = int(self.node_ptr[-1])
        return scatter_sum(np.minimum(twice, 0), ends, count), scatter_sum(np.maximum(twice, 0), ends, count)


@dataclass(frozen=True, eq=False)
class AllPairs:
    """Σ_{i<j} min(c_i, c_j) x_i x_j over all pairs of a graph but the excluded ones, c ≥ 0.

    The pairs are never listed: sorted by c, the sum is a running sum. With the edges of a graph excluded this is the
    penalty on the complement's edges; one term instead of a difference of two keeps it visibly non-negative.

    Example:
        >>> AllPairs(np.array([0, 3]), np.array([1.0, 2.0, 3.0])).value(np.array([1, 1, 1])).tolist()
        [4.0]
    """

    node_ptr: IntArray
    coefficient: FloatArray
    excluded: NDArray[np.integer[Any]] = field(default_factory=lambda: np.zeros((2, 0), np.int32))

    def __post_init__(self) -> None:
        _check_shape("AllPairs.coefficient", self.coefficient, int(self.node_ptr[-1]))
        if np.any(self.coefficient < 0):
            raise InputError(f"AllPairs.coefficient must not be negative, the least is {self.coefficient.min():g}")

    @cached_property
    def descending(self) -> IntArray:
        """The nodes of each graph from the largest coefficient to the smallest, [num_nodes]."""
        owner = segment_of(self.node_ptr, np.arange(self.node_ptr[-1]))
        return np.lexsort((-self.coefficient, owner))

    @cached_property
    def excluded_pairs(self) -> Pairs:
        """The excluded pairs as a term of their own, with the coefficients that they would have had."""
        return Pairs(self.node_ptr, self.excluded, self._least(self.excluded))

    @cached_property
    def short_list(self) -> Pairs | None:
        """The pairs that are left as a term of their own, where they are fewer than the excluded ones."""
        return self.listed() if worth_complementing(self.node_ptr, self.excluded.shape[1]) else None

    def listed(self) -> Pairs:
        """Return the pairs that are left as a term of their own, however many they are."""
        pairs = unjoined_pairs(self.excluded, self.node_ptr)
        return Pairs(self.node_ptr, pairs, self._least(pairs))

    def _least(self, pairs: NDArray[np.integer[Any]]) -> FloatArray:
        """Return min(c_i, c_j) of pairs, [num_pairs]."""
        value, (low, high) = self.coefficient, pairs
        if len(low) and value.min() == value.max():
            return np.full(len(low), value[0])
        return np.asarray(np.minimum(value[low], value[high]))

    def value(self, assignment: ArrayLike) -> FloatArray:
        """Evaluate [..., num_nodes] bits to [..., num_graphs]."""
        if self.short_list is not None:
            return self.short_list.value(assignment)
        bits = _bits(assignment, self.node_ptr)
        if bits.dtype == np.bool_ and bits.ndim == 1 and len(self.node_ptr) == 2:
            falling = np.sort(self.coefficient[bits])[::-1]
            every = np.array([np.sum(falling * np.arange(len(falling)))])
            return every - self.excluded_pairs.value(bits)
        bits = bits[..., self.descending].astype(np.float64)
        before = exclusive_prefix(bits, self.node_ptr)
        every = segment_sum(self.coefficient[self.descending] * bits * before, self.node_ptr)
        return every - self.excluded_pairs.value(assignment)

    def flip_interval(self) -> Interval:
        """Bound f(x_i = 1) − f(x_i = 0) from below and above, two arrays of [num_nodes]."""
        order, sorted_coefficient = self.descending, self.coefficient[self.descending]
        rank = exclusive_prefix(np.ones(len(order)), self.node_ptr)
        total = segment_sum(sorted_coefficient, self.node_ptr)[segment_of(self.node_ptr, np.arange(len(order)))]
        after = total - exclusive_prefix(sorted_coefficient, self.node_ptr) - sorted_coefficient
        high = np.empty(len(order))
        high[order] = sorted_coefficient * rank + after
        return np.zeros(len(order)), high - self.excluded_pairs.flip_interval()[1]


@dataclass(frozen=True, eq=False)
class Cover:
    """Σ_h c_h Π_{i∈h} (1 − x_i): a price for every set without a chosen member.

    Attributes:
        node_ptr: [num_graphs + 1] node offsets.
        set_ptr: [num_sets + 1] offsets into ``members``; no set is empty.
        members: [num_members] nodes, different ones in each set and all of one graph.
        coefficient: [num_sets].

    Example:
        >>> sets = Cover(np.array([0, 3]), np.array([0, 2, 3]), np.array([0, 1, 2]), np.array([5.0, 7.0]))
        >>> sets.value(np.array([[0, 1, 0], [0, 0, 0]])).tolist()
        [[7.0], [12.0]]
    """

    node_ptr: IntArray
    set_ptr: IntArray
    members: NDArray[np.integer[Any]]
    coefficient: FloatArray

    def __post_init__(self) -> None:
        _check_shape("Cover.coefficient", self.coefficient, len(self.set_ptr) - 1)
        if np.any(self.set_ptr[1:] <= self.set_ptr[:-1]):
            raise InputError("Cover.set_ptr must rise: an empty set can never be hit")
        _check_nodes("Cover.members", self.members, self.node_ptr)

    @cached_property
    def graph_of_set(self) -> IntArray:
        """Number of the graph of each set, [num_sets]."""
        return segment_of(self.node_ptr, self.members[self.set_ptr[:-1]])

    @cached_property
    def set_of_member(self) -> IntArray:
        """Number of the set behind each entry of ``members``, [num_members]."""
        return np.repeat(np.arange(len(self.coefficient)), np.diff(self.set_ptr))

    def value(self, assignment: ArrayLike) -> FloatArray:
        """Evaluate [..., num_nodes] bits to [..., num_graphs]."""
        bits = _bits(assignment, self.node_ptr) != 0
        missed = ~np.logical_or.reduceat(bits[..., self.members], self.set_ptr[:-1], axis=-1)
        return scatter_sum(self.coefficient * missed, self.graph_of_set, len(self.node_ptr) - 1)

    def flip_interval(self) -> Interval:
        """Bound f(x_i = 1) − f(x_i = 0) from below and above, two arrays of [num_nodes]."""
        price, count = self.coefficient[self.set_of_member], int(self.node_ptr[-1])
        low, high = -np.maximum(price, 0), -np.minimum(price, 0)
        return scatter_sum(low, self.members, count), scatter_sum(high, self.members, count)


@dataclass(frozen=True, eq=False)
class Range:
    """β (d·x − D1)_+ + β (D0 − d·x)_+: a price for a weighted sum that leaves its range.

    Attributes:
        node_ptr: [num_graphs + 1] node offsets.
        weight: d, [num_nodes].
        lower: D0, [num_graphs].
        upper: D1, [num_graphs].
        coefficient: β, [num_graphs], not negative.
        method: how the expectation is taken: ``gaussian`` (closed form for a normal sum of the same mean and variance),
            ``exact`` (convolution; integer d, small graphs) or ``plugin`` (the function of the mean, a lower bound).

    Example:
        >>> box = Range(np.array([0, 3]), np.array([1.0, 2.0, 4.0]), np.array([2.0]), np.array([3.0]), np.array([10.0]))
        >>> box.value(np.array([[1, 0, 0], [0, 1, 0], [1, 0, 1]])).tolist()
        [[10.0], [0.0], [20.0]]
    """

    node_ptr: IntArray
    weight: FloatArray
    lower: FloatArray
    upper: FloatArray
    coefficient: FloatArray
    method: RangeMethod = "gaussian"

    def __post_init__(self) -> None:
        num_graphs = len(self.node_ptr) - 1
        _check_shape("Range.weight", self.weight, int(self.node_ptr[-1]))
        for name in ("lower", "upper", "coefficient"):
            _check_shape(f"Range.{name}", getattr(self, name), num_graphs)
        if np.any(self.lower > self.upper):
            raise InputError("Range.lower must not exceed Range.upper")

    def value(self, assignment: ArrayLike) -> FloatArray:
        """Evaluate [..., num_nodes] bits to [..., num_graphs]."""
        total = segment_sum(self.weight * _bits(assignment, self.node_ptr), self.node_ptr)
        outside = np.maximum(total - self.upper, 0) + np.maximum(self.lower - total, 0)
        return np.asarray(self.coefficient * outside)

    def flip_interval(self) -> Interval:
        """Bound f(x_i = 1) − f(x_i = 0) from below and above, two arrays of [num_nodes]."""
        owner = segment_of(self.node_ptr, np.arange(len(self.weight)))
        reach = np.abs(self.coefficient)[owner] * np.abs(self.weight)
        return -reach, reach


Term = Linear | Pairs | AllPairs | Cover | Range


def unknown_term(term: object, *, user: str) -> InputError:
    """Return the error of a function that knows all kinds of terms and meets another.

    Example:
        >>> print(unknown_term("x", user="a slack"))
        a slack knows no term of kind str; the kinds are Linear, Pairs, AllPairs, Cover, Range
    """
    kinds = ", ".join(kind.__name__ for kind in get_args(Term))
    return InputError(f"{user} knows no term of kind {type(term).__name__}; the kinds are {kinds}")


def with_coefficient(term: Term, coefficient: ArrayLike) -> Term:
    """Return the same term with other coefficients."""
    return replace(term, coefficient=np.asarray(coefficient, dtype=np.float64))


def as_bits(assignment: ArrayLike) -> NDArray[Any]:
    """Return an assignment as it is where it is of bools, else as numbers."""
    bits = np.asarray(assignment)
    return bits if bits.dtype == np.bool_ else bits.astype(np.float64)


def _bits(assignment: ArrayLike, node_ptr: IntArray) -> NDArray[Any]:
    bits = as_bits(assignment)
    if bits.ndim == 0 or bits.shape[-1] != node_ptr[-1]:
        raise InputError(f"an assignment must have shape [.., {node_ptr[-1]}], this one has {list(bits.shape)}")
    return bits


def _check_nodes(name: str, nodes: NDArray[np.integer[Any]], node_ptr: IntArray) -> None:
    if nodes.size and (nodes.min() < 0 or nodes.max() >= node_ptr[-1]):
        raise InputError(f"{name} must be nodes from 0 to {node_ptr[-1] - 1}")


def _check_shape(name: str, array: NDArray[Any], count: int) -> None:
    if array.shape != (count,):
        raise InputError(f"{name} must have shape [{count}], it has {list(array.shape)}")
    if np.isnan(array).any():
        raise InputError(f"{name} must be numbers, number {int(np.argmax(np.isnan(array)))} is nan")
