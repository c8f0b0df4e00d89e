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

On the processor the compiled core runs it, trained (`annealco.models.compiled_field`) and in training, where all steps
are one differentiable function (`core_logits`). What PyTorch computes here is the same, on any device and in any
precision. There a step is one differentiable function: composed of torch's own operations it costs twice as much, most
of it for intermediate tensors that are written, kept for the backward pass and read again. Here the gates overwrite
their inputs and little is kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from annealco._core import FieldSetting, FieldTape
from annealco.energy import Energy, Instance
from annealco.energy.sparse import SparseMatrix, multiply, symmetric_matrix
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.models.compiled_field import (
    DEFAULTS,
    NUM_FEATURES,
    NUM_SIGNALS,
    NUM_SURROUNDINGS,
    CompiledField,
    FieldSettings,
    core_setting,
    drawn_afresh,
    fixed_inputs,
    is_compiled,
    node_columns,
    normal_features,
    pack_weights,
    packed_names,
)
from annealco.models.model import Draws, Model, ModelInput, as_samples, never

MOST_FIELD = 5.0
"""Fields are cut off here: past it a node is decided."""

FEWEST, MOST, RISEN = 3 / 8, 25 / 16, 0.7
"""Steps in the middle of those drawn at the start of training and when they have risen, in units of ``num_steps``; and
the progress at which they have: later there is too little learning rate left to learn from long runs."""

FADING = 0.8
"""Weight of an output in training relative to the next one's."""


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
        round_steps: steps of a round of a long run (`proposals`).
        fresh: share of the nodes that start anew between rounds.
    """

    name = "field"
    batch_size = 8
    learning_rate = 4e-3

    def __init__(
        self,
        *,
        width: int = DEFAULTS.width,
        num_steps: int = DEFAULTS.num_steps,
        round_steps: int = DEFAULTS.round_steps,
        fresh: float = DEFAULTS.fresh,
    ) -> None:
        settings = FieldSettings(width, num_steps, round_steps, fresh).check()
        super().__init__(**settings.told())
        self.width, self.num_steps, self.round_steps, self.fresh = settings
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

    def generator(self, seed: int) -> np.random.Generator:
        """Return NumPy's generator, so that devices and the compiled core propose the same."""
        return np.random.default_rng(seed)

    def compiled(self) -> CompiledField | None:
        """Return the network as the core runs it, on the processor and in single precision."""
        if not self.is_single or type(self) is not Field:
            return None
        tensors = {name: each.detach().numpy() for name, each in self.state_dict().items()}
        return CompiledField((pack_weights(tensors),), self.num_steps, self.round_steps, self.fresh)

    def draw_features(self, graph: Graph, num_samples: int, generator: Draws = None) -> Tensor:
        """Draw normal numbers, [num_nodes, num_samples, NUM_FEATURES]; on the processor, so that devices agree."""
        if isinstance(generator, np.random.Generator):
            drawn = torch.from_numpy(normal_features(generator, graph.num_nodes, num_samples))
        else:
            drawn = torch.randn(graph.num_nodes, num_samples, NUM_FEATURES, generator=generator)
        return drawn.to(**self.place)

    def forward(self, batch: ModelInput) -> Tensor:
        """Return the logits after the last step."""
        return self._run(batch, self.num_steps, keep=1)[0]

    def proposals(self, batch: ModelInput, generator: Draws = None, is_over: Callable[[], bool] = never) -> Tensor:
        """Return the logits after every round and after the last step, [num_nodes, num_samples · num_rounds].

        Between rounds nodes drawn at random start anew among the others, which stay what they have become: a run at a
        stretch settles, and then proposes the same again.
        """
        features = batch.features
        setting = _setting(batch.graph, batch.instance, features.device, features.dtype)
        state = self._begin(setting, features)
        proposed = []
        for first in range(0, self.num_steps, self.round_steps):
            if first:
                fresh = self._begin(setting, self.draw_features(batch.graph, features.shape[1], generator))
                state = torch.where(_afresh(state, generator, self.fresh), fresh, state)
            steps = min(self.round_steps, self.num_steps - first)
            state, [logits] = self._advance(setting, state, steps, keep=1, is_over=is_over)
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
        if self._is_core_s(batch.instance, given):
            core = core_setting(batch.graph, batch.instance).core
            kept = list(core_logits(dict(self.named_parameters()), core, given, num_steps, keep).unbind())
        else:
            setting = _setting(batch.graph, batch.instance, given.device, given.dtype)
            _, kept = self._advance(setting, self._begin(setting, given), num_steps, keep)
        return kept if batch.features.dim() == 3 else [logits.squeeze(1) for logits in kept]

    def _is_core_s(self, instance: Instance, features: Tensor | None = None) -> bool:
        """Tell whether the core runs the network, as far as steps at a stretch go."""
        if type(self) is not Field:  # one that is derived may not be what the core knows
            return False
        if not self.in_core or not self.is_single or torch.is_autocast_enabled("cpu") or not is_compiled(instance):
            return False
        return features is None or (features.dtype == torch.float32 and not features.requires_grad)

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
        if self._is_core_s(instance):
            core_setting(graph, instance)
        else:
            _setting(graph, instance, **self.place)


