"""The losses of Karalias and Loukas (2020), by the kind of constraint; none is annealed.

| constraints                      | loss                                                                  |
|----------------------------------|-----------------------------------------------------------------------|
| pairs that exclude each other    | theirs for cliques, ½ (4 D − W): `pair_mass`                          |
| a range, forced nodes            | theirs for cuts, the expected cut at a target volume: `target_volume` |
| sets to be hit, or none          | E[cost] + β · E[sets that are not hit], at the critical penalties     |

They give no loss for the last kind. Theirs is in general the expected cost plus a penalty on the chance of an
infeasible set, which the expected number of sets that are not hit bounds: that is this package's energy without
entropy.

The loss of Karalias and Loukas (2020), for problems of the form "no two of the chosen conflict".

Of a graph it is

    ½ (c · D − W),        D = Σ φ_i φ_j over conflicting pairs,        W = Σ φ_i φ_j over all others,

with c = 4. Conflicting are, for an independent set, the edges; for a clique, the pairs that are not joined. It rewards
the number of compatible pairs inside the set, where the energy rewards the set's weight, and it is not annealed.

The loss of Karalias and Loukas (2020) for cuts: the expected cut after Q was scaled to a target volume.

At every step each graph gets a target T = f · (its volume) with f uniform in 0.1 to 0.95, and probabilities become
φ' = min(a φ, 1) with the a for which Σ d_i φ'_i = T. There is no penalty: the scale keeps the volume. Gradients flow
through a. They draw f below 0.1 + 0.85 · (the share of the volume that the network sees from the seed node); six
layers see all or nearly all of the graphs here, so the share is taken as 1. They stop scaling at 25 % of the target, or
after 30 rounds; here it ends when it is met, or after 30 rounds.

Targets come from torch's own generator, which training seeds at every step: several processes draw others than one.

The loss of RUN-CSP (Tönshoff et al., 2021) for sets without a conflicting pair.

Of a graph it is, with φ the probabilities after one step,

    (1 + s · mean over conflicting pairs of −log(1 − φ_u φ_v)) · (1 + mean over nodes of (1 − φ_i)):

the chance that a constraint holds is 1 − φ_u φ_v, and larger sets are better. s is the penalty's scale; their κ, which
stands where 1 does, is 1/s up to a factor. The steps of the network are weighted by the network (0.95^age). Nodes count
alike, whatever they weigh. Conflicts are listed, also those of a clique in a sparse graph.

Smooth relaxations of a cut, the losses of the L1 and the L2 network (Karalias and Loukas, 2020).

Of a graph they are Σ w_uv |φ_u − φ_v| and Σ w_uv (φ_u − φ_v)², plus the critical penalty on the mean volume where it is
outside of the box, and on a seed node that is left out. On sets both are the cut. Neither is an expectation, and both
are 0 where all φ are alike: a network needs its min–max head to be kept from that.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from annealco.arrays import FloatArray, IntArray, scatter_sum, segment_of
from annealco.energy import AllPairs, Energy, Instance, Pairs
from annealco.energy.structure import structure_of
from annealco.errors import InputError
from annealco.models.neighbours import conflict_terms


def karalias_loukas(instance: Instance, penalty_scale: float = 1.0) -> PairMass | TargetVolume | Energy:
    """Return the loss on an instance; the penalty's scale multiplies the 4, or the critical penalties.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> edge = Graph.from_edges([[0], [1]])
        >>> [type(karalias_loukas(PROBLEMS[name].declare(edge))).__name__ for name in ("clique", "cut", "mds")]
        ['PairMass', 'TargetVolume', 'Energy']
    """
    structure = structure_of(instance)
    if structure.cover_terms or not structure.terms:
        return instance.energy(penalty_scale)
    if structure.conflict_terms:
        return pair_mass(instance, penalty_scale)
    if structure.box is not None:
        return target_volume(instance)
    raise InputError("the loss 'kl' needs constraints of one kind: on pairs, on sets, or on one range")


CONFLICT_WEIGHT = 4.0
"""c."""


@dataclass(frozen=True, eq=False)
class PairMass:
    """½ (c · D − W).

    Attributes:
        conflicting: D.
        compatible: W.
        conflict_weight: c.
    """

    conflicting: Energy
    compatible: Energy
    conflict_weight: float

    @property
    def node_ptr(self) -> IntArray:
        return self.conflicting.node_ptr

    def expectation(self, logits: Tensor) -> Tensor:
        """Return the loss under Q, [num_nodes, ...] logits to [num_graphs, ...]; exact and differentiable."""
        conflicts = self.conflicting.expectation(logits)
        return 0.5 * (self.conflict_weight * conflicts - self.compatible.expectation(logits))


def pair_mass(instance: Instance, penalty_scale: float = 1.0) -> PairMass:
    """Read the conflicting pairs off an instance; the penalty's scale multiplies c.

    Pairs count alike, whatever their nodes weigh.

    Raises:
        InputError: where the instance has another kind of constraint than one on pairs that exclude each other.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> path = Graph.from_edges([[0, 1], [1, 2]])
        >>> import torch
        >>> pair_mass(PROBLEMS["mis"].declare(path)).expectation(torch.zeros(3)).item()  # ½ (4 · 2 − 1) / 4
        0.875
    """
    [term, *others] = conflict_terms(instance)
    if others:
        raise InputError(f"the loss 'kl' needs one constraint on pairs, there are {1 + len(others)}")
    ptr, pairs = instance.node_ptr, term.pairs if isinstance(term, Pairs) else term.excluded
    listed = Energy(ptr, (Pairs(ptr, pairs, np.ones(pairs.shape[1])),))
    unlisted = Energy(ptr, (AllPairs(ptr, np.ones(instance.num_nodes), excluded=pairs),))
    conflicting, compatible = (listed, unlisted) if isinstance(term, Pairs) else (unlisted, listed)
    return PairMass(conflicting, compatible, CONFLICT_WEIGHT * penalty_scale)


LEAST_SHARE, SHARE_RANGE = 0.1, 0.85
MAX_ROUNDS = 30
LEAST_PROBABILITY = 1e-6
"""Scaled probabilities end here: logits of 0 and 1 are infinite."""


@dataclass(frozen=True, eq=False)
class TargetVolume:
    """The expected objective of Q scaled to a random volume.

    Attributes:
        objective: what is expected.
        weight: d, [num_nodes], not negative.
    """

    objective: Energy
    weight: FloatArray

    @property
    def node_ptr(self) -> IntArray:
        return self.objective.node_ptr

    def expectation(self, logits: Tensor) -> Tensor:
        """Return the loss of Q, [num_nodes, ...] logits to [num_graphs, ...]; differentiable."""
        columns = logits.flatten(1) if logits.dim() > 1 else logits.unsqueeze(1)
        num_graphs = len(self.node_ptr) - 1
        share = LEAST_SHARE + SHARE_RANGE * torch.rand(num_graphs, columns.shape[1])
        scaled = scale_to(self.node_ptr, self.weight, torch.sigmoid(columns), share.to(columns))
        again = torch.logit(scaled.clamp(LEAST_PROBABILITY, 1 - LEAST_PROBABILITY))
        return self.objective.expectation(again).reshape(num_graphs, *logits.shape[1:])


def scale_to(node_ptr: IntArray, weight: FloatArray, probability: Tensor, share: Tensor) -> Tensor:
    """Return min(a φ, 1) with the a of each graph for which the mean volume is a share of the whole.

    Args:
        node_ptr: [num_graphs + 1] node offsets.
        weight: d, [num_nodes].
        probability: φ, [num_nodes, k].
        share: [num_graphs, k] of Σ d_i.

    Example:
        >>> chances = torch.tensor([[0.8], [0.4], [0.2]])
        >>> scale_to(np.array([0, 3]), np.ones(3), chances, torch.tensor([[0.6]])).flatten().tolist()
        [1.0, 0.5333333611488342, 0.2666666805744171]
    """
    num_graphs, size = len(node_ptr) - 1, int(node_ptr[-1])
    owner = torch.as_tensor(segment_of(node_ptr, np.arange(size)), device=probability.device)
    volume = torch.as_tensor(weight, device=probability.device, dtype=probability.dtype).unsqueeze(1)

    def total(values: Tensor) -> Tensor:
        return values.new_zeros(num_graphs, values.shape[1]).index_add(0, owner, values)

    def factor(full: Tensor) -> Tensor:
        left = total(volume.expand_as(probability)) * share - total(volume * full)
        free = total(volume * probability * ~full)
        return (left.clamp(min=0) / free.clamp(min=torch.finfo(free.dtype).tiny))[owner]

    # Which nodes are full is found first: each round scales the others to what is left, which fills more.
    full = torch.zeros_like(probability, dtype=torch.bool)
    with torch.no_grad():
        for _ in range(MAX_ROUNDS):
            more = full | (factor(full) * probability >= 1)
            if bool((more == full).all()):
                break
            full = more
    return torch.where(full, 1.0, (factor(full) * probability).clamp(max=1.0))


def target_volume(instance: Instance) -> TargetVolume:
    """Read what has a volume off an instance: its one range.

    Raises:
        InputError: where it has another number of ranges than one.
    """
    ranges = structure_of(instance).ranges
    if len(ranges) != 1:
        raise InputError(f"a target volume needs one range, there are {len(ranges)}")
    return TargetVolume(instance.cost, ranges[0].weight)


@dataclass(frozen=True, eq=False)
class Satisfaction:
    """The loss on an instance.

    Attributes:
        node_ptr: [num_graphs + 1] node offsets.
        pairs: [2, num_pairs] that conflict.
        scale: s.
    """

    node_ptr: IntArray
    pairs: IntArray
    scale: float

    def expectation(self, logits: Tensor) -> Tensor:
        """Return the loss of Q, [num_nodes, ...] logits to [num_graphs, ...]; differentiable."""
        columns = logits.flatten(1) if logits.dim() > 1 else logits.unsqueeze(1)
        low, high = torch.as_tensor(self.pairs, device=logits.device, dtype=torch.int64)
        present, absent = logsigmoid(columns), logsigmoid(-columns)
        # 1 − φ_u φ_v = (1 − φ_u) + φ_u (1 − φ_v), which loses no digits where both are near 1.
        held = torch.logaddexp(absent[low], present[low] + absent[high])
        unhappy = -self._mean(held, segment_of(self.node_ptr, self.pairs[0]))
        missing = self._mean(torch.sigmoid(-columns), segment_of(self.node_ptr, np.arange(self.node_ptr[-1])))
        loss = (1 + self.scale * unhappy) * (1 + missing)
        return loss.reshape(len(self.node_ptr) - 1, *logits.shape[1:])

    def _mean(self, values: Tensor, owner: IntArray) -> Tensor:
        """Return the mean of [n, k] in each graph, 0 where there is nothing."""
        num_graphs = len(self.node_ptr) - 1
        count = np.maximum(np.bincount(owner, minlength=num_graphs), 1)
        sums = values.new_zeros(num_graphs, values.shape[1])
        sums = sums.index_add(0, torch.as_tensor(owner, device=values.device), values)
        return sums / torch.as_tensor(count, device=values.device, dtype=values.dtype).unsqueeze(1)


def satisfaction(instance: Instance, penalty_scale: float = 1.0) -> Satisfaction:
    """Read the conflicting pairs off an instance.

    Raises:
        InputError: where the instance has other constraints than pairs that exclude each other.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> edge = PROBLEMS["mis"].declare(Graph.from_edges([[0], [1]]))
        >>> round(satisfaction(edge).expectation(torch.zeros(2)).item(), 4)  # (1 − log ¾) · (1 + ½)
        1.9315
    """
    terms = conflict_terms(instance)
    listed = [term.listed().pairs for term in terms]
    return Satisfaction(instance.node_ptr, np.concatenate(listed, axis=1).astype(np.int64), penalty_scale)


@dataclass(frozen=True, eq=False)
class SmoothCut:
    """Σ w_uv |φ_u − φ_v|^power and penalties.

    Attributes:
        pairs: [2, num_pairs].
        weight: w, [num_pairs].
        power: 1 or 2.
        penalty: what is added, its range taken at the mean, and the constant.
    """

    pairs: IntArray
    weight: FloatArray
    power: int
    penalty: Energy

    @property
    def node_ptr(self) -> IntArray:
        return self.penalty.node_ptr

    def expectation(self, logits: Tensor) -> Tensor:
        """Return the loss of Q, [num_nodes, ...] logits to [num_graphs, ...]; differentiable."""
        columns = logits.flatten(1) if logits.dim() > 1 else logits.unsqueeze(1)
        probability = torch.sigmoid(columns)
        low, high = torch.as_tensor(self.pairs, device=logits.device)
        weight = torch.as_tensor(self.weight, device=logits.device, dtype=logits.dtype).unsqueeze(1)
        owner = torch.as_tensor(segment_of(self.node_ptr, self.pairs[0]), device=logits.device)
        each = weight * (probability[low] - probability[high]).abs() ** self.power
        total = each.new_zeros(len(self.node_ptr) - 1, columns.shape[1]).index_add(0, owner, each)
        return total.reshape(len(self.node_ptr) - 1, *logits.shape[1:]) + self.penalty.expectation(logits)


def smooth_cut(instance: Instance, penalty_scale: float = 1.0, *, power: int) -> SmoothCut:
    """Read a cut off an instance.

    Raises:
        InputError: where the objective is no cut.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> path = PROBLEMS["max_cut"].declare(Graph.from_edges([[0, 1], [1, 2]]))
        >>> logits = torch.tensor([-99.0, 0.0, 99.0])
        >>> [smooth_cut(path, power=power).expectation(logits).item() for power in (1, 2)]  # what is maximised is < 0
        [-1.0, -0.5]
    """
    structure = structure_of(instance)
    pairs, weight = structure.pairs.astype(np.int64), -0.5 * structure.pair_value
    ends = scatter_sum(np.concatenate([weight, weight]), pairs.reshape(-1), instance.num_nodes)
    # Σ w [x_u ≠ x_v] = Σ_i x_i Σ_j w_ij − 2 Σ w x_u x_v.
    if not structure.is_quadratic or not np.allclose(structure.node_cost, ends):
        raise InputError(f"the loss 'l{power}' needs a problem whose objective is a cut, such as cut")
    terms = instance.energy(penalty_scale, range_method="plugin").terms[len(instance.objective) :]
    return SmoothCut(pairs, weight, power, Energy(instance.node_ptr, terms, instance.constant))


l1, l2 = partial(smooth_cut, power=1), partial(smooth_cut, power=2)
