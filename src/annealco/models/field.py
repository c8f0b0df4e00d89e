"""`field`: a recurrence that sees the energy's field. Dynamics of a mean-field kind, with the update rule learned.

The state h of a node has a logit, a = v·h + b, and so a probability φ = σ(a). At every step a node sees

* its neighbours: the mean of their states, and the sum of their states weighted by φ;
* the energy: its field, E[f | x_i = 1] − E[f | x_i = 0], whole and of the objective alone, in units of what a flip of
  the node changes the objective by;
* itself: φ, and what never changes (`surroundings`);

and a gated recurrent unit makes the next state. The weights are the same at every step, so more steps may be run than
were trained. Neighbours are those of the sparser side of each graph (`sparse_side`), so a dense graph costs what its
complement does; the field and a flag tell the two apart.

Every input is relative to the scale of the node or its graph, so a network trained on 250 nodes runs on 100,000.
Before the first step the energy is counted in units of each graph (`in_graph_units`), a power of two, so that single
precision holds its terms; this changes no digit of what the network sees.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor, nn

from annealco.arrays import FloatArray, IntArray, segment_of, segment_sum
from annealco.energy import AllPairs, Cover, Energy, Instance, Linear, Pairs, Range
from annealco.energy.sparse import SparseMatrix, symmetric_matrix
from annealco.energy.terms import Term, unknown_term, with_coefficient
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.operations import sparse_side
from annealco.models.model import Model, ModelInput, as_samples, never, objective_scale
from annealco.models.recurrence import Weights, recurrent_step

NUM_FEATURES = 4
"""Random numbers a node starts from."""

NUM_SIGNALS = 5
"""Numbers a step reads off Q: φ, and four of the field."""

MOST_FIELD = 5.0
"""Fields are cut off here: past it a node is decided."""

FEWEST, MOST, RISEN = 3 / 8, 25 / 16, 0.7
"""Steps in the middle of those drawn at the start of training and when they have risen, in units of ``num_steps``; and
the progress at which they have: later there is too little learning rate left to learn from long runs."""

FADING = 0.8
"""Weight of an output in training relative to the next one's."""

ROUND, FRESH = 64, 0.3
"""Steps after which a long run proposes, and share of the nodes that then start anew."""


class Setting(NamedTuple):
    """What is fixed while a network runs on a batch.

    Attributes:
        matrix: sums over neighbours, [num_nodes, num_nodes].
        share: [num_nodes, 1, 1], one over the number of neighbours.
        surroundings: [num_nodes, 1, NUM_SURROUNDINGS].
        objective: energy of the objective alone, in units of each graph.
        penalty: energy of the constraints alone, at the critical penalty, in the same units.
        unit: [num_nodes, 1], one over the scale of a node's field.
    """

    matrix: SparseMatrix
    share: Tensor
    surroundings: Tensor
    objective: Energy
    penalty: Energy
    unit: Tensor