def _afresh(state: Tensor, generator: Draws, fresh: float) -> Tensor:
    """Draw which nodes start anew in which restart, [num_nodes, num_samples, 1]."""
    if isinstance(generator, np.random.Generator):
        return (
            torch.from_numpy(drawn_afresh(generator, state.shape[0], state.shape[1], fresh))
            .unsqueeze(2)
            .to(state.device)
        )
    return torch.rand(*state.shape[:2], 1, generator=generator).to(state.device) < fresh


def core_logits(
    weights: Mapping[str, Tensor], setting: FieldSetting, features: Tensor, num_steps: int, keep: int
) -> Tensor:
    """Run the recurrence in the core and return the logits after the last steps, [keep, num_nodes, num_samples].

    They can be differentiated once, by the weights alone.

    Args:
        weights: by the names of `annealco.models.compiled_field.tensor_shapes`, float32 on the processor.
        setting: what is fixed on the batch.
        features: [num_nodes, num_samples, NUM_FEATURES], likewise.
        num_steps: of the run.
        keep: how many of the last steps are wanted.
    """
    run = _CoreRun(setting, num_steps, keep, tuple(weights))
    return _CoreLogits.apply(run, features.contiguous(), *weights.values())  # type: ignore[no-any-return, no-untyped-call]


class _CoreRun(NamedTuple):
    setting: FieldSetting
    num_steps: int
    keep: int
    names: tuple[str, ...]


class _CoreLogits(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, run: _CoreRun, features: Tensor, *learned: Tensor) -> Tensor:
        # A loss that is no number is the loop's to tell: weights may be anything here.
        arrays = {name: each.detach().numpy() for name, each in zip(run.names, learned, strict=True)}
        weights = pack_weights(arrays, must_be_finite=False)
        logits, threads = features.new_empty(run.keep, *features.shape[:2]), torch.get_num_threads()
        given = (weights, run.setting, features.numpy(), logits.numpy())
        tape = FieldTape(*given, num_steps=run.num_steps, num_threads=threads)
        ctx.tape, ctx.names = tape, run.names
        ctx.save_for_backward(features, *learned)
        return logits

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        features, *learned = ctx.saved_tensors
        found = {name: torch.empty_like(each) for name, each in zip(ctx.names, learned, strict=True)}
        written = packed_names({name: each.numpy() for name, each in found.items()})
        given = (features.numpy(), gradient.contiguous().numpy())
        ctx.tape.backward(*given, **written, num_threads=torch.get_num_threads())
        return None, None, *found.values()


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
    fixed = fixed_inputs(graph, instance)
    matrix = symmetric_matrix(fixed.pairs, 1.0, graph.num_nodes, device=device, dtype=dtype)
    count = matrix @ torch.ones(graph.num_nodes, 1, device=device, dtype=dtype)
    return Setting(
        matrix=matrix,
        share=1 / count.clamp(min=1).unsqueeze(2),
        surroundings=torch.tensor(fixed.columns, device=device, dtype=dtype).unsqueeze(1),
        objective=fixed.objective,
        penalty=fixed.penalty,
        unit=torch.tensor(fixed.unit, device=device, dtype=dtype).unsqueeze(1),
    )


def surroundings(graph: Graph, device: torch.device, dtype: torch.dtype) -> Tensor:
    """Return fixed features of the nodes, [num_nodes, NUM_SURROUNDINGS]; `node_columns` tells which."""
    return torch.tensor(node_columns(graph), device=device, dtype=dtype)


class Weights(NamedTuple):
    """What is learned; the parts of every first dimension are those of the gates r, z, c.

    Attributes:
        messages: [3 · width, 2 · width].
        signals: [3 · width, num_signals].
        recurrent: [3 · width, width].
        bias: [3 · width].
    """

    messages: Tensor
    signals: Tensor
    recurrent: Tensor
    bias: Tensor


