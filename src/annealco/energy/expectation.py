"""The terms under Q, in torch: expectation and field, one class a kind of term.

Q is a product distribution: every node is chosen independently, with probability φ_i = sigmoid(logit_i). Then
E[f] = Σ_x Q(x) f(x) and field_i = E[f | x_i = 1] − E[f | x_i = 0]. Both are exact for `Linear`, `Pairs`, `AllPairs`
and `Cover`, which are linear in every single φ_i, so that there the field is also ∂E[f]/∂φ_i.

A `Range` is β (V − D1)_+ + β (D0 − V)_+ of a weighted sum V = d·x, whose expectation is taken in one of three ways:

* ``gaussian``: V is replaced by a normal variable of the same mean and variance; closed form, smooth, good from about
  50 nodes on.
* ``exact``: the distribution of V by convolution, O(num_nodes · Σd) a graph; integer d ≥ 0; the oracle of the tests.
* ``plugin``: the function of the mean; a lower bound by Jensen's inequality, and the simplest reading of the paper.

Its field is the conditional difference in all three, at most β d_i in size. For ``gaussian`` the derivative by φ_i
would differ from it and grow without bound as Q becomes certain.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor
from torch.nn.functional import softplus

from annealco.arrays import FloatArray, IntArray, segment_of
from annealco.energy.sparse import SparseMatrix, sparse_matrix, symmetric_matrix
from annealco.energy.terms import AllPairs, Cover, Linear, Pairs, Range, Term, unknown_term
from annealco.errors import InputError


@dataclass(frozen=True, eq=False)
class ProductDistribution:
    """What terms read off the logits, each computed once and without cancellation for large logits.

    Attributes:
        logits: [num_nodes, num_samples], float32 or float64.
    """

    logits: Tensor

    @cached_property
    def probability(self) -> Tensor:
        """φ = P(x_i = 1)."""
        return torch.sigmoid(self.logits)

    @cached_property
    def variance(self) -> Tensor:
        """φ (1 − φ), where 1 − φ = sigmoid(−logit) keeps its digits."""
        return self.probability * torch.sigmoid(-self.logits)

    @cached_property
    def miss(self) -> Tensor:
        """−log(1 − φ) = softplus(logit), so that Π (1 − φ_i) = exp(−Σ miss_i)."""
        return softplus(self.logits)

    @cached_property
    def entropy(self) -> Tensor:
        """−φ log φ − (1 − φ) log(1 − φ) of every node, in nats."""
        size = self.logits.abs()
        return softplus(-size) + size * torch.sigmoid(-size)


MAX_EXACT_WORK = 10**8
"""Most cells that one convolution may touch: the exact method is an oracle for small graphs."""

LEAST_VARIANCE = 1e-20
"""Where Q is certain the normal variable has no width; this keeps the division finite and changes nothing else."""


@dataclass(frozen=True, eq=False)
class RangeTensors:
    """A `Range` term on a device; columns [num_nodes, 1] and [num_graphs, 1]."""

    node_ptr: IntArray
    owner: Tensor
    weight: Tensor
    lower: Tensor
    upper: Tensor
    coefficient: Tensor

    def total(self, values: Tensor) -> Tensor:
        """Sum [num_nodes, k] over each graph, to [num_graphs, k]."""
        return values.new_zeros(len(self.node_ptr) - 1, values.shape[1]).index_add(0, self.owner, values)

    def outside(self, value: Tensor) -> Tensor:
        """Return (value − D1)_+ + (D0 − value)_+."""
        return torch.relu(value - self.upper) + torch.relu(self.lower - value)

    def at_nodes(self) -> RangeTensors:
        """Return the same bounds, one row a node."""
        bounds = (column[self.owner] for column in (self.lower, self.upper, self.coefficient))
        return RangeTensors(self.node_ptr, self.owner, self.weight, *bounds)


class RangeFormulas(NamedTuple):
    """One way to take the expectation of a `Range`."""

    expectation: Callable[[RangeTensors, ProductDistribution], Tensor]
    field: Callable[[RangeTensors, ProductDistribution], Tensor]


def plugin_expectation(term: RangeTensors, q: ProductDistribution) -> Tensor:
    """β ((μ − D1)_+ + (D0 − μ)_+) with μ = d·φ."""
    return term.coefficient * term.outside(term.total(term.weight * q.probability))


def plugin_field(term: RangeTensors, q: ProductDistribution) -> Tensor:
    """Return the change of the plug-in value from φ_i = 0 to φ_i = 1."""
    own = term.weight * q.probability
    without = term.total(own)[term.owner] - own
    bounds = term.at_nodes()
    return bounds.coefficient * (bounds.outside(without + term.weight) - bounds.outside(without))


def gaussian_expectation(term: RangeTensors, q: ProductDistribution) -> Tensor:
    """β (σ g((μ − D1)/σ) + σ g((D0 − μ)/σ)) with g(z) = z Φ(z) + ϕ(z), σ² = Σ d² φ (1 − φ)."""
    mean = term.total(term.weight * q.probability)
    variance = term.total(term.weight**2 * q.variance)
    return term.coefficient * _normal_outside(term, mean, variance)


def gaussian_field(term: RangeTensors, q: ProductDistribution) -> Tensor:
    """Return the difference for x_i = 1 and x_i = 0, the sum over the other nodes being normal."""
    own_mean, own_variance = term.weight * q.probability, term.weight**2 * q.variance
    mean = term.total(own_mean)[term.owner] - own_mean
    variance = term.total(own_variance)[term.owner] - own_variance
    bounds = term.at_nodes()
    chosen = _normal_outside(bounds, mean + term.weight, variance)
    return bounds.coefficient * (chosen - _normal_outside(bounds, mean, variance))


def _normal_outside(term: RangeTensors, mean: Tensor, variance: Tensor) -> Tensor:
    width = variance.clamp(min=LEAST_VARIANCE).sqrt()
    return _expected_excess(mean - term.upper, width) + _expected_excess(term.lower - mean, width)


def _expected_excess(mean: Tensor, width: Tensor) -> Tensor:
    """E[N_+] for a normal N of this mean and width."""
    standard = mean / width
    density = torch.exp(-0.5 * standard.square()) / math.sqrt(2 * math.pi)
    return torch.add(mean * torch.special.ndtr(standard), width * density)


def exact_expectation(term: RangeTensors, q: ProductDistribution) -> Tensor:
    """Σ_v P(V = v) β ((v − D1)_+ + (D0 − v)_+), graph by graph."""
    rows = []
    for graph, (start, stop) in enumerate(zip(term.node_ptr[:-1], term.node_ptr[1:], strict=True)):
        rows.append(_exact_row(term, graph, term.weight[start:stop], q.probability[start:stop]))
    return torch.cat(rows) if rows else q.logits.new_zeros(0, q.logits.shape[1])


def exact_field(term: RangeTensors, q: ProductDistribution) -> Tensor:
    """Return the conditional difference, by two convolutions a node."""
    field = torch.zeros_like(q.logits)
    for graph, (start, stop) in enumerate(zip(term.node_ptr[:-1], term.node_ptr[1:], strict=True)):
        for node in range(start, stop):
            given = [q.probability[start:stop].index_fill(0, _row(node - start, q), bit) for bit in (0.0, 1.0)]
            without, chosen = (_exact_row(term, graph, term.weight[start:stop], each) for each in given)
            field = field.index_add(0, _row(node, q), chosen - without)
    return field


def _row(number: int, q: ProductDistribution) -> Tensor:
    return torch.tensor([number], device=q.logits.device)


def _exact_row(term: RangeTensors, graph: int, weight: Tensor, probability: Tensor) -> Tensor:
    """Return the expectation for one graph, [1, k]."""
    steps = weight.squeeze(1).round().long()
    if not torch.equal(steps.to(weight.dtype), weight.squeeze(1)) or bool((steps < 0).any()):
        raise InputError("the exact method of Range needs integer weights of at least 0; use 'gaussian'")
    support = int(steps.sum()) + 1
    if support * len(steps) > MAX_EXACT_WORK:
        raise InputError(f"the exact method of Range is for small graphs: {len(steps)} nodes with sum {support - 1}")
    mass = torch.zeros(support, probability.shape[1], dtype=probability.dtype, device=probability.device)
    mass = mass.index_fill(0, torch.tensor([0], device=mass.device), 1.0)
    for step, chosen in zip(steps.tolist(), probability, strict=True):
        moved = torch.cat([mass.new_zeros(step, mass.shape[1]), mass[: support - step]])
        mass = mass * (1 - chosen) + moved * chosen
    value = torch.arange(support, dtype=mass.dtype, device=mass.device).unsqueeze(1)
    outside = torch.relu(value - term.upper[graph]) + torch.relu(term.lower[graph] - value)
    return term.coefficient[graph] * (mass * outside).sum(0, keepdim=True)


RANGE_METHODS = {
    "gaussian": RangeFormulas(gaussian_expectation, gaussian_field),
    "exact": RangeFormulas(exact_expectation, exact_field),
    "plugin": RangeFormulas(plugin_expectation, plugin_field),
}
"""The ways to take the expectation of a `Range`, by the name its ``method`` gives."""


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


def expectation(
    terms: tuple[Term, ...], node_ptr: IntArray, logits: Tensor, *, constant: FloatArray | None = None
) -> Tensor:
    """Return E_Q of the sum of terms and a constant: [num_nodes] to [num_graphs], [num_nodes, ...] likewise."""
    q = _distribution(logits)
    total = q.logits.new_zeros(len(node_ptr) - 1, q.logits.shape[1])
    if constant is not None:
        total = total + Place(logits.device, logits.dtype).tensor(constant)
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
        if type(term) not in _LOWERING:
            raise unknown_term(term, user="an expectation")
        # Tensors made in inference mode could not be used for training later.
        with torch.inference_mode(False):
            places[place] = _LOWERING[type(term)](term, place)
    return places[place]