class Field(Model):
    """The recurrence.

    Args:
        width: of a node's state.
        num_steps: steps of a run; `steps` changes it for a trained network, and long runs go in rounds (`proposals`).
            In training the number is drawn from half
            to three halves of a middle, so that no single one is learned. The middle rises with the square of progress
            from 3/8 of ``num_steps`` to 25/16, which it has for the last 30 % of training, and is ``num_steps`` on
            average: short runs teach most of the rule for less, and only long ones teach to go on improving instead of
            settling early.
    """

    name = "field"
    batch_size = 8
    learning_rate = 4e-3

    def __init__(self, *, width: int = 32, num_steps: int = 16) -> None:
        super().__init__(width=width, num_steps=num_steps)
        if width < 1 or num_steps < 1:
            raise InputError(f"width and num_steps must be at least 1; they are {width} and {num_steps}")
        self.width, self.num_steps = width, num_steps
        self.start = nn.Linear(NUM_FEATURES + NUM_SURROUNDINGS, width)
        self.messages = nn.Linear(2 * width, 3 * width, bias=False)
        self.signals = nn.Linear(NUM_SIGNALS + NUM_SURROUNDINGS, 3 * width)
        self.recurrent = nn.Linear(width, 3 * width, bias=False)
        self.read = nn.Linear(width, 1)
        # A start near the empty set: with every second node chosen, all fields would point the same way.
        nn.init.constant_(self.read.bias, -1.0)

    def steps(self, num_steps: int) -> Field:
        """Run this many steps from now on, and return the network."""
        if num_steps < 1:
            raise InputError(f"num_steps must be at least 1, it is {num_steps}")
        self.num_steps = num_steps
        return self

    def draw_features(self, graph: Graph, num_samples: int, generator: torch.Generator | None = None) -> Tensor:
        """Draw normal numbers, [num_nodes, num_samples, NUM_FEATURES]; on the processor, so that devices agree."""
        drawn = torch.randn(graph.num_nodes, num_samples, NUM_FEATURES, generator=generator)
        return drawn.to(**self.place)

    def forward(self, batch: ModelInput) -> Tensor:
        """Return the logits after the last step."""
        return self._run(batch, self.num_steps, keep=1)[0]

    def proposals(
        self, batch: ModelInput, generator: torch.Generator | None = None, is_over: Callable[[], bool] = never
    ) -> Tensor:
        """Return the logits after every ``ROUND`` steps and after the last, [num_nodes, num_samples · num_rounds].

        Between rounds nodes drawn at random start anew among the others, which stay what they have become: a run at a
        stretch settles, and then proposes the same again.
        """
        features = batch.features
        setting = _setting(batch.graph, batch.instance, features.device, features.dtype)
        state = self._begin(setting, features)
        proposed = []
        for first in range(0, self.num_steps, ROUND):
            if first:
                fresh = self._begin(setting, self.draw_features(batch.graph, features.shape[1], generator))
                drawn = torch.rand(*state.shape[:2], 1, generator=generator).to(state.device)
                state = torch.where(drawn < FRESH, fresh, state)
            state, [logits] = self._advance(setting, state, min(ROUND, self.num_steps - first), keep=1, is_over=is_over)
            proposed.append(logits)
            if is_over():
                break
        return torch.cat(proposed, dim=1)

    def outputs(self, batch: ModelInput) -> list[tuple[float, Tensor]]:
        """Return the logits after the steps of the later half, with weights 0.8^age that sum to 1."""
        num_steps = self.draw_steps() if self.training else self.num_steps
        return self.later_outputs(batch, num_steps)

    def later_outputs(self, batch: ModelInput, num_steps: int) -> list[tuple[float, Tensor]]:
        """Return the outputs of a run of so many steps."""
        logits = self._run(batch, num_steps, keep=math.ceil(num_steps / 2))
        weights = [FADING**age for age in reversed(range(len(logits)))]
        return [(weight / sum(weights), each) for weight, each in zip(weights, logits, strict=True)]

    def draw_steps(self) -> int:
        """Draw a number of steps from torch's own generator, which training seeds alike in all processes."""
        first, last = FEWEST * self.num_steps, MOST * self.num_steps
        middle = first + (last - first) * min(1.0, self.progress / RISEN) ** 2
        return int(torch.randint(max(1, round(0.5 * middle)), max(1, round(1.5 * middle)) + 1, ()))

    def _run(self, batch: ModelInput, num_steps: int, keep: int) -> list[Tensor]:
        """Run the recurrence and return the logits after the last ``keep`` steps."""
        given = as_samples(batch.graph, batch.features, NUM_FEATURES)
        setting = _setting(batch.graph, batch.instance, given.device, given.dtype)
        _, kept = self._advance(setting, self._begin(setting, given), num_steps, keep)
        return kept if batch.features.dim() == 3 else [logits.squeeze(1) for logits in kept]

    def _begin(self, setting: Setting, features: Tensor) -> Tensor:
        """Return the states that features give, [num_nodes, num_samples, width]."""
        fixed = setting.surroundings.expand(-1, features.shape[1], -1)
        return torch.tanh(self.start(torch.cat([features, fixed], dim=2)))

    def _advance(
        self, setting: Setting, state: Tensor, num_steps: int, keep: int, is_over: Callable[[], bool] = never
    ) -> tuple[Tensor, list[Tensor]]:
        """Return the states after some steps, and the logits after the last ``keep`` of them, or the last in time."""
        fixed = setting.surroundings.expand(-1, state.shape[1], -1)
        logits, kept = self.read(state).squeeze(2), []
        for step in range(num_steps):
            state = self._step(setting, fixed, state, logits)
            logits = self.read(state).squeeze(2)
            is_late = is_over()
            if is_late or num_steps - step <= keep:
                kept.append(logits)
            if is_late:
                break
        return state, kept

    def _step(self, setting: Setting, fixed: Tensor, state: Tensor, logits: Tensor) -> Tensor:
        """Return the next state, [num_nodes, num_samples, width]."""
        seen = torch.cat([self._signals(setting, logits), fixed], dim=2)
        chance = torch.sigmoid(logits).unsqueeze(2)
        weights = Weights(self.messages.weight, self.signals.weight, self.recurrent.weight, self.signals.bias)
        return recurrent_step(weights, setting.matrix, setting.share, state=state, probability=chance, signals=seen)

    def _signals(self, setting: Setting, logits: Tensor) -> Tensor:
        """Return what a step reads off Q, [num_nodes, num_samples, NUM_SIGNALS]."""
        objective = setting.objective.field(logits) * setting.unit
        whole = objective + setting.penalty.field(logits) * setting.unit
        signals = [
            torch.sigmoid(logits),
            whole.clamp(-MOST_FIELD, MOST_FIELD),
            torch.exp(-whole.clamp(min=-2.0)),
            torch.asinh(whole),
            objective.clamp(-MOST_FIELD, MOST_FIELD),
        ]
        return torch.stack(signals, dim=2)

    def prepare(self, graph: Graph, instance: Instance) -> None:
        """Make what is fixed on this batch."""
        _setting(graph, instance, **self.place)