def recurrent_step(
    weights: Weights, matrix: SparseMatrix, share: Tensor, *, state: Tensor, probability: Tensor, signals: Tensor
) -> Tensor:
    """Return the next state, [num_nodes, num_samples, width].

    With A the matrix and h the state, a node hears m = [share · A h, A (φ h)]. Then a = W_m m + W_s signals + bias and
    b = W_h h, in parts r, z, c: r = σ(a_r + b_r), z = σ(a_z + b_z), c = tanh(a_c + r b_c), and the next state is
    (1 − z) c + z h.

    Args:
        weights: what is learned.
        matrix: symmetric, [num_nodes, num_nodes].
        share: [num_nodes, 1, 1], not differentiated.
        state: h, [num_nodes, num_samples, width].
        probability: φ, [num_nodes, num_samples, 1].
        signals: [num_nodes, num_samples, num_signals].
    """
    return _Step.apply(matrix, share, state, probability, signals, *weights)  # type: ignore[no-any-return, no-untyped-call]


class _Step(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, matrix: SparseMatrix, share: Tensor, state: Tensor, *others: Tensor) -> Tensor:
        probability, signals, *learned = others
        weights, width = Weights(*learned), state.shape[2]
        rows, heard = state.flatten(0, 1), _hear(matrix, share, state, probability)
        gates = torch.addmm(weights.bias, signals.flatten(0, 1), weights.signals.t())
        gates.addmm_(heard.flatten(0, 1), weights.messages.t())
        recurrent = rows @ weights.recurrent.t()
        gates[:, : 2 * width].add_(recurrent[:, : 2 * width]).sigmoid_()
        reset, keep, candidate = gates.chunk(3, dim=1)
        candidate.addcmul_(reset, recurrent[:, 2 * width :]).tanh_()
        ctx.matrix, ctx.width = matrix, width
        ctx.save_for_backward(share, state, probability, signals, heard, gates, recurrent, *learned)
        return torch.lerp(candidate, rows, keep).view(state.shape)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        share, state, probability, signals, heard, gates, recurrent, *learned = ctx.saved_tensors
        weights, width = Weights(*learned), ctx.width
        rows, gradient = state.flatten(0, 1), gradient.flatten(0, 1)
        to_rows, inward = _through_gates(gradient, gates, recurrent, rows)
        # b enters the gates r and z as a does; only its part in c passes the reset.
        to_signals = inward @ weights.signals
        to_heard = (inward @ weights.messages).view(heard.shape)
        learned_by = [inward.t() @ heard.flatten(0, 1), inward.t() @ signals.flatten(0, 1), inward.sum(0)]
        inward[:, 2 * width :].mul_(gates[:, :width])
        to_rows.addmm_(inward, weights.recurrent)
        learned_by.insert(2, inward.t() @ rows)
        to_heard[:, :, :width].mul_(share)
        # The matrix is symmetric: gradients travel as messages do.
        to_spoken = _product(ctx.matrix, to_heard)
        to_state = to_rows.view(state.shape)
        to_state.add_(to_spoken[:, :, :width]).addcmul_(to_spoken[:, :, width:], probability)
        to_probability = (to_spoken[:, :, width:] * state).sum(2, keepdim=True)
        return None, None, to_state, to_probability, to_signals.view(signals.shape), *learned_by


def _hear(matrix: SparseMatrix, share: Tensor, state: Tensor, probability: Tensor) -> Tensor:
    """Return what nodes hear, [num_nodes, num_samples, 2 · width]."""
    num_nodes, num_samples, width = state.shape
    spoken = state.new_empty(num_nodes, num_samples, 2 * width)
    spoken[:, :, :width] = state
    torch.mul(state, probability, out=spoken[:, :, width:])
    heard = _product(matrix, spoken)
    heard[:, :, :width].mul_(share)
    return heard


def _product(matrix: SparseMatrix, columns: Tensor) -> Tensor:
    if matrix.forward is None or columns.numel() == 0:
        return torch.zeros_like(columns)
    return multiply(matrix.forward, columns.flatten(1)).view(columns.shape)


def _through_gates(gradient: Tensor, gates: Tensor, recurrent: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
    """Return the gradients by the state, directly, and by what comes into the gates, [num_rows, 3 · width]."""
    width = rows.shape[1]
    _, keep, candidate = gates.chunk(3, dim=1)
    inward = torch.empty_like(gates)
    to_reset, to_keep, to_candidate = inward.chunk(3, dim=1)
    kept = gradient * keep
    # The slope of tanh is 1 − c², that of σ is σ (1 − σ).
    torch.sub(gradient, kept, out=to_candidate)
    torch.mul(to_candidate, candidate, out=to_reset)
    to_candidate.addcmul_(to_reset, candidate, value=-1)
    torch.mul(to_candidate, recurrent[:, 2 * width :], out=to_reset)
    torch.sub(rows, candidate, out=to_keep).mul_(gradient)
    both = gates[:, : 2 * width]
    inward[:, : 2 * width].mul_(torch.addcmul(both, both, both, value=-1))
    return kept, inward
