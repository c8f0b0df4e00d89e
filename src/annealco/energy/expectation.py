"""The terms under Q, in torch: expectation and field, one pair of functions a kind of term.

E[f] = Σ_x Q(x) f(x) and field_i = E[f | x_i = 1] − E[f | x_i = 0]. Both are exact for `Linear`, `Pairs`, `AllPairs`
and `Cover`, which are linear in every single φ_i, so that there the field is also ∂E[f]/∂φ_i; `Range` is in
`range_term.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from annealco.energy.distribution import ProductDistribution
from annealco.energy.range_term import RANGE_METHODS, RangeTensors
from annealco.energy.sparse import SparseMatrix, sparse_matrix, symmetric_matrix
from annealco.energy.terms import AllPairs, Cover, Linear, Pairs, Range, Term
from annealco.graph.errors import InputError
from annealco.graph.segments import IntArray, segment_of

MAX_MISS = 50.0
"""Cap on −log(1 − φ) inside `Cover`'s field, so that exp(miss) stays finite in float32; 1 − φ is then 2e-22."""


@dataclass(frozen=True)
class Place:
    """Where a term's tensors live."""

    device: torch.device
    dtype: torch.dtype

    def tensor(self, array: ArrayLike, dtype: torch.dtype | None = None) -> Tensor:
        """Copy an array to this place as a column [n, 1]."""
        return torch.tensor(np.asarray(array), dtype=dtype or self.dtype, device=self.device).unsqueeze(1)

    def index(self, array: ArrayLike) -> Tensor:
        """Copy indices [n] to this place."""
        return torch.tensor(np.asarray(array), dtype=torch.int64, device=self.device)


def expectation(terms: tuple[Term, ...], node_ptr: IntArray, logits: Tensor) -> Tensor:
    """Return E_Q of the sum of terms: [num_nodes] to [num_graphs], [num_nodes, ...] to [num_graphs, ...]."""
    q = _distribution(logits)
    total = q.logits.new_zeros(len(node_ptr) - 1, q.logits.shape[1])
    for term in terms:
        total = total + _lowered(term, logits).expectation(q)
    return total.reshape(len(node_ptr) - 1, *logits.shape[1:])


def field(terms: tuple[Term, ...], logits: Tensor) -> Tensor:
    """Return the sum of the terms' fields in the shape of the logits."""
    q = _distribution(logits)
    total = torch.zeros_like(q.logits)
    for term in terms:
        total = total + _lowered(term, logits).field(q)
    return total.reshape(logits.shape)


def _distribution(logits: Tensor) -> ProductDistribution:
    """Return Q with the logits as columns."""
    if logits.dtype not in (torch.float32, torch.float64):
        raise InputError(f"logits must be float32 or float64, these are {logits.dtype}")
    return ProductDistribution(logits.flatten(1) if logits.dim() > 1 else logits.unsqueeze(1))


def sum_by(owner: Tensor, values: Tensor, count: int) -> Tensor:
    """Sum [n, k] by owner [n], to [count, k]."""
    return values.new_zeros(count, values.shape[1]).index_add(0, owner, values)


class LinearTensors:
    """`Linear` on a device."""

    def __init__(self, term: Linear, place: Place) -> None:
        self.coefficient = place.tensor(term.coefficient)
        self.owner = place.index(segment_of(term.node_ptr, np.arange(len(term.coefficient))))
        self.num_graphs = len(term.node_ptr) - 1

    def expectation(self, q: ProductDistribution) -> Tensor:
        """E = Σ a_i φ_i."""
        return sum_by(self.owner, self.coefficient * q.probability, self.num_graphs)

    def field(self, q: ProductDistribution) -> Tensor:
        """∂E/∂φ_i = a_i."""
        return self.coefficient.expand_as(q.logits)


class PairsTensors:
    """`Pairs` on a device: B is the symmetric matrix of the coefficients."""

    def __init__(self, term: Pairs, place: Place) -> None:
        size = int(term.node_ptr[-1])
        self.matrix = symmetric_matrix(term.pairs, term.coefficient, size, device=place.device, dtype=place.dtype)
        self.owner = place.index(segment_of(term.node_ptr, np.arange(size)))
        self.num_graphs = len(term.node_ptr) - 1

    def expectation(self, q: ProductDistribution) -> Tensor:
        """E = ½ φ·Bφ: a product with B meets every pair twice."""
        return self.pair_sum(q.probability)

    def pair_sum(self, probability: Tensor) -> Tensor:
        """Return ½ φ·Bφ of each graph."""
        return 0.5 * sum_by(self.owner, probability * (self.matrix @ probability), self.num_graphs)

    def field(self, q: ProductDistribution) -> Tensor:
        """∂E/∂φ_i = (Bφ)_i."""
        return self.matrix @ q.probability