_CACHE: WeakKeyDictionary[Instance, dict[tuple[torch.device, torch.dtype], Setting]] = WeakKeyDictionary()


def _setting(graph: Graph, instance: Instance, device: torch.device, dtype: torch.dtype) -> Setting:
    """Return what is fixed on this batch, made once an instance."""
    made = _CACHE.setdefault(instance, {})
    place = (device, dtype)
    if place not in made:
        # Tensors made in inference mode could not be used for training later.
        with torch.inference_mode(False):
            made[place] = _prepare(graph, instance, *place)
    return made[place]


def _prepare(graph: Graph, instance: Instance, device: torch.device, dtype: torch.dtype) -> Setting:
    pairs, _ = sparse_side(graph)
    matrix = symmetric_matrix(pairs, 1.0, graph.num_nodes, device=device, dtype=dtype)
    count = matrix @ torch.ones(graph.num_nodes, 1, device=device, dtype=dtype)
    instance = in_graph_units(instance)
    objective = instance.objective
    penalty = instance.energy().terms[len(objective) :]
    scale = np.maximum(objective_scale(instance), LEAST_SCALE)
    return Setting(
        matrix=matrix,
        share=1 / count.clamp(min=1).unsqueeze(2),
        surroundings=surroundings(graph, device, dtype).unsqueeze(1),
        objective=Energy(instance.node_ptr, objective),
        penalty=Energy(instance.node_ptr, penalty),
        unit=torch.tensor(1 / scale, device=device, dtype=dtype).unsqueeze(1),
    )


NUM_SURROUNDINGS = 6
"""Columns of `surroundings`."""


def surroundings(graph: Graph, device: torch.device, dtype: torch.dtype) -> Tensor:
    """Return fixed features of the nodes, [num_nodes, NUM_SURROUNDINGS].

    Degrees are those of the sparser side of each graph: their logarithm, their ratio to the graph's mean, and whether
    the side is the complement; weights by their ratio to the graph's mean; the mean weight of a node's edges by
    that of the graph; the share of other nodes it is joined to.
    """
    pairs, complemented = sparse_side(graph)
    degree = np.bincount(pairs.reshape(-1), minlength=graph.num_nodes).astype(np.float64)
    others = (np.diff(graph.node_ptr) - 1)[graph.graph_of_node]
    flipped = complemented[graph.graph_of_node]
    joined = np.where(flipped, others - degree, degree)
    columns = [
        np.log1p(degree) / 4,
        _ratio(degree, graph.node_ptr),
        flipped,
        _ratio(graph.node_weight, graph.node_ptr),
        _heaviness(graph),
        joined / np.maximum(others, 1),
    ]
    return torch.tensor(np.stack(columns, axis=1), device=device, dtype=dtype)


def _heaviness(graph: Graph) -> FloatArray:
    """Return the mean weight of each node's edges by that of the graph; nothing is summed where all weigh 1."""
    if np.all(graph.edge_weight == 1):
        return np.zeros(graph.num_nodes)
    return _ratio(graph.weighted_degree / np.maximum(graph.degree, 1), graph.node_ptr)


def _ratio(values: FloatArray, node_ptr: IntArray) -> FloatArray:
    """Return values by their graph's mean size, less 1, within ±4."""
    counts = np.maximum(np.diff(node_ptr), 1)
    mean = segment_sum(np.abs(values), node_ptr) / counts
    safe = np.repeat(np.where(mean > 0, mean, 1.0), np.diff(node_ptr))
    return np.asarray(np.clip(values / safe - 1, -4, 4))


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
        constant=None if instance.constant is None else np.ldexp(instance.constant, -exponent),
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
    if isinstance(term, Range):
        return items
    if isinstance(term, Linear | AllPairs):
        return segment_of(term.node_ptr, items)
    raise unknown_term(term, user="a unit of a graph")
