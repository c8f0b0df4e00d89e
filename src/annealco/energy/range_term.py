"""E[β (V − D1)_+ + β (D0 − V)_+] for a weighted sum V = d·x of independent bits, in three ways.

* ``gaussian``: V is replaced by a normal variable of the same mean and variance; closed form, smooth, good from about
  50 nodes on.
* ``exact``: the distribution of V by convolution, O(num_nodes · Σd) a graph; integer d ≥ 0; the oracle of the tests.
* ``plugin``: the function of the mean; a lower bound by Jensen's inequality, and the simplest reading of the paper.

The field is the conditional difference E[· | x_i = 1] − E[· | x_i = 0] in all three, at most β d_i in size. For
``gaussian`` the derivative by φ_i would differ from it and grow without bound as Q becomes certain.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from annealco.energy.distribution import ProductDistribution
from annealco.graph.errors import InputError
from annealco.graph.segments import IntArray

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


class RangeMethod(NamedTuple):
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
    "gaussian": RangeMethod(gaussian_expectation, gaussian_field),
    "exact": RangeMethod(exact_expectation, exact_field),
    "plugin": RangeMethod(plugin_expectation, plugin_field),
}
"""The ways to take the expectation of a `Range`, by the name its ``method`` gives."""