class AllPairsTensors:
    """`AllPairs` on a device, in float64: up to half of the sum is excluded again."""

    def __init__(self, term: AllPairs, place: Place) -> None:
        wide = Place(place.device, torch.float64)
        self.order = place.index(term.descending)
        self.place_of = place.index(np.argsort(term.descending))
        self.coefficient = wide.tensor(term.coefficient[term.descending])
        self.start = place.index(np.repeat(term.node_ptr[:-1], np.diff(term.node_ptr)))
        self.stop = place.index(np.repeat(term.node_ptr[1:], np.diff(term.node_ptr)))
        self.owner = place.index(segment_of(term.node_ptr, np.arange(len(term.coefficient))))
        self.num_graphs = len(term.node_ptr) - 1
        self.excluded = PairsTensors(term.excluded_pairs, wide)

    def expectation(self, q: ProductDistribution) -> Tensor:
        """E = Σ_k c_k φ_k Σ_{l before k} φ_l in descending order of c, less the excluded pairs."""
        probability = q.probability.double()
        ordered = probability[self.order]
        every = sum_by(self.owner, self.coefficient * ordered * self._before(ordered), self.num_graphs)
        return (every - self.excluded.pair_sum(probability)).to(q.logits.dtype)

    def field(self, q: ProductDistribution) -> Tensor:
        """∂E/∂φ_k = c_k Σ_{before} φ_l + Σ_{after} c_l φ_l, less the excluded pairs."""
        probability = q.probability.double()
        ordered = probability[self.order]
        every = self.coefficient * self._before(ordered) + self._after(self.coefficient * ordered)
        return (every[self.place_of] - self.excluded.matrix @ probability).to(q.logits.dtype)

    def _before(self, ordered: Tensor) -> Tensor:
        running = _running_sum(ordered)
        return running[:-1] - running[self.start]

    def _after(self, ordered: Tensor) -> Tensor:
        running = _running_sum(ordered)
        return running[self.stop] - running[1:]


def _lower_all_pairs(term: AllPairs, place: Place) -> AllPairsTensors | PairsTensors:
    """Sum over the pairs that are left where these are fewer than the excluded ones: no digits are lost there."""
    return AllPairsTensors(term, place) if term.short_list is None else PairsTensors(term.short_list, place)


def _running_sum(values: Tensor) -> Tensor:
    """Return the sums of the first 0, 1, ..., n rows, [n + 1, k]."""
    return torch.cat([values.new_zeros(1, values.shape[1]), values.cumsum(0)])


class CoverTensors:
    """`Cover` on a device: M is the incidence matrix [num_sets, num_nodes]."""

    def __init__(self, term: Cover, place: Place) -> None:
        shape = (len(term.coefficient), int(term.node_ptr[-1]))
        ones = np.ones(len(term.members))
        self.matrix = sparse_matrix(
            term.set_of_member, term.members, ones, shape, device=place.device, dtype=place.dtype
        )
        self.transpose = SparseMatrix(shape[::-1], self.matrix.transpose, self.matrix.forward)
        self.coefficient = place.tensor(term.coefficient)
        self.owner = place.index(term.graph_of_set)
        self.num_graphs = len(term.node_ptr) - 1

    def expectation(self, q: ProductDistribution) -> Tensor:
        """E = Σ_h c_h exp(−Σ_{i∈h} miss_i)."""
        return sum_by(self.owner, self.coefficient * torch.exp(-(self.matrix @ q.miss)), self.num_graphs)

    def field(self, q: ProductDistribution) -> Tensor:
        """∂E/∂φ_i = −Σ_{h∋i} c_h exp(−Σ_{j∈h, j≠i} miss_j)."""
        miss = q.miss.clamp(max=MAX_MISS)
        missed = self.coefficient * torch.exp(-(self.matrix @ miss))
        return -torch.exp(miss) * (self.transpose @ missed)


class _RangeTensors:
    """`Range` on a device, by the method that the term names."""

    def __init__(self, term: Range, place: Place) -> None:
        owner = segment_of(term.node_ptr, np.arange(len(term.weight)))
        self.tensors = RangeTensors(
            node_ptr=term.node_ptr,
            owner=place.index(owner),
            weight=place.tensor(term.weight),
            lower=place.tensor(term.lower),
            upper=place.tensor(term.upper),
            coefficient=place.tensor(term.coefficient),
        )
        self.method = RANGE_METHODS[term.method]

    def expectation(self, q: ProductDistribution) -> Tensor:
        """E = β E[(d·x − D1)_+ + (D0 − d·x)_+]."""
        return self.method.expectation(self.tensors, q)

    def field(self, q: ProductDistribution) -> Tensor:
        """E[· | x_i = 1] − E[· | x_i = 0]."""
        return self.method.field(self.tensors, q)


Lowered = LinearTensors | PairsTensors | AllPairsTensors | CoverTensors | _RangeTensors
_LOWERING: dict[type, Callable[[Any, Place], Lowered]] = {
    Linear: LinearTensors,
    Pairs: PairsTensors,
    AllPairs: _lower_all_pairs,
    Cover: CoverTensors,
    Range: _RangeTensors,
}
# A network asks for the same field at every step: the tensors of a term are made once a device and dtype.
_CACHE: WeakKeyDictionary[Term, dict[Place, Lowered]] = WeakKeyDictionary()


def _lowered(term: Term, logits: Tensor) -> Lowered:
    place = Place(logits.device, logits.dtype)
    places = _CACHE.setdefault(term, {})
    if place not in places:
        # Tensors made in inference mode could not be used for training later.
        with torch.inference_mode(False):
            places[place] = _LOWERING[type(term)](term, place)
    return places[place]
